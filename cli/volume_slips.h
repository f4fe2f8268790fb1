#pragma once

// Settings of the volumes that are allowed but are hardly ever meant.

#include <string>
#include <vector>

#include "scene.h"
#include "scene_counts.h"

namespace firn {

/// Voxels and lengths that don't suit the spacing.
std::vector<std::string> volume_slips(const Scene&);

/// Throws the Error with which the first volume would fail: settings that don't go together, or volumes that the
/// machine has no memory for.
void require_volumes(const Scene&, const SceneCounts&);

}  // namespace firn
