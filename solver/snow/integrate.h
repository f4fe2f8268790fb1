#pragma once

// The end of a step: strain, velocity and position (Gissler 2020, Algorithm 1, lines 8-13).

#include "snow/contact.h"

namespace firn::FIRN_LANES {

/// F_E from the gradient of the new velocity, and that gradient kept for the filter.
struct AdvanceStrain {
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const {
        const Sym correction = load_sym(s.correction, i);
        const FieldGradient g = field_gradient(s, s.second_vector, i, load(s.boundary_flux + i), correction);
        const Mat dt_gradient = splat(s.set.dt) * g.split();
        const Sym strain = load_sym(s.now.strain, i);
        const Real theta_c = s.material.theta_c.at(s.now.rank, i), theta_s = s.material.theta_s.at(s.now.rank, i);
        store_sym(s.next.strain, i,
                  s.set.objective ? advance_strain_objective(strain, dt_gradient, theta_c, theta_s)
                                  : advance_strain_published(strain, dt_gradient, theta_c, theta_s));
        if (s.set.filter > 0.0f) {
            Float4* record = s.stress + 3 * size_t(i);
            store4<3>(record, with_w(g.corrected.x, splat(0.0f)));
            store4<3>(record + 1, with_w(g.corrected.y, splat(0.0f)));
            store4<3>(record + 2, with_w(g.corrected.z, splat(0.0f)));
        }
    }
};

/// Takes out the motion between neighbours that no SPH gradient sees (hourglass modes): the part of their closing speed
/// that the mean of their velocity gradients does not explain. Along the line between them and mass-symmetric, so that
/// momentum and spin stay.
FIRN_HD Vec3 hourglass_correction(const SnowView& s, uint32_t i, const Vec4& own, const Vec4& velocity) {
    const Vec3 x = xyz(own), v = xyz(velocity);
    const Float4* record = s.stress + 3 * size_t(i);
    const Mat gradient = {xyz(load4<3>(record)), xyz(load4<3>(record + 1)), xyz(load4<3>(record + 2))};
    const Real volume_over_mass = own.w / max(velocity.w, splat(1e-30f));
    Vec3 change = zero3();
    const auto snow = s.snow_neighbours.row(i);
    for (uint32_t k = 0; k < snow.length; ++k) {
        const Index index = snow[k];
        const Vec4 j = gather4(s.now.position, index);
        const Vec4 vj = gather4(s.second_vector, index);
        const Mat other = {xyz(gather4<3>(s.stress, index)), xyz(gather4<3>(s.stress + 1, index)),
                           xyz(gather4<3>(s.stress + 2, index))};
        const Vec3 d = xyz(j) - x;
        const Real r_squared = dot(d, d);
        const Vec3 mean = splat(0.5f) * ((gradient + other) * d);
        const Real unexplained = dot(xyz(vj) - v - mean, d) / max(r_squared, splat(1e-20f));
        const Real weight = splat(0.5f) * (j.w + volume_over_mass * vj.w) * s.set.kernel.value(r_squared);
        change += (weight * unexplained) * d;
    }
    return splat(s.set.filter) * change;
}

/// Velocity and position; the maxima are 1 where something is not finite, and the squared speed.
struct Integrate {
    SnowView s;
    FIRN_HD Values<2> operator()(uint32_t i) const {
        const Vec4 own = load4(s.now.position + i);
        const Vec4 velocity = load4(s.second_vector + i);
        Vec3 v = xyz(velocity);
        if (s.set.filter > 0.0f) v += hourglass_correction(s, i, own, velocity);
        Vec3 travelled = splat(s.set.dt) * v;
        if (s.set.ballistic) {
            // What nothing but gravity and the given accelerations act on flies the exact parabola: half of a dt^2
            // less.
            const Vec3 a = external_acceleration(s, i);
            const Vec3 other = splat(1.0f / s.set.dt) * (v - xyz(load4(s.now.velocity + i))) - a;
            const Real a_squared = dot(a, a);
            const Real share = dot(other, other) / max(splat(0.01f) * a_squared, splat(1e-20f));
            const Real flying = max(splat(1.0f) - share, splat(0.0f));
            travelled = travelled - (splat(0.5f * s.set.dt * s.set.dt) * flying) * a;
        }
        const Vec3 x = xyz(own) + travelled;
        store4(s.next.position + i, with_w(x, own.w));
        store4(s.next.velocity + i, with_w(v, velocity.w));
        store(s.next.rank + i, load(s.now.rank + i));

        const Sym strain = load_sym(s.next.strain, i);
        const Real speed_squared = dot(v, v);
        const Real everything = dot(x, x) + speed_squared + abs(trace(strain)) + abs(strain.xy) + abs(strain.xz) +
                                abs(strain.yz) + abs(load(s.next.pressure + i));
        const Mask finite = everything < splat(1e37f);
        return {{select(finite, splat(0.0f), splat(1.0f)), select(finite, speed_squared, splat(0.0f))}};
    }
};

/// Largest speeds, squared: between neighbours along their line, towards the boundary, of the particles themselves, and
/// between neighbours in any direction.
struct Speeds {
    SnowView s;
    FIRN_HD Values<5> operator()(uint32_t i) const {
        const Vec3 x = xyz(load4(s.now.position + i));
        const Vec3 v = xyz(load4(s.now.velocity + i));
        const Real reach = splat(s.set.kernel.support_squared), zero = splat(0.0f);
        Real between = zero, approach = zero, difference = zero;
        const auto snow = s.snow_neighbours.row(i);
        for (uint32_t k = 0; k < snow.length; ++k) {
            const Vec3 d = x - xyz(gather4(s.now.position, snow[k]));
            const Real r_squared = dot(d, d);
            const Vec3 relative = v - xyz(gather4(s.now.velocity, snow[k]));
            const Real closing = dot(relative, d);
            const Real square = closing * closing / max(r_squared, splat(1e-20f));
            between = max(between, select(r_squared < reach, square, zero));
            difference = max(difference, select(r_squared < reach, dot(relative, relative), zero));
        }
        const auto boundary = s.boundary_neighbours.row(i);
        for (uint32_t k = 0; k < boundary.length; ++k) {
            const Vec3 d = x - xyz(gather4(s.boundary.position, boundary[k]));
            const Real r_squared = dot(d, d);
            const Real closing = min(dot(v - xyz(gather4(s.boundary.velocity, boundary[k])), d), zero);
            const Real square = closing * closing / max(r_squared, splat(1e-20f));
            approach = max(approach, select(r_squared < reach, square, zero));
        }
        const Sym e = load_sym(s.now.strain, i);
        const Real strain = max(max(max(abs(e.xx), abs(e.yy)), max(abs(e.zz), abs(e.xy))), max(abs(e.xz), abs(e.yz)));
        return {{between, approach, dot(v, v), difference, strain}};
    }
};

}  // namespace firn::FIRN_LANES
