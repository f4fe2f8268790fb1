#pragma once

// Wind and forces given as geometry: VDBs, or points whose id names the particle that they push.

#include <GU/GU_Detail.h>

#include "firn/particles.h"

namespace firn {

/// Adds what the input holds to Particles::air_velocity and Particles::acceleration:
///  - a vector VDB named wind, vel or v is the velocity of the air (m/s) besides the solver's own wind;
///  - a vector VDB named force or acceleration is an acceleration (m/s^2);
///  - points with an id and a force or acceleration give it (m/s^2) to the particle of the same id.
/// Throws Error for input that is none of these. True if there was a wind.
bool add_wind_and_forces(Particles&, const GU_Detail& input);

}  // namespace firn
