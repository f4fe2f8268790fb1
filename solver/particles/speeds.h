#pragma once

// How fast particles move: what limits the next step.

#include "method_device.h"
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

/// Once: the particles that have the largest speeds, from their places behind the five maxima. Five numbers each: rank,
/// position and the body that it moves towards, as far as that is asked.
struct NameFastest {
    ParticleView s;
    double* extremes;  ///< five values, five places, then out
    static constexpr uint32_t values = 5, named = 4, fields = 5;

    FIRN_HD void operator()() const {
        for (uint32_t k = 0; k < named; ++k) {
            const uint32_t i = static_cast<uint32_t>(extremes[values + k]);
            double* const out = extremes + 2 * values + fields * k;
            const Float4 x = s.now.position[i];
            out[0] = s.now.rank[i];
            out[1] = x.x;
            out[2] = x.y;
            out[3] = x.z;
            out[4] = k == Speed::of_approach && extremes[k] > 0 ? approached(i) : -1.0;
        }
    }

    /// The body of the boundary particle that i comes nearest to fastest.
    FIRN_HD double approached(uint32_t i) const {
        const uint32_t block = i - i % lane_width, own = i % lane_width;
        const Vec3 x = xyz(load4(s.now.position + block)), v = xyz(load4(s.now.velocity + block));
        const auto boundary = s.boundary_neighbours.row(block);
        Real most = splat(-1.0f), body = splat(-1.0f);
        for (uint32_t k = 0; k < boundary.length; ++k) {
            const Vec3 d = x - xyz(gather4(s.boundary.position, boundary[k]));
            const Vec4 moving = gather4(s.boundary.velocity, boundary[k]);
            const Real r_squared = dot(d, d), closing = min(dot(v - xyz(moving), d), 0.0f);
            const Real square =
                select(r_squared < s.kernel.support_squared, closing * closing / max(r_squared, 1e-20f), -1.0f);
            body = select(square > most, moving.w, body);
            most = max(most, square);
        }
        return lane(body, own);
    }
};

}  // namespace firn::FIRN_LANES
