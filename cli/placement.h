#pragma once

#include "scene.h"

namespace firn {

/// Where the collider is at a frame: by its keys, or where it was placed. Without the scale.
Transform placement_at(const Collider&, double frame);

/// What carries a body from one placement to the other.
Transform motion_between(const Transform& from, const Transform& to);

Float3 apply_transform(const Transform&, const Float3&);
/// The rotation alone.
Float3 turned(const Transform&, const Float3&);

}  // namespace firn
