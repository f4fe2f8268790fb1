#pragma once
// Fake of <SIM/SIM_RelationshipData.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___relationship_data.html

#include <SIM/SIM_API.h>
#include <SIM/SIM_DataUtils.h>

class SIM_API SIM_RelationshipData : public SIM_Data {
protected:
    explicit SIM_RelationshipData(const SIM_DataFactory* factory) : SIM_Data(factory) {}
    ~SIM_RelationshipData() override = default;

    DECLARE_STANDARD_GETCASTTOTYPE()
    DECLARE_CLASSNAME(SIM_RelationshipData, SIM_Data)
};
