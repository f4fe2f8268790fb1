#pragma once

// How long the next substep may be.

#include <functional>
#include <vector>

#include "boundary_bodies.h"
#include "firn/parameters.h"
#include "method_device.h"

namespace firn {

/// How long a substep may be, and what forbids a longer one.
struct LongestStep {
    double dt;  ///< s
    StepLimit::Kind kind;
    bool at_dt_min = false;  ///< what forbids it would have it shorter than dt_min
};

/// The longest substep that the particles' motion allows. `wave_speed` (m/s) is that of the stiffest material; 0 =
/// there are no waves. `remaining` seconds are left of the frame.
LongestStep longest_dt(const Parameters&, const Speed&, double wave_speed, double remaining, double frame);

/// The next substep, s: no longer than `longest` if dt_min allows that, in whole substeps to the end of the frame.
double choose_dt(const Parameters&, double longest, double remaining, double frame);

/// The limit with the particle that has the speed, whose id is `id`, and the body's name.
StepLimit step_limit(const LongestStep&, const Speed&, double wave_speed, const std::vector<KnownBody>&,
                     const std::function<int64_t(uint32_t rank)>& id);
/// The limit that a body on its way sets.
StepLimit step_limit(const Sweep&, const std::vector<KnownBody>&);

}  // namespace firn
