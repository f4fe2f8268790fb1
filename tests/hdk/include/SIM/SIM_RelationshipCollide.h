#pragma once
// Fake of <SIM/SIM_RelationshipCollide.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___relationship_collide.html

#include <SIM/SIM_API.h>
#include <SIM/SIM_OptionsUser.h>
#include <SIM/SIM_RelationshipData.h>

class SIM_API SIM_RelationshipCollide : public SIM_RelationshipData, public SIM_OptionsUser {
public:
    GETSET_DATA_FUNCS_I(SIM_NAME_PRIORITY, Priority)

protected:
    explicit SIM_RelationshipCollide(const SIM_DataFactory* factory)
        : SIM_RelationshipData(factory), SIM_OptionsUser(this) {}
    ~SIM_RelationshipCollide() override = default;

    DECLARE_STANDARD_GETCASTTOTYPE()
    DECLARE_DATAFACTORY(SIM_RelationshipCollide, SIM_RelationshipData, "Collide Relationship", getEmptyDopDescription())
};
