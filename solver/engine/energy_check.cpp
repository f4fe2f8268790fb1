#include "engine/energy_check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "firn/rigid_transform.h"

namespace firn {

namespace {

/// So many times as fast as what is near it may a particle become in a frame. Bodies count as fast as they throw off
/// what rests, (1 + bounce) V; what comes towards them at u leaves with bounce u + (1 + bounce) V, which is never more
/// than twice the larger; the rest is for snow that a fast body squeezes out.
constexpr double gain = 2.5;

double strongest(const std::vector<float>& of_particles, float of_body) {
    const auto most = std::max_element(of_particles.begin(), of_particles.end());
    return most == of_particles.end() ? of_body : *most;
}

double size(const Float3& a) {
    return std::hypot(a.x, a.y, a.z);
}

}  // namespace

EnergyCheck::EnergyCheck(const std::vector<KnownBody>& bodies, const Parameters& p, const DeviceOwner& owner,
                         const std::vector<BodyPlacement>& now, double frame, double duration, double air_speed)
    : parameters_(p),
      owner_(owner),
      before_(owner.device()->energy(p)),
      frame_(frame),
      duration_(duration),
      air_speed_(air_speed) {
    // Air drives nothing faster than itself.
    given_ = 0.5 * before_.mass * air_speed * air_speed;
    for (size_t k = 0; k < bodies.size(); ++k) {
        const KnownBody& b = bodies[k];
        adhesion_ = std::max(adhesion_, strongest(b.body.particle_adhesion, b.body.adhesion));
        const Travel t = travel(b);
        const double bounce = strongest(b.body.particle_bounce, b.body.bounce);
        body_speed_.push_back(static_cast<float>((1 + bounce) * t.distance / frame));
        if (b.body.motion == Motion::rigid && t.distance > 0) {
            rigid_.push_back({k, t, {}});
            apply_transform(b.now, b.pivot, rigid_.back().pivot);
        }
        // What presses from two sides leaves no impulse: all particles may be thrown off at twice the surface's speed.
        if (b.body.motion == Motion::deforming) given_ += 2 * before_.mass * std::pow(t.distance / frame, 2);
    }
    note_speeds(now, duration);
}

void EnergyCheck::note_speeds(const std::vector<BodyPlacement>& now, double duration) {
    owner_.device()->note_speeds(parameters_, duration, gain, now.data(), body_speed_.data(),
                                 static_cast<uint32_t>(body_speed_.size()));
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

double EnergyCheck::pull() const {
    // Adhesion's pull is about twice its number for snow of 400 kg/m^3.
    return std::max(size(parameters_.gravity), 1.0) + adhesion_ * parameters_.rest_density / 200.0;
}

std::string EnergyCheck::compare_all() const {
    const Energy after = owner_.device()->energy(parameters_);
    const double known = std::max(before_.kinetic + before_.potential - after.potential + given_, 0.0);
    // Given accelerations: dK/dt = sum m a.v <= sqrt(sum m a^2) sqrt(2 K).
    const double explained = std::pow(std::sqrt(known) + std::sqrt(0.5 * before_.forced) * time_, 2);
    // What a frame may get wrong: as much again, and what a fall of two spacings gives or adhesion's pull.
    if (after.kinetic <= 2 * explained + 2 * after.mass * pull() * parameters_.spacing) return {};
    char text[320];
    std::snprintf(
        text, sizeof text,
        "kinetic energy rose from %.3g J to %.3g J, but gravity, bodies, given forces and stored strain explain "
        "only %.3g J: this motion is an artefact; shorten dt_max or raise the solves' iterations, and check "
        "young_modulus, adhesion and snow that overlaps bodies",
        before_.kinetic, after.kinetic, explained);
    return text;
}

double EnergyCheck::allowance() const {
    // Twice what gravity gives in the frame, and what a fall of two spacings or adhesion gives: snow that rests has
    // that much room.
    return 2 * (size(parameters_.gravity) * duration_ + std::sqrt(2 * pull() * 2 * parameters_.spacing)) + air_speed_;
}

std::string EnergyCheck::compare(const std::function<int64_t(uint32_t)>& name_of) const {
    const std::string of_all = compare_all();
    if (!of_all.empty()) return of_all;
    const Thrown thrown = owner_.device()->thrown(parameters_, allowance());
    if (!thrown.count) return {};
    const bool one = thrown.count == 1;
    char text[360];
    std::snprintf(text, sizeof text,
                  "%llu grain%s thrown off at%s %.3g m/s (particle %lld), though nothing near %s was faster than "
                  "%.2g m/s: this motion is an artefact; shorten dt_max or raise the solves' iterations, and check "
                  "stiffness, hardening and snow that overlaps bodies",
                  static_cast<unsigned long long>(thrown.count), one ? " was" : "s were", one ? "" : " up to",
                  thrown.speed, static_cast<long long>(name_of(thrown.rank)), one ? "it" : "them",
                  (thrown.speed - allowance()) / gain);
    return text;
}

}  // namespace firn
