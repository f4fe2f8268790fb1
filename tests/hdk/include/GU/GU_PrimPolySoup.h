#pragma once
// Fake of <GU/GU_PrimPolySoup.h>: https://www.sidefx.com/docs/hdk/class_g_u___prim_poly_soup.html

#include <GEO/GEO_PrimPolySoup.h>
#include <GU/GU_Detail.h>

class GU_API GU_PrimPolySoup : public GEO_PrimPolySoup {
public:
    /// Over points that are there already, numbered from `startpt`.
    static GA_Offset build(GA_Detail* gdp, GA_Offset startpt, GA_Size npts, const GEO_PolyCounts& polygonsizes,
                           const int* polygonpointnumbers);
    std::unique_ptr<GA_Primitive> duplicate() const override;
};
