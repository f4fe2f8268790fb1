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

LongestStep longest_dt(const Parameters& p, const Speed& speed, double wave_speed, double remaining, double frame) {
    if (p.substeps > 0) return {frame / p.substeps, StepLimit::fixed};
    const double dx = p.spacing;
    LongestStep step{p.dt_max, StepLimit::dt_max};
    const auto limit = [&](double dt, StepLimit::Kind kind) {
        if (dt < step.dt) step = {dt, kind};
    };
    // What flies as one piece, free of all forces, needs no more steps than keep it from flying past something.
    if (speed.free && !(speed.difference > 0)) {
        step = {remaining, StepLimit::frame};
    } else if (speed.free && 0.01 * dx / speed.difference > step.dt) {
        step = {0.01 * dx / speed.difference, StepLimit::drifting};
    }
    // Where yield and contact are part of the solve, snow may move twice as far: what it bears and where surfaces stop
    // it does not depend on the step.
    const double reach = p.solver == Solver::joint ? 2 * p.cfl : p.cfl;
    const double relative = std::max(speed.between, speed.approach);
    if (relative > 0)
        limit(reach * dx / relative, speed.approach > speed.between ? StepLimit::surface : StepLimit::neighbours);
    // Straight steps follow turns of up to a quarter radian; neighbours are up to two spacings apart.
    if (p.solver == Solver::joint && !speed.free && speed.difference > 0)
        limit(0.5 * dx / speed.difference, StepLimit::turning);
    limit(flight_time(p.gravity, p.cfl_flight * dx, speed.largest), StepLimit::flight);
    // Beyond, the joint solve comes to no end when stiff snow hits something.
    if (p.solver == Solver::joint && !speed.free && wave_speed > 0) limit(60 * dx / wave_speed, StepLimit::stiffness);
    if (p.cfl_wave > 0 && wave_speed > 0) limit(p.cfl_wave * dx / wave_speed, StepLimit::wave);
    if (step.dt < p.dt_min) {
        step.dt = p.dt_min;
        step.at_dt_min = true;
    }
    if (step.dt >= remaining) step = {remaining, StepLimit::frame};
    return step;
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

StepLimit step_limit(const LongestStep& step, const Speed& speed, double wave_speed,
                     const std::vector<KnownBody>& bodies, const std::function<int64_t(uint32_t rank)>& id) {
    StepLimit limit;
    limit.kind = step.kind;
    limit.at_dt_min = step.at_dt_min;
    const auto of = [&](Speed::Of which, double value) {
        const PlacedParticle& at = speed.at[which];
        limit.speed = value;
        limit.particle = id(at.rank);
        limit.place = {at.position[0], at.position[1], at.position[2]};
        if (at.body >= 0 && static_cast<size_t>(at.body) < bodies.size())
            limit.body_name = bodies[static_cast<size_t>(at.body)].body.name;
    };
    switch (step.kind) {
        case StepLimit::neighbours:
            of(Speed::of_between, speed.between);
            break;
        case StepLimit::surface:
            of(Speed::of_approach, speed.approach);
            break;
        case StepLimit::turning:
        case StepLimit::drifting:
            of(Speed::of_difference, speed.difference);
            break;
        case StepLimit::flight:
            of(Speed::of_largest, speed.largest);
            break;
        case StepLimit::stiffness:
        case StepLimit::wave:
            limit.speed = wave_speed;
            break;
        case StepLimit::frame:
        case StepLimit::dt_max:
        case StepLimit::fixed:
        case StepLimit::body:
            break;
    }
    return limit;
}

StepLimit step_limit(const Sweep& sweep, const std::vector<KnownBody>& bodies) {
    StepLimit limit;
    limit.kind = StepLimit::body;
    limit.speed = sweep.speed;
    limit.body_name = bodies[sweep.body].body.name;
    return limit;
}

}  // namespace firn
