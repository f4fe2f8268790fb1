#pragma once

// The engine of one node. It is only a cache: all state is in the geometry, and geometry that differs from what was
// last written is uploaded again. Scrubbing, editing and resuming need nothing else.

#include <GU/GU_Detail.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firn/collider.h"
#include "firn/engine.h"
#include "particle_transfer.h"

namespace firn {

/// Which data a geometry's snow attributes hold. Equal keys promise equal snow.
class StateKey {
public:
    /// Empty when an attribute or the topology has no data id.
    static std::optional<StateKey> of(const GU_Detail&, const std::vector<PointBlock>&);
    bool operator==(const StateKey& other) const {
        return topology_ == other.topology_ && order_ == other.order_ && ids_ == other.ids_;
    }

private:
    GA_DataId topology_ = GA_INVALID_DATAID;
    /// Which points, and in which order: a sort may leave the attributes, and with them their ids, as they were.
    std::vector<std::pair<GA_Offset, GA_Size>> order_;
    std::vector<GA_DataId> ids_;  ///< by array; -1 = there is no such attribute
};

class EngineCache {
public:
    /// Applies the settings; creates the engine when there is none yet, or when the device changes.
    void prepare(const Parameters&, const std::string& device);

    /// Adds this frame's forces and wind to Particles::acceleration and Particles::air_velocity.
    using Forces = std::function<void(Particles&)>;
    /// Uploads the snow of this detail, unless the engine holds it already and there are no forces.
    void upload(const GU_Detail&, const std::vector<PointBlock>&, const Forces& = {});

    /// Sets the bodies of the coming frame; unchanged ones are not sent again.
    void set_bodies(const std::vector<MovingBody>&);

    /// Advances one frame, which begins `clock` seconds after the motion did. After an error or an interrupt the
    /// engine's state is undefined.
    FrameReport advance(double seconds, double clock, const Observer&);

    /// Writes state and results into the detail that was uploaded. A later upload() of unchanged data is then skipped.
    void write(GU_Detail&, const std::vector<PointBlock>&);

    /// Makes the next upload() unconditional.
    void forget() { held_.reset(); }

    const Engine& engine() const { return *engine_; }
    uint64_t boundary_particles() const;
    /// What the last frame did to each body: its name and the mean load.
    std::vector<std::pair<std::string, BodyLoad>> loads() const;
    /// How often the snow was uploaded, for tests and the info window.
    int uploads() const { return uploads_; }
    uint64_t bytes() const { return bytes_; }

private:
    struct Known {
        BodyId id;
        MovingBody moved;
    };
    std::unique_ptr<Engine> engine_;
    std::string device_;
    std::optional<StateKey> held_;
    std::vector<Known> bodies_;
    Particles staged_;  ///< on its way in or out; kept for its memory
    int uploads_ = 0;
    uint64_t bytes_ = 0;
};

}  // namespace firn
