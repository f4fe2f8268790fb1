#pragma once

#include "firn/rigid_transform.h"
#include "scene.h"

namespace firn {

/// Where the collider is at a frame: by its keys, or where it was placed. Without the scale.
Transform placement_at(const Collider&, double frame);

}  // namespace firn
