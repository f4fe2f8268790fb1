#pragma once
// Fake of <SIM/SIM_DataFilter.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___data_filter.html

#include <SIM/SIM_API.h>
#include <UT/UT_StringHolder.h>

class SIM_Data;

class SIM_API SIM_DataFilter {
public:
    virtual ~SIM_DataFilter() = default;
    virtual bool acceptData(const SIM_Data* data, const char* dataname) const = 0;
};

class SIM_API SIM_DataFilterAll : public SIM_DataFilter {
public:
    bool acceptData(const SIM_Data*, const char*) const override { return true; }
};

class SIM_API SIM_DataFilterNone : public SIM_DataFilter {
public:
    bool acceptData(const SIM_Data*, const char*) const override { return false; }
};

/// Data that can be cast to a type.
class SIM_API SIM_DataFilterByType : public SIM_DataFilter {
public:
    explicit SIM_DataFilterByType(const char* datatype) : type_(datatype) {}
    bool acceptData(const SIM_Data* data, const char* dataname) const override;

private:
    UT_StringHolder type_;
};
