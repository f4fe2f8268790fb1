#pragma once

// OpenVDB grids -> meshes, for hosts that hold grids (Houdini's VDB primitives).

#include <openvdb/openvdb.h>

#include <string>
#include <vector>

#include "firn/mesh.h"

namespace firn {

/// The surface of a grid as triangles: of a level set (or any grid with negative values) at 0, of a fog volume at half
/// its largest value. `what` begins the message of an Error.
Mesh grid_mesh(const openvdb::GridBase&, const std::string& what);

/// Triangles and quads over shared points, clockwise seen from outside, as Houdini has them.
struct PolygonMesh {
    std::vector<Float3> points;  ///< m
    std::vector<int> corners;    ///< of all triangles, three each, then of all quads, four each
    size_t triangles = 0, quads = 0;
};
/// The zero of a level set. `adaptivity` 0..1: larger polygons where it is flat. An empty grid has none.
PolygonMesh grid_polygons(const openvdb::FloatGrid&, double adaptivity);

}  // namespace firn
