#pragma once
// Fake of <GU/GU_PrimMetaBall.h>: https://www.sidefx.com/docs/hdk/class_g_u___prim_meta_ball.html
// A primitive that GU_Detail::convert() leaves as it is: there has to be one.

#include <GU/GU_Detail.h>

class GU_API GU_PrimMetaBall : public GEO_Primitive {
public:
    static GU_PrimMetaBall* build(GU_Detail* gdp, int appendPoints = 1);
    std::unique_ptr<GA_Primitive> duplicate() const override;

private:
    GU_PrimMetaBall() : GEO_Primitive(GEO_PRIMMETABALL) {}
};
