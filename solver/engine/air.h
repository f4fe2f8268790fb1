#pragma once

// The air as the parameters describe it, at one moment.

#include "firn/parameters.h"
#include "method_device.h"

namespace firn {

/// `time`: s from the beginning of the motion.
Air air_at(const Parameters&, double time);

/// How fast the air may be anywhere, m/s; 0 without air. `local` is the fastest that the host adds.
double fastest_air(const Parameters&, double local);

}  // namespace firn
