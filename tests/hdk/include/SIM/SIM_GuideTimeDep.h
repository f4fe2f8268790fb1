#pragma once
// Fake of <SIM/SIM_GuideTimeDep.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___guide_time_dep.html
// A guide that is built anew when the time is another.

#include <SIM/SIM_Guide.h>
#include <SIM/SIM_Time.h>

template <class GuideBase>
class SIM_GuideTimeDep : public GuideBase {
public:
    explicit SIM_GuideTimeDep(const SIM_Data* owner) : GuideBase(owner) {}
    SIM_GuideTimeDep(const SIM_Data* owner, bool displayonce) : GuideBase(owner, displayonce) {}

protected:
    GU_ConstDetailHandle getGuideGeometrySubclass(const SIM_RootData& root, UT_DMatrix4& xform,
                                                  const SIM_Time& t) override {
        if (!(t == built_)) this->clear();
        built_ = t;
        return GuideBase::getGuideGeometrySubclass(root, xform, t);
    }

private:
    SIM_Time built_ = -1.0;
};
