#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "firn/vector.h"

namespace firn {

/// Triangles over shared points, m. Readers cut polygons into triangles.
struct Mesh {
    std::vector<Float3> points;
    std::vector<std::array<uint32_t, 3>> triangles;
};

struct MeshFacts {
    bool closed = false;                ///< every edge has two triangles, of opposite direction
    uint64_t degenerate_triangles = 0;  ///< without area; sampling passes over them
    uint64_t open_edges = 0, non_manifold_edges = 0;
    double area = 0;    ///< m^2
    double volume = 0;  ///< m^3, signed: negative = inside out. Only meaningful when closed
    Float3 low, high;
};
MeshFacts examine(const Mesh&);

/// OBJ, PLY (text and both binaries) or STL (text and binary), by the name's ending and the first bytes. Throws Error
/// with file:line (or byte) for what is truncated, hostile, or not finite.
Mesh read_mesh(const std::string& path);
/// OBJ or PLY (binary), by the name's ending. Whole or not at all.
void write_mesh(const std::string& path, const Mesh&);

// Shapes of scene files, centred on the origin, outward normals.
Mesh box_mesh(const Float3& size);
Mesh sphere_mesh(float radius, int subdivisions = 4);
Mesh cylinder_mesh(float radius, float height, int segments = 64);  ///< along y
Mesh plane_mesh(float width, float depth);                          ///< open, facing +y

Mesh transformed(const Mesh&, const Transform&, float scale = 1.0f);

}  // namespace firn
