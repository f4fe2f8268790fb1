#pragma once

// Moving colliders that are too thin to take snow along: boundary particles lie half a spacing below each side, so in a
// thinner one those of the two sides change places, and fast snow ends up behind it.

#include <string>
#include <utility>
#include <vector>

#include "scene.h"

namespace firn {

/// Whether it is worth a look: it moves, keeps snow outside, and what is known without a file does not make it thick.
bool may_be_thin(const Scene&, size_t collider);

/// Names the collider, its thickness and its speed, and says what to do; "" = thick or slow enough. `later`: meshes of
/// a sequence, as pairs of frames that follow each other; empty for a collider with keys. `most_crossings`: rays times
/// triangles, a limit of the work; too little for a look tells nothing.
std::string thinness_warning(const Scene&, size_t collider, const Mesh&,
                             const std::vector<std::pair<Mesh, Mesh>>& later, double most_crossings);

}  // namespace firn
