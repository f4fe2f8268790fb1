#pragma once

#include <SIM/SIM_DataUtils.h>
#include <SIM/SIM_OptionsUser.h>

#include <cstdint>
#include <map>
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

/// What a step needs beside the particles: where the colliders were, and which sources have emitted their snow. It
/// lives on the snow object, and all of it is options: Houdini copies, caches, saves and loads them without a line of
/// code here.
class SIM_FirnSnowState : public SIM_Data, public SIM_OptionsUser {
public:
    std::vector<CollidingObject> colliders() const;
    /// Writes only what differs.
    void set_colliders(const std::vector<CollidingObject>&);

    /// By the source object's id: a hash of the points that it emitted last.
    std::map<int, int64_t> emitted() const;
    void set_emitted(const std::map<int, int64_t>&);

    static constexpr const char* data_name = "SnowState";

protected:
    explicit SIM_FirnSnowState(const SIM_DataFactory*);
    ~SIM_FirnSnowState() override;

private:
    static const SIM_DopDescription* dop_description();

    DECLARE_STANDARD_GETCASTTOTYPE();
    DECLARE_DATAFACTORY(SIM_FirnSnowState, SIM_Data, "Firn Snow State", dop_description());
};

}  // namespace firn
