#pragma once
// Fake of <SIM/SIM_ForceGravity.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___force_gravity.html

#include <SIM/SIM_API.h>
#include <SIM/SIM_Force.h>
#include <SIM/SIM_OptionsUser.h>

class SIM_API SIM_ForceGravity : public SIM_Force, public SIM_OptionsUser {
public:
    GETSET_DATA_FUNCS_V3(SIM_NAME_FORCE, Gravity)

protected:
    explicit SIM_ForceGravity(const SIM_DataFactory* factory) : SIM_Force(factory), SIM_OptionsUser(this) {}
    ~SIM_ForceGravity() override = default;

    void getForceSubclass(const SIM_Object& object, const UT_Vector3& position, const UT_Vector3& velocity,
                          const UT_Vector3& angvel, const fpreal mass, UT_Vector3& force,
                          UT_Vector3& torque) const override;

    DECLARE_STANDARD_GETCASTTOTYPE()
    DECLARE_DATAFACTORY(SIM_ForceGravity, SIM_Force, "Gravity Force", getEmptyDopDescription())
};
