#pragma once
// Fake of <SIM/SIM_ColliderInfo.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___collider_info.html

#include <SIM/SIM_API.h>
#include <UT/UT_Array.h>

class SIM_Object;

class SIM_API SIM_ColliderInfo {
public:
    SIM_ColliderInfo() = default;
    explicit SIM_ColliderInfo(SIM_Object* affector) : affector_(affector) {}
    SIM_Object* getAffector() const { return affector_; }

private:
    SIM_Object* affector_ = nullptr;
};

typedef UT_Array<SIM_ColliderInfo> SIM_ColliderInfoArray;
