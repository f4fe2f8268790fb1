#pragma once

#include <vector>

#include "firn/particles.h"

namespace firn {

/// What moving air does to loose snow, m/s^2, for Particles::acceleration. `drag` (1/s) is how fast a lone flake takes
/// on the wind's speed; snow with neighbours around it feels less, packed snow nothing. `wind` (m/s) has one velocity
/// for each particle, or one for all.
std::vector<Float3> wind_acceleration(const Particles&, const std::vector<Float3>& wind, float drag);

}  // namespace firn
