#pragma once
// Fake of <GU/GU_PrimNURBCurve.h>: https://www.sidefx.com/docs/hdk/class_g_u___prim_n_u_r_b_curve.html

#include <GU/GU_Detail.h>

/// Converts to an open polygon over its control points.
class GU_API GU_PrimNURBCurve : public GEO_Primitive {
public:
    static GU_PrimNURBCurve* build(GU_Detail* gdp, int nPts, int order = 4, int closed = 0, int interpEnds = 1,
                                   int appendPts = 1);
    std::unique_ptr<GA_Primitive> duplicate() const override;

private:
    GU_PrimNURBCurve() : GEO_Primitive(GEO_PRIMNURBCURVE) {}
};
