#pragma once

// How many particles the functions of samples.h would make, told from the geometry without making them: before memory
// is taken, it is known. Every function throws the same errors as its sampler, but for the want of memory.

#include <string>
#include <vector>

#include "firn/samples.h"

namespace firn {

struct Count {
    double particles = 0;
    /// Else within a few percent; or within a fifth, of a large grid across which a dozen particles lie: how much they
    /// are stretched depends on where exactly it ends.
    bool exact = false;
    double bytes = 0;  ///< that the sampler takes while it works
    std::vector<std::string> warnings;
    std::vector<std::string> notes;  ///< how it was counted, where not all of a file was read
    Float3 low, high;                ///< m, what the geometry lies within
};

/// Of sample_surface(): darts on the whole surface, or on patches of it that have about `probes` points together.
Count count_surface(const Mesh&, const SurfaceSettings&, double probes = 2e5);
/// The same of sample_heightfield(), without making its mesh where that is large.
Count count_heightfield(const Heightfield&, const SurfaceSettings&, double probes = 2e5);
/// Of fill_mesh(): along the lattice's rows, or along some of them.
Count count_filling(const Mesh&, const FillSettings&);

// Of a mesh file (see read_mesh()), scaled about the origin. A large one is never in memory as a whole, whence the
// edges of one that is not closed are not counted.
Count count_mesh_surface(const std::string& path, float scale, const SurfaceSettings&, double probes = 2e5);
Count count_mesh_filling(const std::string& path, float scale, const FillSettings&);
// Of a grid in a .vdb file (see vdb_mesh()), as it is in the file. Of a large grid, some thousand of its leaves are
// read.
Count count_vdb_surface(const std::string& path, const std::string& grid, const SurfaceSettings&, double probes = 2e5);
Count count_vdb_filling(const std::string& path, const std::string& grid, const FillSettings&);
/// What counts need of a file of heights (see read_heightfield()). A large PNG is never in memory as a whole.
struct HeightfieldLook {
    MeshFacts facts;    ///< of heightfield_mesh(), as heightfield_facts() says; of a large PNG from some of its rows
    double flat = 1;    ///< the share of a large PNG's ground, seen from above, that is not too steep for a layer
    Heightfield field;  ///< all heights; of a large PNG every so many
    bool whole = true;  ///< all heights are there
};
HeightfieldLook look_at_heightfield(const std::string& path, float cell, float height);

/// Of fill_layer().
Count count_layer(const Heightfield&, float thickness, const FillSettings&);
Count count_layer(const HeightfieldLook&, float thickness, const FillSettings&);
/// Of a layer on a mesh: by all of its columns, or by a million of them.
Count count_layer(const Mesh& ground, float thickness, const FillSettings&);
/// The same on the mesh of a file, scaled about the origin and then placed.
Count count_mesh_layer(const std::string& path, float scale, const Transform& placed, float thickness,
                       const FillSettings&);
/// The same on the surface of a grid in a .vdb file; of a large one, over some thousand of its leaves.
Count count_vdb_layer(const std::string& path, const std::string& grid, float scale, const Transform& placed,
                      float thickness, const FillSettings&);
/// The same on the mesh of a heightfield, which is not made for it.
Count count_layer_on(const Heightfield&, float thickness, const FillSettings&);
Count count_layer_on(const HeightfieldLook&, float thickness, const FillSettings&);

}  // namespace firn
