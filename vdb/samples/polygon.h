#pragma once

#include "firn/mesh.h"

namespace firn {

/// Adds a polygon to the mesh as triangles that keep its area and direction, also where it is not convex.
/// All corners are points of the mesh.
void add_polygon(Mesh&, const std::vector<uint32_t>& corners);

}  // namespace firn
