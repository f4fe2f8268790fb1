#pragma once

// A body of snow as places for particles, and how many these are before they are made.

#include <string>
#include <vector>

#include "firn/counts.h"
#include "scene.h"

namespace firn {

/// The places of a body's particles, m, world. Throws Error with the place in the scene file; warnings name the body.
Filling fill_snow(const Snow&, const Scene&);

/// m, what a body of snow lies within.
struct Bounds {
    Float3 low, high;
};

/// How many particles fill_snow() makes, or a file of particles has. Throws the same errors, but for memory.
/// `twin`: of a body of the same shape, if there is one that was counted already. `placed`: where it is, if anyone
/// asks.
Count count_snow(const Snow&, const Scene&, const Count* twin = nullptr, Bounds* placed = nullptr);

/// The place of the collider that a layer lies on.
size_t collider_under(const Snow&, const Scene&);

}  // namespace firn
