#pragma once
// Fake of <SIM/SIM_GuidePerObject.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___guide_per_object.html
// A geometry of its own for each object that asks.

#include <SIM/SIM_Guide.h>

#include <map>

class SIM_API SIM_GuidePerObject : public SIM_Guide {
public:
    explicit SIM_GuidePerObject(const SIM_Data* owner) : SIM_Guide(owner) {}

protected:
    GU_ConstDetailHandle getGuideGeometrySubclass(const SIM_RootData& root, UT_DMatrix4& xform,
                                                  const SIM_Time& t) override;

    void clearSubclass() override { geometries_.clear(); }

private:
    std::map<int, GU_ConstDetailHandle> geometries_;  ///< by the object's id: one for all steps, until it is cleared
};
