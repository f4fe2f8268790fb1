#pragma once
// Fake of <GU/GU_PrimSphere.h>: https://www.sidefx.com/docs/hdk/class_g_u___prim_sphere.html and
// https://www.sidefx.com/docs/hdk/class_g_u___prim_sphere_parms.html
// One point and a radius: what the Sphere SOP makes by default.

#include <GEO/GEO_PrimTypeCompat.h>
#include <GU/GU_Detail.h>
#include <UT/UT_Matrix4.h>

class GU_API GU_PrimSphereParms {
public:
    explicit GU_PrimSphereParms(GU_Detail* agdp) : gdp(agdp), xform(1.0f) {}
    GU_Detail* gdp;
    UT_Matrix4 xform;
};

class GU_API GU_PrimSphere : public GEO_Primitive {
public:
    static GEO_Primitive* build(const GU_PrimSphereParms& parms);
    std::unique_ptr<GA_Primitive> duplicate() const override;
    float radius() const { return myRadius; }

private:
    explicit GU_PrimSphere(float radius) : GEO_Primitive(GEO_PRIMSPHERE), myRadius(radius) {}
    float myRadius;
};
