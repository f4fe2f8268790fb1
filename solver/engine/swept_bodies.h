#pragma once

// Bodies that are on their way to particles. A step that looked only at what is near when it begins would let a fast
// body pass through them.

#include <vector>

#include "boundary_bodies.h"
#include "firn/parameters.h"

namespace firn {

/// The placements of all bodies after `share` of the frame.
std::vector<BodyPlacement> placements(const std::vector<KnownBody>&, double share);

/// What bodies ask of the substeps of one frame.
class SweptBodies {
public:
    /// The frame lasts `frame` seconds. The bodies must stay.
    SweptBodies(const std::vector<KnownBody>&, const Parameters&, double frame);

    /// Whether a body comes near particles in a substep that begins `time` seconds after the frame and would last `dt`,
    /// and how long it may last then. Costs nothing while all bodies are slow.
    Sweep meet(MethodDevice&, double time, double dt) const;

private:
    const std::vector<KnownBody>& bodies_;
    double frame_;
    double free_path_;  ///< m
    double fastest_;    ///< no surface is faster, m/s
    double straight_;   ///< as long as the path of every surface is nearly straight, s
};

}  // namespace firn
