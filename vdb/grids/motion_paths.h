#pragma once

#include <vector>

#include "firn/vector.h"
#include "leaf_loop.h"

namespace firn {

/// Places that fast particles pass, and their velocities there.
struct MotionPaths {
    std::vector<Float3> position, velocity;
};

/// Stations along the straight ways that particles go within `shutter` seconds, forward and back, as far as these lead
/// further than `covered` metres: where a renderer that blurs motion looks for velocities. Particles that share a cell
/// of two spacings go together, the fastest leads.
MotionPaths motion_paths(const std::vector<Float3>& position, const std::vector<Float3>& velocity, double spacing,
                         double shutter, double covered, LeafLoop&);

}  // namespace firn
