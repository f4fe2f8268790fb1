#pragma once
// Fake of <SIM/SIM_Container.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___container.html
// Data that only holds other data, such as "Forces".

#include <SIM/SIM_API.h>
#include <SIM/SIM_DataUtils.h>

class SIM_API SIM_Container : public SIM_Data {
protected:
    explicit SIM_Container(const SIM_DataFactory* factory) : SIM_Data(factory) {}
    ~SIM_Container() override = default;

    DECLARE_STANDARD_GETCASTTOTYPE()
    DECLARE_DATAFACTORY(SIM_Container, SIM_Data, "Data Container", getEmptyDopDescription())
};
