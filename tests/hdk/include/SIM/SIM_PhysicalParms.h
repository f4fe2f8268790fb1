#pragma once
// Fake of <SIM/SIM_PhysicalParms.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___physical_parms.html
// An object's friction and bounce.

#include <SIM/SIM_API.h>
#include <SIM/SIM_DataUtils.h>
#include <SIM/SIM_OptionsUser.h>

class SIM_API SIM_PhysicalParms : public SIM_Data, public SIM_OptionsUser {
public:
    GETSET_DATA_FUNCS_F(SIM_NAME_FRICTION, Friction)
    GETSET_DATA_FUNCS_F(SIM_NAME_DYNAMICFRICTION, DynamicFriction)
    GETSET_DATA_FUNCS_F(SIM_NAME_BOUNCE, Bounce)

protected:
    explicit SIM_PhysicalParms(const SIM_DataFactory* factory) : SIM_Data(factory), SIM_OptionsUser(this) {}
    ~SIM_PhysicalParms() override = default;

    DECLARE_STANDARD_GETCASTTOTYPE()
    DECLARE_DATAFACTORY(SIM_PhysicalParms, SIM_Data, "Physical Parameters", getEmptyDopDescription())
};
