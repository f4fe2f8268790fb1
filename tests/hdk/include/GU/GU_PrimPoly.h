#pragma once
// Fake of <GU/GU_PrimPoly.h>: https://www.sidefx.com/docs/hdk/class_g_u___prim_poly.html

#include <GEO/GEO_PrimPoly.h>
#include <GU/GU_Detail.h>

class GU_API GU_PrimPoly : public GEO_PrimPoly {
public:
    static GU_PrimPoly* build(GA_Detail* gdp, int npts, int open = GU_POLY_CLOSED, int appendpts = 1);
    std::unique_ptr<GA_Primitive> duplicate() const override;
};
