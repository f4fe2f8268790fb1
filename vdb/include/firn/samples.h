#pragma once

// Geometry -> particles: surfaces become boundary particles, volumes become snow. Deterministic.

#include <optional>
#include <string>
#include <vector>

#include "firn/mesh.h"
#include "firn/vector.h"

namespace firn {

/// Points that cover a surface evenly, about one spacing apart.
struct SurfaceSamples {
    std::vector<Float3> position;  ///< m, on the surface, or `depth` below it
    std::vector<Float3> normal;    ///< outward, unit
    std::vector<float> area;       ///< m^2 that each stands for
    // Where on the mesh each sits, so that the samples follow it when it moves; empty for volumes.
    std::vector<uint32_t> triangle;
    std::vector<Float3> barycentric;
};

struct SurfaceSettings {
    float spacing = 0;       ///< m; required
    float depth = -1;        ///< m below the surface; negative = half a spacing, where firn::Body wants them
    bool two_sided = false;  ///< an open mesh keeps snow out on both sides: samples on the surface itself
};

/// Closed and open meshes.
SurfaceSamples sample_surface(const Mesh&, const SurfaceSettings&);
/// The same samples on the same topology after the points have moved. Throws Error when the topology differs.
SurfaceSamples follow(const SurfaceSamples&, const Mesh& moved, const SurfaceSettings&);
/// The rigid motion that carries the points of one mesh to those of the other, if there is one (to `tolerance` metres).
std::optional<Transform> rigid_motion(const std::vector<Float3>& from, const std::vector<Float3>& to, float tolerance);

/// An SDF or fog grid of a .vdb file; `grid` "" = the first level set or fog grid.
SurfaceSamples sample_vdb_surface(const std::string& path, const std::string& grid, const SurfaceSettings&);

/// Heights over the xz plane, m: a terrain, or the top of a snow layer. Row-major, x fastest.
struct Heightfield {
    int columns = 0, rows = 0;
    float cell = 0;  ///< m between heights
    Float3 origin;   ///< of the first height; its y is added to all
    std::vector<float> height;
};
/// Greyscale PNG (8 or 16 bit), 0..1 scaled by `height`, or a .vdb / raw? only PNG and text grids of numbers.
Heightfield read_heightfield(const std::string& path, float cell, float height);
Mesh heightfield_mesh(const Heightfield&);
SurfaceSamples sample_heightfield(const Heightfield&, const SurfaceSettings&);

struct FillSettings {
    float spacing = 0;  ///< m; required
    bool relaxed =
        false;         ///< moved until they fill the shape evenly, so that thin features survive (Kugelstadt 2021, 7)
    float jitter = 0;  ///< 0..1 of half a spacing, regular filling only
    uint32_t seed = 0;
};
/// Particles that fill a closed mesh; a mesh with holes or inside out is filled by winding number, with a warning.
struct Filling {
    std::vector<Float3> position;
    std::vector<std::string> warnings;
};
Filling fill_mesh(const Mesh&, const FillSettings&);
Filling fill_vdb(const std::string& path, const std::string& grid, const FillSettings&);
/// A layer of `thickness` metres (vertical) on a heightfield.
Filling fill_layer(const Heightfield&, float thickness, const FillSettings&);

}  // namespace firn
