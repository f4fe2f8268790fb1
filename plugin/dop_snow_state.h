#pragma once

#include <SIM/SIM_Data.h>
#include <SIM/SIM_DataFactory.h>
#include <SIM/SIM_DataUtils.h>
#include <SIM/SIM_DopDescription.h>
#include <UT/UT_IStream.h>

#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "firn/collider.h"

namespace firn {

/// A collider as it is remembered: an object of the network, or a part of it that moves by itself.
struct CollidingObject {
    int object = -1;    ///< its id
    std::string piece;  ///< the packed primitive; "" = all that is not packed
    ColliderState state;
};

struct RememberedSnow;

/// What a step needs beside the particles: where the colliders were, and which sources have emitted their snow. It
/// lives on the snow object. Houdini copies it for every step and keeps every copy: shapes of colliders are therefore
/// shared by all copies and never changed, and a copy costs a few hundred bytes for each collider. A file has each
/// shape once.
class SIM_FirnSnowState : public SIM_Data {
public:
    std::vector<CollidingObject> colliders() const;
    /// Shapes that stay the same stay shared.
    void set_colliders(const std::vector<CollidingObject>&);

    /// By the source object's id: a hash of the points that it emitted last.
    std::map<int, int64_t> emitted() const;
    void set_emitted(const std::map<int, int64_t>&);

    static constexpr const char* data_name = "SnowState";

protected:
    explicit SIM_FirnSnowState(const SIM_DataFactory*);
    ~SIM_FirnSnowState() override;

    void initializeSubclass() override;
    void makeEqualSubclass(const SIM_Data* source) override;
    void interpolateSubclass(const SIM_Data* source1, const SIM_Data* source2, fpreal interp) override;
    void saveSubclass(std::ostream& os) const override;
    bool loadSubclass(UT_IStream& is) override;
    int64 getMemorySizeSubclass() const override;

private:
    static const SIM_DopDescription* dop_description();
    void remember(RememberedSnow);

    std::shared_ptr<const RememberedSnow> remembered_;

    DECLARE_STANDARD_GETCASTTOTYPE();
    DECLARE_DATAFACTORY(SIM_FirnSnowState, SIM_Data, "Firn Snow State", dop_description());
};

}  // namespace firn
