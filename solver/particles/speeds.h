#pragma once

// How fast particles move: what limits the next step.

#include "particles/particle_view.h"

namespace firn::FIRN_LANES {

/// Largest squared speeds: between neighbours along their line, towards boundaries, of particles, between neighbours
/// in any direction; and `tension(i)`, which is 0 for particles that the method leaves to fly.
template <class Tension>
struct Speeds {
    ParticleView s;
    Tension tension;
    FIRN_HD Values<5> operator()(uint32_t i) const {
        const Vec3 x = xyz(load4(s.now.position + i));
        const Vec3 v = xyz(load4(s.now.velocity + i));
        const float reach = s.kernel.support_squared;
        Real between = splat(0.0f), approach = splat(0.0f), difference = splat(0.0f);
        const auto near = s.neighbours.row(i);
        for (uint32_t k = 0; k < near.length; ++k) {
            const Vec3 d = x - xyz(gather4(s.now.position, near[k]));
            const Real r_squared = dot(d, d);
            const Vec3 relative = v - xyz(gather4(s.now.velocity, near[k]));
            const Real closing = dot(relative, d);
            const Real square = closing * closing / max(r_squared, 1e-20f);
            between = max(between, select(r_squared < reach, square, 0.0f));
            difference = max(difference, select(r_squared < reach, dot(relative, relative), 0.0f));
        }
        const auto boundary = s.boundary_neighbours.row(i);
        for (uint32_t k = 0; k < boundary.length; ++k) {
            const Vec3 d = x - xyz(gather4(s.boundary.position, boundary[k]));
            const Real r_squared = dot(d, d);
            const Real closing = min(dot(v - xyz(gather4(s.boundary.velocity, boundary[k])), d), 0.0f);
            const Real square = closing * closing / max(r_squared, 1e-20f);
            approach = max(approach, select(r_squared < reach, square, 0.0f));
        }
        return {{between, approach, dot(v, v), difference, tension(i)}};
    }
};

}  // namespace firn::FIRN_LANES
