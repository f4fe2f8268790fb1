#include "engine/time_step.h"

#include <algorithm>
#include <cmath>

namespace firn {

namespace {

/// How long something of speed v takes to fly so far, falling all the way, s.
double flight_time(const Float3& gravity, double distance, double v) {
    const double g =
        std::sqrt(double(gravity.x) * gravity.x + double(gravity.y) * gravity.y + double(gravity.z) * gravity.z);
    return 2 * distance / (v + std::sqrt(v * v + 2 * g * distance) + 1e-30);
}

}  // namespace

double longest_dt(const Parameters& p, const Speed& speed, double wave_speed, double remaining, double frame) {
    if (p.substeps > 0) return frame / p.substeps;
    const double dx = p.spacing;
    double dt = p.dt_max;
    // What flies as one piece, free of all forces, needs no more steps than keep it from flying past something.
    if (speed.free) dt = speed.difference > 0 ? std::max(dt, 0.01 * dx / speed.difference) : remaining;
    const double relative = std::max(speed.between, speed.approach);
    if (relative > 0) dt = std::min(dt, p.cfl * dx / relative);
    // Straight steps follow turns of up to a quarter radian; neighbours are up to two spacings apart.
    if (p.solver == Solver::joint && !speed.free && speed.difference > 0)
        dt = std::min(dt, 0.5 * dx / speed.difference);
    dt = std::min(dt, flight_time(p.gravity, p.cfl_flight * dx, speed.largest));
    if (p.cfl_wave > 0 && wave_speed > 0) dt = std::min(dt, p.cfl_wave * dx / wave_speed);
    return std::min(std::max(dt, double(p.dt_min)), remaining);
}

double choose_dt(const Parameters& p, double longest, double remaining, double frame) {
    if (p.substeps > 0) return frame / p.substeps;
    const double dt = std::max(longest, double(p.dt_min));
    double substeps_left = std::ceil(remaining / dt * (1 - 1e-9));
    // Not below dt_min either, unless dt_max forbids to take one fewer.
    if (substeps_left > 1 && remaining / substeps_left < p.dt_min && remaining / (substeps_left - 1) <= p.dt_max)
        --substeps_left;
    return remaining / substeps_left;
}

}  // namespace firn
