#pragma once

// The snow of a scene as particles: bodies that are there from the start or appear at a frame, and sources. What
// appears at a frame depends only on the scene, the frame and the snow that is there, so that a resumed run
// makes the same snow.

#include <cstdint>
#include <string>
#include <vector>

#include "firn/particles.h"
#include "scene.h"

namespace firn {

/// Puts the scene's snow in place, frame by frame.
class SnowPlacer {
public:
    /// Keeps a reference to the scene.
    explicit SnowPlacer(const Scene&);

    /// Appends what appears at the beginning of `frame`; returns how many particles did. `next_id` moves on.
    size_t place(int frame, Particles& particles, int64_t& next_id);
    /// Whether place() may add something at that frame.
    bool adds_at(int frame) const;

    const std::vector<std::string>& warnings() const { return warnings_; }

private:
    const std::vector<Float3>& points(size_t body);
    size_t place_body(size_t body, Particles&, int64_t& next_id);
    size_t open_source(size_t body, int frame, Particles&, int64_t& next_id);
    void move_with_ground(const Snow&, Particles&) const;
    void leave_out_overlaps(const Snow&, const Particles& there, Particles& fresh);
    /// Particles at these positions, with the velocity and the material of the body.
    Particles make_particles(const Snow&, std::vector<Float3> positions) const;

    const Scene& scene_;
    std::vector<std::vector<Float3>> points_;  ///< of each body, m, world; empty = not yet asked for
    std::vector<bool> varies_;                 ///< which rows of material_table() differ between particles
    std::vector<std::string> warnings_;
    // Of the body that was filled last:
    float worth_ = 1;                 ///< Filling::worth
    std::vector<uint32_t> standing_;  ///< the triangles that its particles stand on
};

/// Appends every array, and fills up with zeros those that only one of the two has.
void append(Particles& to, const Particles& from);

/// The frame at which a body appears, or a source opens.
int first_frame_of(const Snow&, const Scene&);

}  // namespace firn
