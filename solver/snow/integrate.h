#pragma once

// The end of a step: strain, velocity and position (Gissler 2020, Algorithm 1, lines 8-13).

#include "snow/contact.h"
#include "snow/joint.h"

namespace firn::FIRN_LANES {

/// A vector that turns with the snow for a step.
FIRN_HD Vec3 turned(const Mat& gradient, float dt, const Vec3& a) {
    const Vec3 angle =
        (0.5f * dt) * Vec3{gradient.z.y - gradient.y.z, gradient.x.z - gradient.z.x, gradient.y.x - gradient.x.y};
    const Vec3 once = cross(angle, a);
    return a + once + 0.5f * cross(angle, once);
}

/// F_E from the gradient of the new velocity, and that gradient kept for the filter.
struct AdvanceStrain {
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const {
        const Sym correction = load_sym(s.correction, i);
        Misfit misfit = no_misfit();
        const FieldGradient g = field_gradient(s, s.allowed, i, load(s.boundary_flux + i), correction, &misfit);
        Mat dt_gradient = s.dt * (s.set.joint ? g.corrected : g.split());
        store3(s.after.misfit, i, s.set.joint ? advanced_misfit(i, misfit.rate, g.corrected) : zero3());
        // The next solve starts from this step's acceleration, which turns with the snow: left behind, it would spin a
        // body up.
        if (s.set.joint) {
            const Vec3 a = load3(s.after.shear_acceleration, i);
            store3(s.after.shear_acceleration, i, turned(g.corrected, s.dt, a));
        }
        const Sym strain = load_sym(s.before.strain, i);
        const Strength limit = strength(s, i);
        const StrainStep step = s.set.objective ? advance_strain_objective(strain, dt_gradient, limit)
                                                : advance_strain_published(strain, dt_gradient, limit);
        store_sym(s.after.strain, i, step.elastic);
        if (s.set.joint) {
            const Real before = load(s.after.damage + i);
            store(s.after.damage + i, damaged(before, step, load(s.compaction + i), s.set.softening, s.set.healed));
            keep_asleep(i);
        }
        if (s.set.filter > 0.0f) {
            Float4* record = s.velocity_gradient + 3 * size_t(i);
            store4<3>(record, with_w(g.corrected.x, splat(0.0f)));
            store4<3>(record + 1, with_w(g.corrected.y, splat(0.0f)));
            store4<3>(record + 2, with_w(g.corrected.z, splat(0.0f)));
        }
    }

    /// Snow that sleeps keeps the state that it fell asleep with, whatever of its surroundings is there.
    FIRN_HD void keep_asleep(uint32_t i) const {
        const Mask sleeps = asleep(s, i);
        if (!any(sleeps)) return;
        store_sym(s.after.strain, i, select(sleeps, load_sym(s.before.strain, i), load_sym(s.after.strain, i)));
        store3(s.after.misfit, i, select(sleeps, load3(s.before.misfit, i), load3(s.after.misfit, i)));
        store3(s.after.shear_acceleration, i,
               select(sleeps, load3(s.before.shear_acceleration, i), load3(s.after.shear_acceleration, i)));
        store(s.after.pressure + i, select(sleeps, load(s.before.pressure + i), load(s.after.pressure + i)));
        store(s.after.damage + i, select(sleeps, load(s.before.damage + i), load(s.after.damage + i)));
    }

    /// What stays of it is elastic, and turns with the snow.
    FIRN_HD Vec3 advanced_misfit(uint32_t i, const Vec3& rate, const Mat& gradient) const {
        const Vec3 shifted = load3(s.before.misfit, i) + s.dt * rate;
        return turned(gradient, s.dt, elastic_misfit(shifted, largest_misfit(s, i)) * shifted);
    }
};

/// Takes out the motion between neighbours that no SPH gradient sees (hourglass modes): the part of their closing speed
/// that the mean of their velocity gradients does not explain. Along the line between them and mass-symmetric, so that
/// momentum and spin stay.
FIRN_HD Vec3 hourglass_correction(const SnowView& s, uint32_t i, const Vec4& own, const Vec4& velocity) {
    const Vec3 x = xyz(own), v = xyz(velocity);
    const Float4* record = s.velocity_gradient + 3 * size_t(i);
    const Mat gradient = {xyz(load4<3>(record)), xyz(load4<3>(record + 1)), xyz(load4<3>(record + 2))};
    const Real volume_over_mass = own.w / max(velocity.w, 1e-30f);
    Vec3 change = zero3();
    const auto near = s.neighbours.row(i);
    for (uint32_t k = 0; k < near.length; ++k) {
        const Index index = near[k];
        const Vec4 j = gather4(s.now.position, index);
        const Vec4 vj = gather4(s.allowed, index);
        const Mat other = {xyz(gather4<3>(s.velocity_gradient, index)), xyz(gather4<3>(s.velocity_gradient + 1, index)),
                           xyz(gather4<3>(s.velocity_gradient + 2, index))};
        const Vec3 d = xyz(j) - x;
        const Real r_squared = dot(d, d);
        const Vec3 mean = 0.5f * ((gradient + other) * d);
        const Real unexplained = dot(xyz(vj) - v - mean, d) / max(r_squared, 1e-20f);
        const Real weight = 0.5f * (j.w + volume_over_mass * vj.w) * s.kernel.value(r_squared);
        change += (weight * unexplained) * d;
    }
    return s.set.filter * change;
}

/// Velocity and position; the maxima are 1 where something is not finite, and the squared speed.
struct Integrate {
    SnowView s;
    FIRN_HD Values<2> operator()(uint32_t i) const {
        const Vec4 own = load4(s.now.position + i);
        const Vec4 velocity = load4(s.allowed + i);
        Vec3 v = xyz(velocity);
        if (s.set.filter > 0.0f) v += hourglass_correction(s, i, own, velocity);
        Vec3 travelled = s.dt * v;
        if (s.set.ballistic) travelled -= ballistic_correction(i, v);
        const Vec3 x = xyz(own) + travelled;
        store4(s.next.position + i, with_w(x, own.w));
        store4(s.next.velocity + i, with_w(v, velocity.w));
        store(s.next.rank + i, load(s.now.rank + i));

        const Sym strain = load_sym(s.after.strain, i);
        const Real speed_squared = dot(v, v);
        const Real everything = dot(x, x) + speed_squared + abs(trace(strain)) + abs(strain.xy) + abs(strain.xz) +
                                abs(strain.yz) + abs(load(s.after.pressure + i));
        const Mask finite = everything < 1e37f;
        return {{select(finite, splat(0.0f), 1.0f), select(finite, speed_squared, 0.0f)}};
    }

    /// What nothing but gravity and the given accelerations act on flies the exact parabola: half of a dt^2 less.
    FIRN_HD Vec3 ballistic_correction(uint32_t i, const Vec3& v) const {
        const Vec3 a = external_acceleration(s, i);
        const Vec3 other = (1.0f / s.dt) * (v - xyz(load4(s.now.velocity + i))) - a;
        const Real share = dot(other, other) / max(0.01f * dot(a, a), 1e-20f);
        const Real flying = max(1.0f - share, 0.0f);
        return ((0.5f * s.dt * s.dt) * flying) * a;
    }
};

/// Elastic energy after the step, J: V (lambda tr(E)^2 / 2 + G E:E).
struct ElasticEnergy {
    SnowView s;
    FIRN_HD Values<1> operator()(uint32_t i) const {
        const Sym e = load_sym(s.after.strain, i);
        const Lame stiff = lame(s.material.young_modulus.at(s.now.rank, i), s.material.poisson_ratio.at(s.now.rank, i),
                                hardening_factor(s.material.hardening.at(s.now.rank, i), load(s.compaction + i),
                                                 s.set.softening, solid_compaction(s, i)));
        const Real squares = e.xx * e.xx + e.yy * e.yy + e.zz * e.zz + 2.0f * (e.xy * e.xy + e.xz * e.xz + e.yz * e.yz);
        const Real volume = particle_mass(s, i) / load(s.density + i);
        return {{volume * (0.5f * stiff.first * trace(e) * trace(e) + stiff.shear * squares)}};
    }
};

/// The largest element of the strain: 0 where snow flies free of stress.
struct StrainSize {
    Columns strain;
    FIRN_HD Real operator()(uint32_t i) const {
        const Sym e = load_sym(strain, i);
        return max(max(max(abs(e.xx), abs(e.yy)), max(abs(e.zz), abs(e.xy))), max(abs(e.xz), abs(e.yz)));
    }
};

}  // namespace firn::FIRN_LANES
