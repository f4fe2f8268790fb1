#pragma once

#include <cstdint>

#include "firn/scattered.h"
#include "scene.h"

namespace firn {

/// Smooth over space, -1..1, with lumps of size 1 and finer ones of half the strength.
double smooth_noise(double x, double y, double z, uint32_t seed);

/// What a material's value is multiplied by at a point (m).
float noise_factor(const Noise&, const Float3&);

}  // namespace firn
