#pragma once
// Fake of <SIM/SIM_Object.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___object.html
// A container of data, and what affects it.

#include <SIM/SIM_API.h>
#include <SIM/SIM_ColliderInfo.h>
#include <SIM/SIM_PhysicalParms.h>
#include <SIM/SIM_RootData.h>

class SIM_ConstObjectArray;
class SIM_Geometry;
class SIM_ObjectArray;
class SIM_Position;
class SIM_SimulationState;
class SIM_Solver;

class SIM_API SIM_Object : public SIM_RootData {
public:
    int getObjectId() const { return id_; }
    void setName(const char* name) { name_.harden(name); }

    void getAffectors(SIM_ObjectArray& affobjs, const char* relationshiptype);
    void getConstAffectors(SIM_ConstObjectArray& affobjs, const char* relationshiptype) const;
    void getColliderInfo(SIM_ColliderInfoArray& colliderinfo) const;

    const SIM_Solver* getSolver() const;
    const SIM_Position* getPosition() const;
    const SIM_Geometry* getGeometry() const;
    const SIM_PhysicalParms* getPhysicalParms() const;

protected:
    explicit SIM_Object(const SIM_SimulationState* factory);
    ~SIM_Object() override = default;

private:
    const SIM_SimulationState* state_;
    int id_ = -1;
    bool new_ = true;
    friend class SIM_Engine;
    friend class SIM_SimulationState;

    DECLARE_STANDARD_GETCASTTOTYPE()
    DECLARE_CLASSNAME(SIM_Object, SIM_RootData)
};
