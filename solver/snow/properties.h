#pragma once

// What a step knows before it solves: density, correction matrix, stiffness, predicted velocity (Gissler 2020,
// Algorithm 1, lines 1-5).

#include "snow/law.h"
#include "snow/views.h"

namespace firn::FIRN_LANES {

/// Gissler 2020, Eq. 20, and the volumes V = m / rho that all further sums use.
struct Density {
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 own = load4(s.mass_position + i);
        const Vec3 x = xyz(own);
        Real rho = own.w * splat(s.set.kernel.norm);
        const auto snow = s.snow_neighbours.row(i);
        for (uint32_t k = 0; k < snow.length; ++k) {
            const Vec4 j = gather4(s.mass_position, snow[k]);
            const Vec3 d = x - xyz(j);
            rho = rho + j.w * s.set.kernel.value(dot(d, d));
        }
        const auto boundary = s.boundary_neighbours.row(i);
        if (boundary.length) {
            Real share = splat(0.0f);
            for (uint32_t k = 0; k < boundary.length; ++k) {
                const Vec4 b = gather4(s.boundary.position, boundary[k]);
                const Vec3 d = x - xyz(b);
                share = share + b.w * s.set.kernel.value(dot(d, d));
            }
            rho = rho + s.material.rest_density.at(s.now.rank, i) * share;
        }
        rho = max(rho, splat(1e-20f));  // the padding has no mass
        store(s.density + i, rho);
        store4(s.now.position + i, with_w(x, own.w / rho));
    }
};

/// Gravity and what the host added for the particle.
FIRN_HD Vec3 external_acceleration(const SnowView& s, uint32_t i) {
    Vec3 a = {splat(s.set.gravity[0]), splat(s.set.gravity[1]), splat(s.set.gravity[2])};
    if (s.acceleration[0]) {
        a += Vec3{gather(s.acceleration[0], s.now.rank + i), gather(s.acceleration[1], s.now.rank + i),
                  gather(s.acceleration[2], s.now.rank + i)};
    }
    return a;
}

/// Akinci 2013, the adhesion kernel: (-4 r^2 / h + 6 r - 2 h)^(1/4) between h / 2 and h.
FIRN_HD Real adhesion_kernel(Real r, float support) {
    const Real h = splat(support);
    const Real inside = splat(6.0f) * r - splat(4.0f) * r * r / h - splat(2.0f) * h;
    // Its zeros are h / 2 and h, so that the sign is the interval.
    return splat(0.007f / ::powf(support, 3.25f)) * sqrt(sqrt(max(inside, splat(0.0f))));
}

/// What the mean stress presses against at a boundary: Eq. 19's corrected gradient, or, in the symmetric form, the
/// plain one.
FIRN_HD Vec3 boundary_lever(const SnowView& s, const Sym& correction, const Vec3& gradient) {
    return s.set.symmetric ? gradient : correction * gradient;
}

/// m -= wd x d: the matrix of Eq. 15, sum V grad W x x_ji.
FIRN_HD void add_spread(Sym& m, const Vec3& wd, const Vec3& d) {
    m.xx = m.xx - wd.x * d.x;
    m.xy = m.xy - wd.x * d.y;
    m.xz = m.xz - wd.x * d.z;
    m.yy = m.yy - wd.y * d.y;
    m.yz = m.yz - wd.y * d.z;
    m.zz = m.zz - wd.z * d.z;
}

/// Sums over the boundary particles beside a snow particle.
struct BoundarySums {
    Vec3 gradient;  ///< sum_b V_b grad W_ib
    Vec3 pull;      ///< of adhesion
    Vec3 dragged;   ///< the velocity sum of Eq. 24
    Real drag;      ///< the sum of Eq. 25
    Real flux;      ///< sum_b V_b v_b . grad W_ib
    // Means over the surface nearby.
    Vec3 velocity;
    Real bounce, sticky;
};

/// Adds the boundary's share to the matrix of Eq. 15 on the way.
FIRN_HD BoundarySums sum_boundary(const SnowView& s, uint32_t i, const Vec3& x, Sym& spread) {
    const StepConstants& set = s.set;
    const Real zero = splat(0.0f);
    BoundarySums sums{zero3(), zero3(), zero3(), zero, zero, zero3(), zero, zero};
    Real weights = splat(1e-30f);
    const auto boundary = s.boundary_neighbours.row(i);
    for (uint32_t k = 0; k < boundary.length; ++k) {
        const Vec4 b = gather4(s.boundary.position, boundary[k]);
        const Vec4 vb = gather4(s.boundary.velocity, boundary[k]);
        const Vec4 surface = gather4(s.boundary.surface, boundary[k]);
        const Vec3 d = x - xyz(b);
        const Real r_squared = dot(d, d);
        const Real weight = b.w * set.kernel.slope(r_squared);
        const Vec3 wd = weight * d;
        sums.gradient += wd;
        add_spread(spread, wd, d);
        sums.flux = sums.flux + dot(xyz(vb), wd);
        const Real viscous = surface.x * weight * r_squared / (r_squared + splat(0.01f * set.spacing * set.spacing));
        sums.drag = sums.drag + viscous;
        sums.dragged += viscous * xyz(vb);
        const Real r = sqrt(r_squared);
        const Real strength = surface.y * b.w * adhesion_kernel(r, 2.0f * set.spacing);
        sums.pull += (strength / max(r, splat(1e-20f))) * d;
        const Real share = zero - weight;
        sums.velocity += share * xyz(vb);
        sums.bounce = sums.bounce + share * surface.z;
        sums.sticky = sums.sticky + share * surface.w;
        weights = weights + share;
    }
    const Real inverse = splat(1.0f) / weights;
    sums.velocity = inverse * sums.velocity;
    sums.bounce = inverse * sums.bounce;
    sums.sticky = inverse * sums.sticky;
    return sums;
}

/// Everything that a particle needs of its surroundings before the solves.
struct Properties {
    SnowView s;

    FIRN_HD void operator()(uint32_t i) const {
        const StepConstants& set = s.set;
        const Vec4 own = load4(s.now.position + i);
        const Vec3 x = xyz(own);
        const Vec4 velocity = load4(s.now.velocity + i);
        const Real dt = splat(set.dt);

        Vec3 sum = zero3();
        Sym spread = identity_times(splat(0.0f));                // the matrix of Eq. 15
        Real squares = splat(0.0f);                              // sum_j V_j |grad W|^2
        Real rates = splat(0.0f), rate_weights = splat(1e-30f);  // strain rate between neighbours, squared
        const auto snow = s.snow_neighbours.row(i);
        for (uint32_t k = 0; k < snow.length; ++k) {
            const Vec4 j = gather4(s.now.position, snow[k]);
            const Vec3 d = x - xyz(j);
            const Real r_squared = dot(d, d);
            const Real slope = snow.slope(k, set.kernel, r_squared);
            const Real weight = j.w * slope;
            const Vec3 wd = weight * d;
            sum += wd;
            add_spread(spread, wd, d);
            squares = squares + weight * slope * r_squared;
            if (set.damping > 0.0f) {
                const Real closing = dot(xyz(velocity) - xyz(gather4(s.now.velocity, snow[k])), wd);
                rates = rates - closing * closing / (weight * r_squared - splat(1e-30f));
                rate_weights = rate_weights - weight * r_squared;
            }
        }
        store3(s.gradient_sum, i, sum);
        const bool beside_boundary = s.boundary_neighbours.row(i).length > 0;
        BoundarySums boundary;
        if (beside_boundary) boundary = sum_boundary(s, i, x, spread);

        // Stiffness. The surface reads missing neighbours as low density; the spread tells how many are missing.
        const Real rho = load(s.density + i), rho0 = s.material.rest_density.at(s.now.rank, i);
        const Sym strain = load_sym(s.now.strain, i);
        const Real volume_strain = abs(det_minus_one(strain) + splat(1.0f)) - splat(1.0f);
        Real rest_density_now = rho * (splat(1.0f) + volume_strain);  // Eq. 21
        if (set.surface_floor > 0.0f) {
            const Real fill = splat(1.0f / 3.0f) * trace(spread);
            rest_density_now = rest_density_now / min(max(fill, splat(set.surface_floor)), splat(1.0f));
        }
        const Real factor = hardening_factor(s.material.hardening.at(s.now.rank, i), rest_density_now, rho0);
        const Lame modulus =
            lame(s.material.young_modulus.at(s.now.rank, i), s.material.poisson_ratio.at(s.now.rank, i), factor);
        store(s.compaction + i, factor);
        store(s.shear_modulus + i, modulus.shear);
        store(s.first_lame + i, modulus.first);
        store(s.volume_strain + i, volume_strain);
        const Sym correction = pseudo_inverse(spread, set.flatness);
        store_sym(s.correction, i, correction);

        // Known accelerations: gravity and others, and what the boundary does.
        Vec3 v = xyz(velocity) + dt * external_acceleration(s, i);
        Vec3 boundary_sum = zero3();
        Real flux = splat(0.0f);
        if (beside_boundary) {
            v = v + (splat(0.0f) - dt * rho0) * boundary.pull;
            const Real held = share_held(boundary, xyz(velocity), volume_strain, squares <= splat(0.0f), i);
            boundary_sum = held * boundary.gradient;
            flux = held * boundary.flux;
        }
        if (set.viscous_friction) {
            const Vec3 before = v;
            if (beside_boundary) v = viscous_friction(boundary, v);
            store3(s.impulse, i, velocity.w * (v - before));
        }
        store3(s.boundary_sum, i, boundary_sum);
        store(s.boundary_flux + i, flux);
        store4(s.predicted + i, with_w(v, velocity.w));

        // Damping looks ahead in time, but no further than half the way to yield: it must not brake plastic flow.
        Real lag = dt;
        if (set.damping > 0.0f) {
            const Real rate = sqrt(rates / rate_weights);
            const Real limit = splat(0.5f) * s.material.theta_c.at(s.now.rank, i) / max(rate, splat(1e-20f));
            lag = dt + min(splat(set.damping), limit);
        }
        store(s.lag + i, lag);

        // Gissler 2020, Eq. 8 with V_i V_j in the first sum (Chunnoo 2022, 3.16), divided by rho.
        const Vec3 pressed = sum + splat(set.boundary_pressure) * boundary_sum;
        const Real laplacian = own.w * squares + dot(pressed, sum + boundary_sum);
        Real stiffness = splat(0.0f);
        if (!set.incompressible) stiffness = (splat(1.0f) + volume_strain) / max(modulus.first, splat(1e-20f));
        store(s.diagonal + i, splat(0.0f) - stiffness - dt * lag / rho * laplacian);
    }

    /// How much of the boundary's forces acts. Tension across a surface that is not sticky, and the pressure on a lone
    /// flake that may bounce, are dropped. Gradually in stretch and in parting speed: a switch would make resting snow
    /// tremble.
    FIRN_HD Real share_held(const BoundarySums& b, const Vec3& velocity, Real volume_strain, Mask alone,
                            uint32_t i) const {
        const Real one = splat(1.0f), zero = splat(0.0f);
        Real held = one;
        if (s.set.separation) {
            const Real length = max(sqrt(dot(b.gradient, b.gradient)), splat(1e-20f));
            const Real parting = (zero - dot(velocity - b.velocity, b.gradient)) / length;
            const Real theta_s = max(s.material.theta_s.at(s.now.rank, i), splat(1e-6f));
            const Real stretched = unit(volume_strain / (splat(0.5f) * theta_s));
            held = one - stretched * unit(parting * splat(1.0f / s.set.parting_speed)) * (one - unit(b.sticky));
        }
        if (s.set.contact) held = select(both(alone, b.bounce > zero), zero, held);
        return held;
    }

    /// Gissler 2020, Eq. 24 and 25: all components, solved implicitly.
    FIRN_HD Vec3 viscous_friction(const BoundarySums& b, const Vec3& v) const {
        const Real dt = splat(s.set.dt);
        return (splat(1.0f) / (splat(1.0f) - dt * b.drag)) * (v - dt * b.dragged);
    }

    FIRN_HD static Real unit(Real a) { return min(max(a, splat(0.0f)), splat(1.0f)); }
};

}  // namespace firn::FIRN_LANES
