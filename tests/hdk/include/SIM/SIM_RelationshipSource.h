#pragma once
// Fake of <SIM/SIM_RelationshipSource.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___relationship_source.html
// The affectors give birth to what the group simulates.

#include <SIM/SIM_API.h>
#include <SIM/SIM_RelationshipData.h>

class SIM_API SIM_RelationshipSource : public SIM_RelationshipData {
protected:
    explicit SIM_RelationshipSource(const SIM_DataFactory* factory) : SIM_RelationshipData(factory) {}
    ~SIM_RelationshipSource() override = default;

    DECLARE_STANDARD_GETCASTTOTYPE()
    DECLARE_DATAFACTORY(SIM_RelationshipSource, SIM_RelationshipData, "Source Relationship", getEmptyDopDescription())
};
