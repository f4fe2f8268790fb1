#pragma once

// A force as a plugin of somebody else's would bring one, written in the manner of SideFX's published sample
// SIM_ForceOrbit (sidefx.com/docs/hdk, Examples: SIM/SIM_ForceOrbit.C): it compiles against the HDK as well as against
// the fake.

#include <SIM/SIM_Force.h>
#include <SIM/SIM_OptionsUser.h>

/// Drags towards a velocity: force = drag * mass * (velocity - v).
class SIM_WindForce : public SIM_Force, public SIM_OptionsUser {
public:
    GETSET_DATA_FUNCS_V3("velocity", Velocity);
    GETSET_DATA_FUNCS_F("drag", Drag);

protected:
    explicit SIM_WindForce(const SIM_DataFactory* factory);
    ~SIM_WindForce() override;

    void getForceSubclass(const SIM_Object& object, const UT_Vector3& position, const UT_Vector3& velocity,
                          const UT_Vector3& angvel, const fpreal mass, UT_Vector3& force,
                          UT_Vector3& torque) const override;
    SIM_Guide* createGuideObjectSubclass() const override;
    void buildGuideGeometrySubclass(const SIM_RootData& root, const SIM_Options& options, const GU_DetailHandle& gdh,
                                    UT_DMatrix4* xform, const SIM_Time& t) const override;

private:
    static const SIM_DopDescription* getWindForceDopDescription();

    DECLARE_STANDARD_GETCASTTOTYPE();
    DECLARE_DATAFACTORY(SIM_WindForce, SIM_Force, "Wind Force", getWindForceDopDescription());
};

/// What its initializeSIM() would do.
void register_wind_force();
