#pragma once

// The air as the parameters describe it, at one moment.

#include "firn/parameters.h"
#include "method_device.h"

namespace firn {

/// `time`: s from the beginning of the motion.
Air air_at(const Parameters&, double time);

}  // namespace firn
