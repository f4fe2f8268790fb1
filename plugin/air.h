#pragma once

// Wind and forces given as geometry: VDBs, or points whose id names the particle that they push.

#include <GU/GU_Detail.h>

#include <vector>

#include "firn/particles.h"

namespace firn {

/// Acceleration of each particle by the air and other forces, m/s^2; empty = none.
/// `wind` (m/s) and `drag` (1/s) apply everywhere. `input` may be null; in it
///  - a vector VDB named wind, vel or v is the velocity of the air (m/s), added to `wind`;
///  - a vector VDB named force or acceleration is an acceleration (m/s^2);
///  - points with an id and a force or acceleration give it (m/s^2) to the particle of the same id.
/// Particles::acceleration is added. Throws Error for input that is none of these.
std::vector<Float3> air_acceleration(const Particles&, const GU_Detail* input, const Float3& wind, float drag);

}  // namespace firn
