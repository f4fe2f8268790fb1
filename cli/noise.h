#pragma once

#include <cstdint>

#include "scene.h"

namespace firn {

/// A number that depends on all of these and looks like chance: the same on every machine.
uint64_t scattered(uint64_t a, uint64_t b = 0, uint64_t c = 0, uint64_t d = 0);
/// The same as 0 <= x < 1.
double scattered_unit(uint64_t a, uint64_t b = 0, uint64_t c = 0, uint64_t d = 0);

/// Smooth over space, -1..1, with lumps of size 1 and finer ones of half the strength.
double smooth_noise(double x, double y, double z, uint32_t seed);

/// What a material's value is multiplied by at a point (m).
float noise_factor(const Noise&, const Float3&);

}  // namespace firn
