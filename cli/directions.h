#pragma once

#include "firn/vector.h"

namespace firn {

/// Three unit vectors at right angles.
struct Directions {
    Float3 right, up, forward;
};

/// Those around `forward` (unit), with `up` as near to the one given as can be.
Directions directions_around(const Float3& forward, const Float3& up);

}  // namespace firn
