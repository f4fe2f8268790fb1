#pragma once
// Fake of <SIM/SIM_Guide.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___guide.html
// When guide geometry is built, and kept.

#include <GU/GU_DetailHandle.h>
#include <SIM/SIM_API.h>
#include <SYS/SYS_Types.h>
#include <UT/UT_Matrix4.h>

class SIM_Data;
class SIM_RootData;
class SIM_Time;

class SIM_API SIM_Guide {
public:
    explicit SIM_Guide(const SIM_Data* owner) : owner_(owner) {}
    virtual ~SIM_Guide() = default;
    SIM_Guide(const SIM_Guide&) = delete;
    SIM_Guide& operator=(const SIM_Guide&) = delete;

    GU_ConstDetailHandle getGuideGeometry(const SIM_RootData& root, UT_DMatrix4& xform, const SIM_Time& t) {
        return getGuideGeometrySubclass(root, xform, t);
    }

    /// Forgets what was built.
    void clear() { clearSubclass(); }

protected:
    const SIM_Data& getOwner() const { return *owner_; }
    bool buildGuideGeometry(const SIM_RootData& root, const GU_DetailHandle& gdh, UT_DMatrix4* xform,
                            const SIM_Time& t) const;
    /// Builds it anew each time; children keep it.
    virtual GU_ConstDetailHandle getGuideGeometrySubclass(const SIM_RootData& root, UT_DMatrix4& xform,
                                                          const SIM_Time& t);

    virtual void clearSubclass() {}

private:
    const SIM_Data* owner_;
};
