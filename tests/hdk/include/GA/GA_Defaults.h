#pragma once
// Fake of <GA/GA_Defaults.h>: https://www.sidefx.com/docs/hdk/class_g_a___defaults.html

#include <GA/GA_Types.h>

#include <vector>

class GA_Defaults {
public:
    explicit GA_Defaults(fpreal32 v) : myValues{double(v)} {}
    explicit GA_Defaults(fpreal64 v) : myValues{v} {}
    explicit GA_Defaults(int32 v) : myValues{double(v)} {}
    explicit GA_Defaults(int64 v) : myValues{double(v)} {}
    GA_Defaults(const fpreal32* v, GA_Size size) : myValues(v, v + size) {}
    GA_Defaults(const fpreal64* v, GA_Size size) : myValues(v, v + size) {}

    fpreal64 getF(int component) const {
        return myValues[static_cast<size_t>(component) < myValues.size() ? static_cast<size_t>(component)
                                                                         : myValues.size() - 1];
    }

private:
    std::vector<double> myValues;
};
