#pragma once
// Fake of <GEO/GEO_PrimPacked.h>: https://www.sidefx.com/docs/hdk/class_g_e_o___prim_packed.html

#include <GEO/GEO_Primitive.h>
#include <UT/UT_Matrix3.h>
#include <UT/UT_Matrix4.h>

class GEO_API GEO_PrimPacked : public GEO_Primitive {
public:
    /// Local transform and the point's position (the fake has no pivot).
    virtual void getFullTransform4(UT_Matrix4D& matrix) const = 0;
    const UT_Matrix3D& localTransform() const { return myLocal; }
    void setLocalTransform(const UT_Matrix3D& matrix) { myLocal = matrix; }

protected:
    explicit GEO_PrimPacked(GA_PrimitiveTypeId type) : GEO_Primitive(type), myLocal(1.0) {}
    GEO_PrimPacked(const GEO_PrimPacked&) = default;

private:
    UT_Matrix3D myLocal;
};
