#pragma once

// Velocities in .vdb files: the air of a wind that another program made.

#include <string>
#include <vector>

#include "firn/vector.h"

namespace firn {

/// Throws Error unless the file is a whole .vdb with velocities: a grid of vectors named `grid`, or three grids of
/// numbers named `grid`.x, .y and .z. "" = the first grid of vectors, or else vel.x, vel.y and vel.z. Reads no voxels.
void require_velocities(const std::string& path, const std::string& grid);

/// The velocities (m/s) at these places (m), trilinear between voxels; staggered grids as such. Outside of the voxels
/// it is the grid's background, which is 0 in most files. Reads the file in a process of its own. Throws Error also for
/// values that are not finite.
std::vector<Float3> velocities_at(const std::string& path, const std::string& grid,
                                  const std::vector<Float3>& positions);

}  // namespace firn
