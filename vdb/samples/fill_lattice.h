#pragma once

#include "firn/samples.h"
#include "samples/triangle_source.h"
#include "samples/winding.h"

namespace firn {

/// What is inside a mesh, asked along lattice rows. Closed meshes are asked by crossings, which is exact; others by
/// winding number.
struct Lattice {
    Vec3 first;          ///< m
    double spacing = 0;  ///< m, as wanted
    Vec3 step;           ///< m, as it is along each axis
    int64_t count[3] = {0, 0, 0};
    Vec3 at(int64_t x, int64_t y, int64_t z) const {
        return first + Vec3{double(x) * step.x, double(y) * step.y, double(z) * step.z};
    }
    double cell() const { return step.x * step.y * step.z; }  ///< m^3
};
/// Centred in the bounds, so that a box of n spacings holds n particles, the outer ones half a spacing inside.
/// `fitted`: stretched to the bounds as sheet_distance() says.
Lattice lattice_in(const MeshFacts&, float spacing, bool fitted);

/// The lattice's places inside the mesh, z by z, y by y, x by x. `inside_out`: the mesh winds the other way. Throws
/// Error when its rows alone need more memory than `memory_limit` (bytes; 0 = what is left).
std::vector<Float3> lattice_inside(const Mesh&, const MeshFacts&, const Lattice&, bool inside_out, double memory_limit);

/// m^3 that are inside. Where parts of the mesh lie in each other, what they share counts once. Measured more finely
/// than the lattice does, which says how much work the mesh is worth.
double volume_inside(const Mesh&, const MeshFacts&, const Lattice&, bool inside_out);

/// How many places that would be, from some hundred thousand rows or places at most.
struct InsideCount {
    double places = 0;
    bool exact = false;  ///< none was left out
};
InsideCount count_inside_closed(TriangleSource&, const Lattice&, bool inside_out);
InsideCount count_inside_open(const Mesh&, const Lattice&, bool inside_out, double most_places = 1 << 15);

}  // namespace firn
