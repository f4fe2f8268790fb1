#pragma once
// Fake of <SIM/SIM_Relationship.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___relationship.html
// Which objects affect which; what for is told by its one piece of data, a SIM_RelationshipData.

#include <SIM/SIM_API.h>
#include <SIM/SIM_ObjectArray.h>
#include <SIM/SIM_RootData.h>

class SIM_SimulationState;

class SIM_API SIM_Relationship : public SIM_RootData {
public:
    SIM_Data* getRelationshipTypeData() { return getNumSubData() == 1 ? getSubData(0) : nullptr; }
    const SIM_Data* getConstRelationshipTypeData() const { return getNumSubData() == 1 ? getConstSubData(0) : nullptr; }

    void addGroup(SIM_Object* object) { group_.add(object); }
    int getGroupEntries() const { return static_cast<int>(group_.entries()); }
    const SIM_Object* getGroupObject(int index) const { return group_(index); }
    bool getGroupHasObject(const SIM_Object* object) const;
    void addAffGroup(SIM_Object* object) { affectors_.add(object); }
    int getAffGroupEntries() const { return static_cast<int>(affectors_.entries()); }
    const SIM_Object* getAffGroupObject(int index) const { return affectors_(index); }
    bool getAffGroupHasObject(const SIM_Object* object) const;

protected:
    explicit SIM_Relationship(const SIM_SimulationState* factory);
    ~SIM_Relationship() override = default;

private:
    SIM_ObjectArray group_, affectors_;
    friend class SIM_SimulationState;
    friend class SIM_Object;

    DECLARE_STANDARD_GETCASTTOTYPE()
    DECLARE_CLASSNAME(SIM_Relationship, SIM_RootData)
};
