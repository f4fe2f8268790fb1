#pragma once

// What the particles do to bodies in a step. Every particle adds its push to the sums of the body that it touches, so
// that the cost does not grow with the number of bodies. The sums are exact: integers, which add up to the same in any
// order and in any division of the particles.

#include "particles/particle_view.h"

namespace firn::FIRN_LANES {

/// A float is an integer of 24 bits times a power of two. Sixteen neighbouring powers share one 64-bit integer: it
/// holds the sum of at least 2^24 floats exactly.
struct ExactSum {
    static constexpr uint32_t bins = 16;
    int64_t bin[bins];

    /// Numbers below 1e-38 and those that are not finite are left out.
    FIRN_HD void add(float value) {
        union {
            float number;
            uint32_t bits;
        } const as = {value};
        const uint32_t exponent = (as.bits >> 23) & 255u;
        if (exponent == 0 || exponent == 255) return;
        const int64_t size = int64_t((as.bits & 0x7fffffu) | 0x800000u) << (exponent % 16);
        Execution::add(&bin[exponent / 16], as.bits >> 31 ? -size : size);
    }
    FIRN_HD double value() const {
        double sum = 0, unit = 0x1p106;
        for (uint32_t b = bins; b-- > 0;) {
            unit /= 65536.0;  // 2^(16 b - 150)
            sum += double(bin[b]) * unit;
        }
        return sum;
    }
};

/// Force (N) and torque (N m, about the origin) on a body.
struct BodySums {
    ExactSum component[6];
};

struct ClearBodySums {
    BodySums* sums;
    FIRN_HD void operator()(uint32_t body) const {
        for (ExactSum& component : sums[body].component) component = ExactSum{};
    }
};

/// What a particle does to a boundary particle.
struct BoundaryPush {
    Vec3 force;   ///< N
    Vec3 torque;  ///< about the origin, N m
};

/// `Push` makes, for particle i, a function (boundary index, boundary record) -> BoundaryPush.
template <class Push>
struct PushBodies {
    ParticleView s;
    Push push;
    BodySums* sums;

    FIRN_HD void operator()(uint32_t i) const {
        const auto boundary = s.boundary_neighbours.row(i);
        if (boundary.length == 0) return;
        const auto push_on = push.of(i);
        Vec3 force = zero3(), torque = zero3();
        Real body = splat(-1.0f);
        for (uint32_t k = 0; k < boundary.length; ++k) {
            const Index index = boundary[k];
            const Vec4 b = gather4(s.boundary.position, index);
            // What fills up short lists has no volume and belongs to no body.
            const Real its = select(b.w > 0.0f, gather4(s.boundary.velocity, index).w, body);
            const Mask another = its != body;
            if (any(another)) {
                flush(i, another, body, force, torque);
                force = select(another, zero3(), force);
                torque = select(another, zero3(), torque);
                body = its;
            }
            const BoundaryPush pushed = push_on(index, b);
            force += pushed.force;
            torque += pushed.torque;
        }
        flush(i, body >= 0.0f, body, force, torque);
    }

    /// Adds up what the lanes of a mask have for their bodies.
    FIRN_HD void flush(uint32_t i, Mask which, Real body, const Vec3& force, const Vec3& torque) const {
        uint32_t bits = mask_bits(both(both(which, body >= 0.0f), below(i, count)));
        for (; bits; bits &= bits - 1) {
            const uint32_t l = lowest_bit(bits);
            BodySums& to = sums[static_cast<uint32_t>(lane(body, l))];
            to.component[0].add(lane(force.x, l));
            to.component[1].add(lane(force.y, l));
            to.component[2].add(lane(force.z, l));
            to.component[3].add(lane(torque.x, l));
            to.component[4].add(lane(torque.y, l));
            to.component[5].add(lane(torque.z, l));
        }
    }
    uint32_t count;  ///< of particles
};

/// impulse[6 * body + k], N s and N m s, from the sums.
struct BodyImpulses {
    const BodySums* sums;
    double dt;
    double* impulse;
    FIRN_HD void operator()(uint32_t k) const { impulse[k] = dt * sums[k / 6].component[k % 6].value(); }
};

}  // namespace firn::FIRN_LANES
