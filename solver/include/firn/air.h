#pragma once

#include "firn/parameters.h"

namespace firn {

/// Whether there is any air: the law of flakes, or the linear one with a drag above 0.
bool has_air(const Parameters&);

/// Wind and gusts at a place (m), `time` seconds after the beginning of the motion, m/s; 0 without air. What the host
/// adds for each particle is not in it.
Float3 air_velocity(const Parameters&, const Float3& at, double time);

}  // namespace firn
