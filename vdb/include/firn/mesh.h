#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firn/vector.h"

namespace firn {

/// Triangles over shared points, m. Outward normals see the corners counter-clockwise.
struct Mesh {
    std::vector<Float3> points;
    std::vector<std::array<uint32_t, 3>> triangles;
};

/// What can be told of a mesh without knowing its use. Points at the same place count as one, so that a seam that a
/// modeller left unwelded is no hole.
struct MeshFacts {
    bool closed = false;                ///< every edge has two triangles, of opposite direction
    uint64_t degenerate_triangles = 0;  ///< without area; sampling passes over them
    uint64_t open_edges = 0;            ///< with one triangle
    uint64_t non_manifold_edges = 0;    ///< with three or more
    uint64_t turned_edges = 0;          ///< with two triangles that face opposite ways
    double area = 0;                    ///< m^2
    double volume = 0;  ///< m^3, signed: negative = inside out. Only meaningful when there are no open edges
    Float3 low, high;   ///< m; of the points that triangles use
};
/// Throws Error for corners that don't exist and points that are not finite.
MeshFacts examine(const Mesh&);

/// OBJ, PLY (text and both binaries) or STL (text and binary), by the name's ending, or by the first bytes where that
/// says nothing. Polygons are cut into triangles. Throws Error with file:line (or byte) for what is truncated, hostile,
/// or not finite.
Mesh read_mesh(const std::string& path);
/// Whether the name ends as those of meshes do: .obj, .ply or .stl, in letters of any case.
bool is_mesh_file(const std::string& path);
/// Whether a mesh file has so many triangles (half a million or more) that a look at it should not hold it in memory.
bool is_large_mesh_file(const std::string& path);
/// The same from memory; `name` is what errors call it.
Mesh parse_obj(std::string_view bytes, const std::string& name);
Mesh parse_ply(std::string_view bytes, const std::string& name);
Mesh parse_stl(std::string_view bytes, const std::string& name);

/// OBJ or PLY (binary), by the name's ending. Whole or not at all.
void write_mesh(const std::string& path, const Mesh&);

// Shapes of scene files, centred on the origin, outward normals. Sizes in m; throw Error where they are not positive.
Mesh box_mesh(const Float3& size);
Mesh sphere_mesh(float radius, int subdivisions = 4);               ///< 20 * 4^subdivisions triangles
Mesh cylinder_mesh(float radius, float height, int segments = 64);  ///< along y
Mesh plane_mesh(float width, float depth);                          ///< open, along x and z, facing +y

/// Adds a polygon as triangles that keep its area and direction, also where it is not convex. All corners are points of
/// the mesh.
void add_polygon(Mesh&, const std::vector<uint32_t>& corners);

/// Scaled about the origin first, then placed.
Mesh transformed(Mesh, const Transform&, float scale = 1.0f);

}  // namespace firn
