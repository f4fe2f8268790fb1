#pragma once
// Fake of <SIM/SIM_Force.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___force.html
// and https://www.sidefx.com/docs/hdk/class_s_i_m___point_force_callback.html
// and https://www.sidefx.com/docs/hdk/class_s_i_m___force_resolver.html

#include <GA/GA_Types.h>
#include <GU/GU_DetailHandle.h>
#include <SIM/SIM_API.h>
#include <SIM/SIM_DataUtils.h>
#include <UT/UT_Vector3.h>

class SIM_Force;
class SIM_Motion;
class SIM_Object;
class SIM_Position;

class SIM_API SIM_PointForceCallback {
public:
    virtual ~SIM_PointForceCallback() = default;
    virtual void forceCallbackOffset(GA_Offset ptoff, const UT_Vector3& force, const UT_Vector3& torque) = 0;
};

class SIM_API SIM_ForceResolver {
public:
    SIM_ForceResolver() = default;
    virtual ~SIM_ForceResolver() = default;
    virtual SIM_ForceResolver* copy() const = 0;
    virtual bool threadsafe() const { return true; }
    virtual void getForce(const UT_Vector3& position, const UT_Vector3& velocity, const UT_Vector3& angvel,
                          const fpreal mass, UT_Vector3& force, UT_Vector3& torque) = 0;
};

class SIM_API SIM_Force : public SIM_Data {
public:
    typedef enum { SIM_FORCE_SAMPLEPOINT, SIM_FORCE_SAMPLECIRCLE, SIM_FORCE_SAMPLESPHERE } SIM_ForceSample;

    void getForce(const SIM_Object& object, const UT_Vector3& position, const UT_Vector3& velocity,
                  const UT_Vector3& angvel, const fpreal mass, UT_Vector3& force, UT_Vector3& torque) const {
        getForceSubclass(object, position, velocity, angvel, mass, force, torque);
    }
    void getForceOnCircle(const SIM_Object& object, const UT_Vector3& position, const UT_Vector3& normal,
                          const fpreal radius, const UT_Vector3& velocity, const UT_Vector3& angvel, const fpreal mass,
                          UT_Vector3& force, UT_Vector3& torque) const {
        getForceOnCircleSubclass(object, position, normal, radius, velocity, angvel, mass, force, torque);
    }
    void getForceOnSphere(const SIM_Object& object, const UT_Vector3& position, const fpreal radius,
                          const UT_Vector3& velocity, const UT_Vector3& angvel, const fpreal mass, UT_Vector3& force,
                          UT_Vector3& torque) const {
        getForceOnSphereSubclass(object, position, radius, velocity, angvel, mass, force, torque);
    }
    /// For every point, by its attributes v and mass. The fake takes geometry and world for the same space.
    void getPointForces(SIM_PointForceCallback& cb, const SIM_Object& object, const GU_ConstDetailHandle& gdh,
                        const UT_DMatrix4& geoxform, const SIM_Position* position, const SIM_Motion* motion,
                        bool forcesinworldspace) const;
    /// The caller deletes it.
    SIM_ForceResolver* getForceResolver(const SIM_Object& object) const { return getForceResolverSubclass(object); }

protected:
    explicit SIM_Force(const SIM_DataFactory* factory) : SIM_Data(factory) {}
    ~SIM_Force() override = default;

    virtual void getForceSubclass(const SIM_Object& object, const UT_Vector3& position, const UT_Vector3& velocity,
                                  const UT_Vector3& angvel, const fpreal mass, UT_Vector3& force,
                                  UT_Vector3& torque) const;
    virtual void getForceOnCircleSubclass(const SIM_Object& object, const UT_Vector3& position,
                                          const UT_Vector3& normal, const fpreal radius, const UT_Vector3& velocity,
                                          const UT_Vector3& angvel, const fpreal mass, UT_Vector3& force,
                                          UT_Vector3& torque) const;
    virtual void getForceOnSphereSubclass(const SIM_Object& object, const UT_Vector3& position, const fpreal radius,
                                          const UT_Vector3& velocity, const UT_Vector3& angvel, const fpreal mass,
                                          UT_Vector3& force, UT_Vector3& torque) const;
    virtual SIM_ForceResolver* getForceResolverSubclass(const SIM_Object& object) const;
    /// The fake has no noise.
    void applyNoise(const UT_Vector3&, UT_Vector3&) const {}
    void applyNoise(const UT_Vector3&, UT_Vector3&, UT_Vector3&) const {}

    DECLARE_STANDARD_GETCASTTOTYPE()
    DECLARE_CLASSNAME(SIM_Force, SIM_Data)
};

/// Asks the force itself; not for several threads.
class SIM_API SIM_ForceResolverGeneric : public SIM_ForceResolver {
public:
    SIM_ForceResolverGeneric(const SIM_Force* force, const SIM_Object* object) : force_(force), object_(object) {}
    SIM_ForceResolver* copy() const override { return new SIM_ForceResolverGeneric(force_, object_); }
    bool threadsafe() const override { return false; }
    void getForce(const UT_Vector3& position, const UT_Vector3& velocity, const UT_Vector3& angvel, const fpreal mass,
                  UT_Vector3& force, UT_Vector3& torque) override {
        force_->getForce(*object_, position, velocity, angvel, mass, force, torque);
    }

private:
    const SIM_Force* force_;
    const SIM_Object* object_;
};
