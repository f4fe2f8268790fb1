#pragma once
// Fake of <SIM/SIM_PositionSimple.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___position_simple.html
// The rotation is given in degrees about x, y and z here, where the HDK keeps a quaternion: only tests set it.

#include <SIM/SIM_API.h>
#include <SIM/SIM_OptionsUser.h>
#include <SIM/SIM_Position.h>

class SIM_API SIM_PositionSimple : public SIM_Position, public SIM_OptionsUser {
public:
    GETSET_DATA_FUNCS_V3(SIM_NAME_POSITION, Position)
    GETSET_DATA_FUNCS_V3(SIM_NAME_ORIENTATION, Rotation)

protected:
    explicit SIM_PositionSimple(const SIM_DataFactory* factory) : SIM_Position(factory), SIM_OptionsUser(this) {}
    ~SIM_PositionSimple() override = default;

    void getTransformSubclass(UT_DMatrix4& xform) const override;

    DECLARE_STANDARD_GETCASTTOTYPE()
    DECLARE_DATAFACTORY(SIM_PositionSimple, SIM_Position, "Position", getEmptyDopDescription())
};
