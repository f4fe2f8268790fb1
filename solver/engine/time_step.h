#pragma once

// How long the next substep may be.

#include "firn/parameters.h"
#include "method_device.h"

namespace firn {

/// The longest substep that the particles' motion allows, s. `wave_speed` (m/s) is that of the stiffest material; 0 =
/// there are no waves. `remaining` seconds are left of the frame.
double longest_dt(const Parameters&, const Speed&, double wave_speed, double remaining, double frame);

/// The next substep, s: no longer than `longest` if dt_min allows that, in whole substeps to the end of the frame.
double choose_dt(const Parameters&, double longest, double remaining, double frame);

}  // namespace firn
