#pragma once
// Fake of <SIM/SIM_RootData.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___root_data.html
// What objects and relationships share.

#include <SIM/SIM_API.h>
#include <SIM/SIM_DataUtils.h>

class SIM_API SIM_RootData : public SIM_Data {
public:
    const UT_String& getName() const { return name_; }

protected:
    explicit SIM_RootData(const SIM_DataFactory* factory) : SIM_Data(factory) {}
    ~SIM_RootData() override = default;

    UT_String name_;

    DECLARE_STANDARD_GETCASTTOTYPE()
    DECLARE_CLASSNAME(SIM_RootData, SIM_Data)
};
