#pragma once

// Geometry -> particles: surfaces become boundary particles, volumes become snow. The same input gives the same bits
// for any number of threads. Every function throws Error, before it takes the memory, for what would need more
// particles or memory than there can be, and for what lies so far from the origin that float32 can't hold a spacing.
// counts.h tells how many particles they would make.

#include <cstdint>
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
    std::vector<std::string> warnings;

    // Where on the mesh each sits, so that the samples follow it when it moves; empty for volumes.
    std::vector<uint32_t> triangle;
    std::vector<Float3> barycentric;
    std::vector<Float3> offset;  ///< m, position minus surface, along the first edge, across it, and the normal
    uint64_t topology = 0;       ///< a hash of the mesh's triangles
    bool turned = false;         ///< the mesh was inside out: normals are those of the triangles seen from behind
};

struct SurfaceSettings {
    float spacing = 0;        ///< m; required
    float depth = -1;         ///< m below the surface; negative = half a spacing, where firn::Body wants them
    bool two_sided = false;   ///< an open mesh keeps snow out on both sides: samples on the surface itself
    double memory_limit = 0;  ///< bytes; 0 = what the machine has left
};

/// Closed and open meshes. Where a part is thinner than twice the depth, samples go to its middle.
SurfaceSamples sample_surface(const Mesh&, const SurfaceSettings&);
/// The same samples on the same topology after the points have moved. Throws Error when the topology differs.
SurfaceSamples follow(const SurfaceSamples&, const Mesh& moved);
/// m/s, of samples that were followed over `seconds`.
std::vector<Float3> velocities(const SurfaceSamples& from, const SurfaceSamples& to, float seconds);
/// The rigid motion that carries the points of one mesh to those of the other, if there is one (to `tolerance` metres).
std::optional<Transform> rigid_motion(const std::vector<Float3>& from, const std::vector<Float3>& to, float tolerance);

/// The surface of a grid in a .vdb file as a mesh: of a level set (or any grid with negative values) at 0, of a fog
/// volume at half its largest value. `grid` "" = the first level set, or else the first grid of floats.
Mesh vdb_mesh(const std::string& path, const std::string& grid);
SurfaceSamples sample_vdb_surface(const std::string& path, const std::string& grid, const SurfaceSettings&);

/// Heights over the xz plane, m: a terrain, or the top of a snow layer. Row-major, x fastest, rows along +z.
struct Heightfield {
    int columns = 0, rows = 0;
    float cell = 0;  ///< m between heights
    Float3 origin;   ///< of the first height; its y is added to all
    std::vector<float> height;
};
/// A greyscale PNG (8 or 16 bit): black is 0, white is `height` metres. Or a text file: one line of numbers per row,
/// each multiplied by `height`. The field is centred on the origin.
Heightfield read_heightfield(const std::string& path, float cell, float height);
/// Open, facing +y.
Mesh heightfield_mesh(const Heightfield&);
/// What examine() says of that mesh, without making it; but for the numbers of its edges.
MeshFacts heightfield_facts(const Heightfield&);
SurfaceSamples sample_heightfield(const Heightfield&, const SurfaceSettings&);

struct FillSettings {
    float spacing = 0;  ///< m; required
    /// Moved until they fill the shape evenly, so that thin features survive (Kugelstadt 2021, section 7).
    bool relaxed = false;
    float jitter = 0;  ///< 0..1 of half a spacing, regular filling only
    uint32_t seed = 0;
    double memory_limit = 0;  ///< bytes; 0 = what the machine has left
};
/// Snow particles. They are about a spacing apart: a regular filling is stretched or squeezed by up to 6 % along each
/// axis, so that whole sheets of particles end where the shape ends.
struct Filling {
    std::vector<Float3> position;
    /// The volume of each particle, in spacing^3, so that together they have that of the shape. To give a body its
    /// mass, multiply the density of its snow by this.
    float worth = 1;
    std::vector<std::string> warnings;
    std::vector<uint32_t> triangle = {};  ///< of a layer on a mesh: the triangle that each stands on
};
/// m between sheets of particles, `count` of which lie across `length` metres; within 6 % of the spacing.
double sheet_distance(double length, double count, double spacing);
/// Filling::worth, of so many particles in a shape of so many m^3.
float worth_of_each(double volume, double particles, double spacing);
/// Particles that fill a closed mesh; a mesh with holes or inside out is filled by winding number, with a warning.
Filling fill_mesh(const Mesh&, const FillSettings&);
Filling fill_vdb(const std::string& path, const std::string& grid, const FillSettings&);
/// A layer of `thickness` metres (vertical) on a heightfield. The regular lattice follows the ground.
Filling fill_layer(const Heightfield&, float thickness, const FillSettings&);
/// The same on any mesh: on its highest surface below the sky, where that is not steeper than 60 degrees. Regular only.
Filling fill_layer(const Mesh& ground, float thickness, const FillSettings&);

}  // namespace firn
