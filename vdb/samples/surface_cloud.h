#pragma once

// A surface as a dense cloud of oriented points, about twenty for every sample that it will carry: the ground on
// which samples are chosen, moved, and pushed inwards. The cloud doesn't care how large the triangles are.

#include <cstdint>
#include <vector>

#include "firn/mesh.h"
#include "samples/cell_table.h"
#include "samples/vec3.h"

namespace firn {

constexpr double points_per_sample = 20;

struct SurfaceCloud {
    Vec3 low;           ///< m; positions below are relative to it, so that they keep their digits
    float spacing = 0;  ///< m, of the samples
    std::vector<Float3> position;
    std::vector<float> weight;       ///< m^2
    std::vector<uint32_t> triangle;  ///< where it lies

    std::vector<Float3> triangle_normal;  ///< unit; turned outwards when the mesh is inside out

    // The points are sorted by cell. A cell knows the cells around it that hold points, and itself.
    double cell_size = 0;
    std::vector<uint32_t> cell_begin;  ///< cells + 1
    std::vector<Cell> cell_at;
    CellTable table;
    std::vector<uint32_t> neighbour_begin;  ///< cells + 1
    std::vector<uint32_t> neighbour;

    std::vector<float> bend;  ///< cosine; no normal in the cell or around it is farther than that from one direction

    size_t cells() const { return cell_at.size(); }
    /// A cell's width of room is left below `low`.
    Cell cell(const Vec3& p) const {
        return {static_cast<int32_t>(std::floor(p.x / cell_size)) + 1,
                static_cast<int32_t>(std::floor(p.y / cell_size)) + 1,
                static_cast<int32_t>(std::floor(p.z / cell_size)) + 1};
    }
    const Float3& normal(uint32_t point) const { return triangle_normal[triangle[point]]; }
    /// No two normals in or around the cell are more than 120 degrees apart: same_sheet() holds for all.
    bool one_sheet(uint32_t cell) const { return bend[cell] > 0.501f; }
    /// All normals in and around the cell are within a degree of one direction.
    bool flat(uint32_t cell) const { return bend[cell] > 0.99985f; }
};

/// Throws Error for a surface that is too long to number its cells.
void require_cells(const MeshFacts&, float spacing);

/// `turned`: the triangles are seen from behind. `stands_for`: where the mesh is some of a surface's triangles, the m^2
/// of it that each of them stands for; else nothing.
SurfaceCloud surface_cloud(const Mesh&, const MeshFacts&, float spacing, bool turned,
                           const std::vector<float>& stands_for = {});

/// Two places on one sheet, as opposed to the two sides of a thin plate. Edges of up to 120 degrees don't part a sheet.
inline bool same_sheet(const Float3& a, const Float3& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z > -0.5f;
}

}  // namespace firn
