#pragma once

#include "firn/vector.h"

namespace firn {

/// Smooth noise of space, -1..1 about zero mean, and its gradient: values at whole numbers, eased in between.
struct GrainNoise {
    float value;
    Float3 gradient;
};

GrainNoise grain_noise(const Float3& at);

}  // namespace firn
