#pragma once

// How large a scene will be, from its geometry alone: before anything is sampled and memory is taken.

#include <string>
#include <vector>

#include "colliders.h"
#include "firn/engine.h"
#include "scene.h"

namespace firn {

struct SceneCounts {
    Count snow;                            ///< of all bodies, with all that the sources will make
    std::vector<ColliderCount> colliders;  ///< in the scene's order
    Count boundary;                        ///< of the colliders that are sampled as a whole
    Count near;                            ///< of the others: what snow is near as it is placed
    double sampling_bytes = 0;             ///< that the largest of the samplers takes
    std::string largest;                   ///< whose that is
};

/// Reads every file that the scene names. Throws the errors that placing and sampling would, but for memory.
SceneCounts count_scene(const Scene&);

/// A whole number, however large.
uint64_t whole(const Count&);

/// Throws Error, with what is needed, what there is and what to do, when the scene can't be sampled or simulated.
void require_memory(const SceneCounts&, const Scene&, Engine&);

}  // namespace firn
