#pragma once

// How much the particles move, and what could move them: for a check that motion does not come from nowhere.

#include "particles/particle_view.h"

namespace firn::FIRN_LANES {

/// Kinetic and potential energy (J), m |a|^2 of the given accelerations (N m/s^2), and mass (kg).
struct Energies {
    ParticleView s;
    FIRN_HD Values<4> operator()(uint32_t i) const {
        const Vec4 velocity = load4(s.now.velocity + i);
        const Vec3 g = {splat(s.gravity[0]), splat(s.gravity[1]), splat(s.gravity[2])};
        const Vec3 given = external_acceleration(s, i) - g;
        const Real m = velocity.w;
        return {{0.5f * m * dot(xyz(velocity), xyz(velocity)), -m * dot(g, xyz(load4(s.now.position + i))),
                 m * dot(given, given), m}};
    }
};

}  // namespace firn::FIRN_LANES
