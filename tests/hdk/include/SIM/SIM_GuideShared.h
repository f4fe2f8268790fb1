#pragma once
// Fake of <SIM/SIM_GuideShared.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___guide_shared.html
// One geometry, for the first object that asks.

#include <SIM/SIM_Guide.h>

class SIM_API SIM_GuideShared : public SIM_Guide {
public:
    SIM_GuideShared(const SIM_Data* owner, bool displayonce) : SIM_Guide(owner), once_(displayonce) {}

protected:
    GU_ConstDetailHandle getGuideGeometrySubclass(const SIM_RootData& root, UT_DMatrix4& xform,
                                                  const SIM_Time& t) override;

    void clearSubclass() override { first_ = nullptr; }

private:
    bool once_;
    const SIM_RootData* first_ = nullptr;
    GU_DetailHandle geometry_;
    UT_DMatrix4 transform_;
};
