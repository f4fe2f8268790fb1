#include "engine/energy_check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "firn/rigid_transform.h"

namespace firn {

namespace {

double strongest_adhesion(const Body& b) {
    const auto most = std::max_element(b.particle_adhesion.begin(), b.particle_adhesion.end());
    return most == b.particle_adhesion.end() ? b.adhesion : *most;
}

double size(const Float3& a) {
    return std::hypot(a.x, a.y, a.z);
}

}  // namespace

EnergyCheck::EnergyCheck(const std::vector<KnownBody>& bodies, const Parameters& p, const Energy& before, double frame,
                         double air_speed)
    : parameters_(p), before_(before), frame_(frame) {
    // Air drives nothing faster than itself.
    given_ = 0.5 * before.mass * air_speed * air_speed;
    for (size_t k = 0; k < bodies.size(); ++k) {
        const KnownBody& b = bodies[k];
        adhesion_ = std::max(adhesion_, strongest_adhesion(b.body));
        const Travel t = travel(b);
        if (b.body.motion == Motion::rigid && t.distance > 0) {
            rigid_.push_back({k, t, {}});
            apply_transform(b.now, b.pivot, rigid_.back().pivot);
        }
        // What presses from two sides leaves no impulse: all particles may be thrown off at twice the surface's speed.
        if (b.body.motion == Motion::deforming) given_ += 2 * before.mass * std::pow(t.distance / frame, 2);
    }
}

void EnergyCheck::add(double time, double dt, const double* impulse) {
    time_ += dt;
    for (const Moving& m : rigid_) {
        const double *force = impulse + 6 * m.body, *torque = force + 3, *w = m.travel.turned;
        double pivot[3];
        for (int c = 0; c < 3; ++c) pivot[c] = m.pivot[c] + (time + 0.5 * dt) / frame_ * m.travel.moved[c];
        const double swung[3] = {w[1] * pivot[2] - w[2] * pivot[1], w[2] * pivot[0] - w[0] * pivot[2],
                                 w[0] * pivot[1] - w[1] * pivot[0]};
        // The impulses are the particles' on the body.
        for (int c = 0; c < 3; ++c)
            given_ -= (force[c] * (m.travel.moved[c] - swung[c]) + torque[c] * m.travel.turned[c]) / frame_;
    }
}

std::string EnergyCheck::compare(const Energy& after) const {
    const double dx = parameters_.spacing;
    const double known = std::max(before_.kinetic + before_.potential - after.potential + given_, 0.0);
    // Given accelerations: dK/dt = sum m a.v <= sqrt(sum m a^2) sqrt(2 K).
    const double explained = std::pow(std::sqrt(known) + std::sqrt(0.5 * before_.forced) * time_, 2);
    // What a frame may get wrong: as much again, and what a fall of two spacings gives or adhesion's pull, which is
    // about twice its number for snow of 400 kg/m^3.
    const double pull = std::max(size(parameters_.gravity), 1.0) + adhesion_ * parameters_.rest_density / 200.0;
    if (after.kinetic <= 2 * explained + 2 * after.mass * pull * dx) return {};
    char text[320];
    std::snprintf(
        text, sizeof text,
        "kinetic energy rose from %.3g J to %.3g J, but gravity, bodies, given forces and stored strain explain "
        "only %.3g J: this motion is an artefact; shorten dt_max or raise the solves' iterations, and check "
        "stiffness, adhesion and snow that overlaps bodies",
        before_.kinetic, after.kinetic, explained);
    return text;
}

}  // namespace firn
