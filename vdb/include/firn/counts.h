#pragma once

// How many particles the functions of samples.h would make, told from the geometry without making them: before memory
// is taken, it is known. Every function throws the same errors as its sampler, but for the want of memory.

#include <string>
#include <vector>

#include "firn/samples.h"

namespace firn {

struct Count {
    double particles = 0;
    bool exact = false;  ///< else within a few percent
    double bytes = 0;    ///< that the sampler takes while it works
    std::vector<std::string> warnings;
};

/// Of sample_surface(): darts on the whole surface, or on patches of it that have about `probes` points together.
Count count_surface(const Mesh&, const SurfaceSettings&, double probes = 2e5);
/// The same of sample_heightfield(), without making its mesh where that is large.
Count count_heightfield(const Heightfield&, const SurfaceSettings&, double probes = 2e5);
/// A mesh to count with: vdb_mesh(), or, where a grid is large and much finer than the spacing, that of every second
/// voxel (of a fog, every n-th).
struct CountingMesh {
    Mesh mesh;
    bool exact = true;  ///< it is vdb_mesh()
};
CountingMesh vdb_counting_mesh(const std::string& path, const std::string& grid, float spacing);
/// Of fill_mesh(): along the lattice's rows, or along some of them.
Count count_filling(const Mesh&, const FillSettings&);
/// Of fill_layer().
Count count_layer(const Heightfield&, float thickness, const FillSettings&);
Count count_layer(const Mesh& ground, float thickness, const FillSettings&);

}  // namespace firn
