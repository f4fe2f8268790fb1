#pragma once

// Snow that rests falls asleep, and wakes when something stirs it. A particle that sleeps stands still and bears what
// its surroundings do to it; so neither it nor what lies behind it needs to be solved for.

#include "snow/views.h"

namespace firn::FIRN_LANES {

/// At the end of a step: who falls asleep, who wakes. The maxima are 1 where anybody sleeps; and 1 where a loose grain
/// woke, 2 where one that is part of a body of sleeping snow did.
struct FallAsleep {
    SnowView s;
    static constexpr float never = 1e30f;  ///< StepConstants::sleep_after

    /// What is around a particle.
    struct Surroundings {
        Mask stirring;  ///< something near moves fast enough to wake it
        Mask restless;  ///< something near has not rested long enough
        Mask awake;     ///< some snow near is awake
        Mask body;      ///< most of what is near sleeps
    };

    FIRN_HD Values<2> operator()(uint32_t i) const {
        const Real zero = splat(0.0f), one = splat(1.0f);
        const Real before = load(s.before.calm + i);
        const Vec4 velocity = load4(s.next.velocity + i);
        const Mask slept = before >= s.set.sleep_after;
        const Mask still = dot(xyz(velocity), xyz(velocity)) < s.set.sleep_speed * s.set.sleep_speed;
        const float passed = s.set.sleep_after < never ? s.dt : 0.0f;
        Real waking = zero;
        Real calm = select(slept, before, select(still, before + passed, zero));
        Mask sleeps = calm >= s.set.sleep_after;
        Vec3 support = zero3();
        Real bearer = zero;
        if (any(sleeps)) {
            const Surroundings near = look_around(i);
            // What nothing bears counts where moving snow is near: only there are all neighbours sure to be known.
            const Mask pushed = both(near.awake, load(s.after.calm + i) <= 0.0f);
            const Mask woken = both(slept, either(near.stirring, pushed));
            waking = select(woken, select(near.body, splat(2.0f), one), zero);
            calm = select(woken, zero, calm);
            // Ready, but for its surroundings.
            const Mask ready = both(sleeps, before < s.set.sleep_after);
            calm = select(both(ready, near.restless), splat(0.99f * s.set.sleep_after), calm);
            sleeps = calm >= s.set.sleep_after;
            const Mask falls = both(ready, sleeps);
            support = select(sleeps, load3(s.before.support, i), support);
            bearer = select(sleeps, load(s.before.bearer + i), bearer);
            if (any(falls)) {
                store4(s.next.velocity + i, with_w(select(falls, zero3(), xyz(velocity)), velocity.w));
                if (s.boundary_neighbours.row(i).length > 0) {
                    const Vec3 push = (1.0f / s.dt) * load3(s.impulse, i);
                    const Mask borne = both(falls, dot(push, push) > 0.0f);
                    support = select(borne, push, support);
                    bearer = select(borne, gather4(s.boundary.velocity, index_at(s.nearest + i)).w + 1.0f, bearer);
                }
            }
        }
        store(s.after.calm + i, calm);
        store3(s.after.support, i, support);
        store(s.after.bearer + i, bearer);
        return {{select(sleeps, one, zero), waking}};
    }

    FIRN_HD Surroundings look_around(uint32_t i) const {
        const Real none = splat(0.0f), one = splat(1.0f);
        const Vec3 x = xyz(load4(s.now.position + i));
        const float stirring_squared = s.set.wake_speed * s.set.wake_speed;
        Real stirring = none, restless = none, awake = none, sleepers = none;
        const auto near = s.neighbours.row(i);
        for (uint32_t k = 0; k < near.length; ++k) {
            const Vec3 d = x - xyz(gather4(s.now.position, near[k]));
            const Vec3 v = xyz(gather4(s.allowed, near[k]));
            const Real calm = gather(s.before.calm, near[k]);
            const Mask there = dot(d, d) < s.kernel.support_squared;
            const Mask stays_awake = both(there, calm < s.set.sleep_after);
            awake = select(stays_awake, one, awake);
            sleepers += select(both(there, calm >= s.set.sleep_after), one, none);
            stirring = select(both(stays_awake, dot(v, v) > stirring_squared), one, stirring);
            restless = select(both(there, calm < 0.5f * s.set.sleep_after), one, restless);
        }
        const auto boundary = s.boundary_neighbours.row(i);
        for (uint32_t k = 0; k < boundary.length; ++k) {
            const Vec4 b = gather4(s.boundary.position, boundary[k]);
            const Vec3 d = x - xyz(b), v = xyz(gather4(s.boundary.velocity, boundary[k]));
            const Mask there = dot(d, d) < s.kernel.support_squared;
            // Adhesion is a pull that changes with every move: what feels it stays awake.
            const Mask pulls = gather4(s.boundary.surface, boundary[k]).y > 0.0f;
            const Mask moves = dot(v, v) > s.set.sleep_speed * s.set.sleep_speed;
            stirring = select(both(there, moves), one, stirring);
            restless = select(both(there, either(moves, pulls)), one, restless);
        }
        // What the host pushes stays awake.
        if (s.acceleration[0]) {
            const Vec3 a =
                external_acceleration(s, i) - Vec3{splat(s.gravity[0]), splat(s.gravity[1]), splat(s.gravity[2])};
            restless = select(dot(a, a) > 0.0f, one, restless);
        }
        return {stirring > 0.5f, restless > 0.5f, awake > 0.5f, sleepers > 11.5f};
    }
};

/// Who woke in a step is awake before it.
struct WakeBefore {
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const {
        const Real calm = load(s.before.calm + i), damage = load(s.before.damage + i), zero = splat(0.0f);
        const Mask woken = both(calm >= s.set.sleep_after, load(s.after.calm + i) <= 0.0f);
        if (!any(woken)) return;
        store(s.before.calm + i, select(woken, zero, calm));
        store3(s.before.support, i, select(woken, zero3(), load3(s.before.support, i)));
        store(s.before.bearer + i, select(woken, zero, load(s.before.bearer + i)));
        if (s.set.healing_time <= 0.0f) return;
        // Bonds have formed all the while.
        const Real slept = max(calm - s.set.sleep_after, 0.0f);
        const Real left = exp(max(slept * (-1.0f / s.set.healing_time), -80.0f));
        store(s.before.damage + i, select(woken, left * damage, damage));
    }
};

}  // namespace firn::FIRN_LANES
