#pragma once
// Fake of <SIM/SIM_Position.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___position.html
// Where an object is, rotated first, then moved.

#include <SIM/SIM_API.h>
#include <SIM/SIM_DataUtils.h>
#include <UT/UT_Matrix4.h>
#include <UT/UT_Quaternion.h>

class SIM_API SIM_Position : public SIM_Data {
public:
    void getTransform(UT_DMatrix4& xform) const { getTransformSubclass(xform); }
    void getInverseTransform(UT_DMatrix4& xform) const {
        getTransform(xform);
        xform.invert();
    }

    void getOrientation(UT_Quaternion& orientation) const {
        UT_DMatrix4 xform;
        getTransform(xform);
        orientation.updateFromRotationMatrix(xform);
    }
    UT_Vector3 selfToWorld(const UT_Vector3& position) const {
        UT_DMatrix4 xform;
        getTransform(xform);
        return position * xform;
    }

protected:
    explicit SIM_Position(const SIM_DataFactory* factory) : SIM_Data(factory) {}
    ~SIM_Position() override = default;

    virtual void getTransformSubclass(UT_DMatrix4& xform) const { xform.identity(); }

    DECLARE_STANDARD_GETCASTTOTYPE()
    DECLARE_CLASSNAME(SIM_Position, SIM_Data)
};
