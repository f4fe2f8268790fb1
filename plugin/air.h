#pragma once

// Wind and forces that come as geometry: VDBs, or points that know a particle by its id.

#include <GU/GU_Detail.h>

#include <vector>

#include "firn/particles.h"

namespace firn {

/// What the air and other forces do to each particle, m/s^2; empty = nothing.
/// `wind` (m/s) and `drag` (1/s) hold everywhere. `input` may be null; in it
///  - a vector VDB named wind, vel or v is the velocity of the air (m/s), added to `wind`;
///  - a vector VDB named force or acceleration is an acceleration (m/s^2);
///  - points with an id and a force or acceleration give it (m/s^2) to the particle of the same id.
/// Particles::acceleration is added. Throws Error for what can't be understood.
std::vector<Float3> air_acceleration(const Particles&, const GU_Detail* input, const Float3& wind, float drag);

}  // namespace firn
