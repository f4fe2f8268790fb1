#pragma once

#include "samples/fill_lattice.h"

namespace firn {

/// Particles that fill the mesh evenly up to its surface, and at least one sheet of them where it is thinner than the
/// spacing (Kugelstadt 2021, section 7). The outermost are half a spacing inside, as a lattice's are.
std::vector<Float3> relaxed_inside(const Mesh&, const MeshFacts&, const Lattice&, bool inside_out, double memory_limit);

/// How many they are: as many as are there before the first is moved.
size_t relaxed_count(const Mesh&, const MeshFacts&, const Lattice&, bool inside_out);

}  // namespace firn
