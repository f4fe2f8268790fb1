#pragma once

// How long the next substep may be.

#include "firn/parameters.h"
#include "method_device.h"

namespace firn {

/// The next substep, s: what the motion allows, in whole substeps to the end of the frame, of which `remaining` seconds
/// are left. `wave_speed` (m/s) is that of the stiffest material; 0 = there are no waves.
double choose_dt(const Parameters&, const Speed&, double wave_speed, double remaining, double frame);

}  // namespace firn
