#pragma once

// What a step knows before it solves: density, correction matrix, stiffness, predicted velocity (Gissler 2020,
// Algorithm 1, lines 1-5).

#include "snow/law.h"
#include "snow/views.h"

namespace firn::FIRN_LANES {

/// What the density sums gather: one record for each particle.
struct PlaceMasses {
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const {
        store4(s.mass_position + i, with_w(xyz(load4(s.now.position + i)), load4(s.now.velocity + i).w));
    }
};

/// Gissler 2020, Eq. 20, and the volumes V = m / rho that all further sums use.
struct Density {
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 own = load4(s.mass_position + i);
        const Vec3 x = xyz(own);
        Real rho = own.w * s.kernel.norm;
        const auto near = s.neighbours.row(i);
        for (uint32_t k = 0; k < near.length; ++k) {
            const Vec4 j = gather4(s.mass_position, near[k]);
            const Vec3 d = x - xyz(j);
            rho += j.w * s.kernel.value(dot(d, d));
        }
        const auto boundary = s.boundary_neighbours.row(i);
        if (boundary.length) {
            Real share = splat(0.0f);
            for (uint32_t k = 0; k < boundary.length; ++k) {
                const Vec4 b = gather4(s.boundary.position, boundary[k]);
                const Vec3 d = x - xyz(b);
                share += b.w * s.kernel.value(dot(d, d));
            }
            rho += s.rest_density.at(s.now.rank, i) * share;
        }
        rho = max(rho, 1e-20f);  // the padding has no mass
        store(s.density + i, rho);
        store4(s.now.position + i, with_w(x, own.w / rho));
    }
};

/// Akinci 2013, the adhesion kernel: (-4 r^2 / h + 6 r - 2 h)^(1/4) between h / 2 and h.
FIRN_HD Real adhesion_kernel(Real r, float support) {
    const Real h = splat(support);
    const Real inside = 6.0f * r - 4.0f * r * r / h - 2.0f * h;
    // Its zeros are h / 2 and h, so that the sign is the interval.
    return (0.007f / ::powf(support, 3.25f)) * sqrt(sqrt(max(inside, 0.0f)));
}

/// What the mean stress presses against at a boundary: Eq. 19's corrected gradient, or, in the symmetric form, the
/// plain one.
FIRN_HD Vec3 boundary_lever(const SnowView& s, const Sym& correction, const Vec3& gradient) {
    return s.set.symmetric ? gradient : correction * gradient;
}

/// m -= wd x d: the matrix of Eq. 15, sum V grad W x x_ji.
FIRN_HD void add_spread(Sym& m, const Vec3& wd, const Vec3& d) {
    m.xx -= wd.x * d.x;
    m.xy -= wd.x * d.y;
    m.xz -= wd.x * d.z;
    m.yy -= wd.y * d.y;
    m.yz -= wd.y * d.z;
    m.zz -= wd.z * d.z;
}

/// The direction in which a boundary particle acts on snow at distance `d` from it, as long as the distance along it:
/// the normal of its surface, where it has one. The plain d of the paper has a part along the surface that changes from
/// sample to sample, a washboard that brakes stiff snow.
FIRN_HD Vec3 boundary_arm(const SnowView& s, Index index, const Vec3& d) {
    if (!s.set.contact) return d;
    const Vec4 normal = gather4(s.boundary.normal, index);
    return select(normal.w > 0.5f, dot(d, xyz(normal)) * xyz(normal), d);
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
        const Real weight = b.w * s.kernel.slope(r_squared);
        add_spread(spread, weight * d, d);
        const Vec3 gradient = weight * boundary_arm(s, boundary[k], d);
        sums.gradient += gradient;
        sums.flux += dot(xyz(vb), gradient);
        const Real viscous = surface.x * weight * r_squared / (r_squared + 0.01f * s.spacing * s.spacing);
        sums.drag += viscous;
        sums.dragged += viscous * xyz(vb);
        const Real r = sqrt(r_squared);
        const Real strength = surface.y * b.w * adhesion_kernel(r, 2.0f * s.spacing);
        sums.pull += (strength / max(r, 1e-20f)) * d;
        const Real share = -weight;
        sums.velocity += share * xyz(vb);
        sums.bounce += share * surface.z;
        sums.sticky += share * surface.w;
        weights += share;
    }
    const Real inverse = 1.0f / weights;
    sums.velocity = inverse * sums.velocity;
    sums.bounce = inverse * sums.bounce;
    sums.sticky = inverse * sums.sticky;
    return sums;
}

/// Sums over the snow around a particle.
struct SnowSums {
    Vec3 gradient;  ///< S = sum_j V_j grad W_ij
    Real squares;   ///< sum_j V_j |grad W_ij|^2
    Real rate;      ///< mean strain rate between neighbours, 1/s; only where damping needs it
};

/// Adds the snow's share to the matrix of Eq. 15 on the way.
FIRN_HD SnowSums sum_snow(const SnowView& s, uint32_t i, const Vec3& x, const Vec3& velocity, Sym& spread) {
    SnowSums sums{zero3(), splat(0.0f), splat(0.0f)};
    Real rates = splat(0.0f), rate_weights = splat(1e-30f);
    const auto near = s.neighbours.row(i);
    for (uint32_t k = 0; k < near.length; ++k) {
        const Vec4 j = gather4(s.now.position, near[k]);
        const Vec3 d = x - xyz(j);
        const Real r_squared = dot(d, d);
        const Real slope = near.slope(k, s.kernel, r_squared);
        const Real weight = j.w * slope;
        const Vec3 wd = weight * d;
        sums.gradient += wd;
        add_spread(spread, wd, d);
        sums.squares += weight * slope * r_squared;
        if (s.set.damping > 0.0f) {
            const Real closing = dot(velocity - xyz(gather4(s.now.velocity, near[k])), wd);
            rates -= closing * closing / (weight * r_squared - 1e-30f);
            rate_weights -= weight * r_squared;
        }
    }
    sums.rate = sqrt(rates / rate_weights);
    return sums;
}

/// The compaction at which a particle's snow is ice; 0 where compaction does not count from how it was placed.
FIRN_HD Real solid_compaction(const SnowView& s, uint32_t i) {
    if (!s.set.calibrated) return splat(0.0f);
    return max(ice_density / s.rest_density.at(s.now.rank, i), 1.0f);
}

/// Everything that a particle needs of its surroundings before the solves, in one pass over its neighbours.
struct Properties {
    SnowView s;

    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 own = load4(s.now.position + i);
        const Vec3 x = xyz(own);
        const Vec4 velocity = load4(s.now.velocity + i);
        const bool beside_boundary = s.boundary_neighbours.row(i).length > 0;

        Sym spread = identity_times(splat(0.0f));  // the matrix of Eq. 15
        const SnowSums snow = sum_snow(s, i, x, xyz(velocity), spread);
        const Sym of_snow = spread;
        BoundarySums boundary;
        if (beside_boundary) boundary = sum_boundary(s, i, x, spread);
        store3(s.gradient_sum, i, snow.gradient);
        // The joint solve takes gradients over the snow alone: boundaries are planes there.
        Sym blind;
        store_sym(s.correction, i, pseudo_inverse(s.set.joint ? of_snow : spread, s.set.flatness, &blind));
        if (s.set.joint) store_sym(s.blind, i, blind);

        const Real volume_strain = abs(det_minus_one(load_sym(s.before.strain, i)) + 1.0f) - 1.0f;
        const Lame modulus = stiffness(i, volume_strain, spread);
        store(s.shear_modulus + i, modulus.shear);
        store(s.first_lame + i, modulus.first);
        store(s.volume_strain + i, volume_strain);

        // Known accelerations: gravity and others, and what the boundary does.
        Vec3 v = xyz(velocity) + s.dt * external_acceleration(s, i);
        Vec3 boundary_sum = zero3();
        Real flux = splat(0.0f);
        if (beside_boundary) {
            v -= (s.dt * s.rest_density.at(s.now.rank, i)) * boundary.pull;
            const Real held =
                s.set.joint ? splat(0.0f) : share_held(boundary, xyz(velocity), volume_strain, snow.squares <= 0.0f, i);
            boundary_sum = held * boundary.gradient;
            flux = held * boundary.flux;
        }
        if (s.set.viscous_friction) {
            const Vec3 before = v;
            if (beside_boundary) v = viscous_friction(boundary, v);
            store3(s.rubbed, i, velocity.w * (v - before));
        }
        store3(s.boundary_sum, i, boundary_sum);
        store(s.boundary_flux + i, flux);
        store4(s.predicted + i, with_w(v, velocity.w));

        const Real lag = stress_lag(i, snow.rate);
        store(s.lag + i, lag);
        store(s.diagonal + i, pressure_diagonal(i, own.w, snow, boundary_sum, volume_strain, modulus.first, lag));
    }

    /// G and lambda, hardened. The surface reads missing neighbours as low density; the spread tells how many are
    /// missing.
    FIRN_HD Lame stiffness(uint32_t i, Real volume_strain, const Sym& spread) const {
        const uint32_t* rank = s.now.rank;
        Real rest_density_now = load(s.density + i) * (1.0f + volume_strain);  // Eq. 21
        if (s.set.surface_floor > 0.0f) {
            const Real fill = (1.0f / 3.0f) * trace(spread);
            rest_density_now = rest_density_now / min(max(fill, s.set.surface_floor), 1.0f);
        }
        const Real rho0 = s.rest_density.at(rank, i);
        Real compaction = rest_density_now / rho0;
        Real filling = load(s.before.filling + i);
        if (s.set.joint) {
            // Flakes in the air have no bonds.
            const Mask born_loose = both(filling <= 0.0f, compaction <= loosest_filling);
            store(s.after.damage + i, select(born_loose, splat(1.0f), load(s.before.damage + i)));
        } else {
            store(s.after.damage + i, splat(0.0f));
        }
        if (s.set.calibrated) {
            filling = select(filling > 0.0f, filling, as_placed(compaction));
            compaction = compaction / filling;
        }
        store(s.after.filling + i, filling);
        store(s.compaction + i, compaction);
        const Real factor =
            hardening_factor(s.material.hardening.at(rank, i), compaction, s.set.softening, solid_compaction(s, i));
        // Energy counts by the volume that the snow has, not by the one that missing neighbours suggest.
        const Real volume = s.set.calibrated ? load(s.density + i) / (rho0 * compaction) : splat(1.0f);
        return lame(s.material.young_modulus.at(rank, i), s.material.poisson_ratio.at(rank, i), volume * factor);
    }

    /// A body of snow looks at least as dense as this, at its corners and however it is filled; a stream of flakes with
    /// a third of a spacing between them looks looser.
    static constexpr float loosest_filling = 0.75f;

    /// What a particle's surroundings look like when it is new: whatever the filling, that is snow at rest. Only loose
    /// flakes and snow that was squeezed into a place are what they look like.
    FIRN_HD static Real as_placed(Real compaction) {
        const Mask filled = both(compaction > loosest_filling, compaction < 1.8f);
        return select(filled, min(compaction, 1.6f), 1.0f);
    }

    /// Damping looks ahead in time, but no further than half the way to yield: it must not brake plastic flow.
    FIRN_HD Real stress_lag(uint32_t i, Real rate) const {
        if (s.set.damping <= 0.0f) return splat(s.dt);
        const Real limit = 0.5f * s.material.theta_c.at(s.now.rank, i) / max(rate, 1e-20f);
        return s.dt + min(limit, s.set.damping);
    }

    /// Gissler 2020, Eq. 8 with V_i V_j in the first sum (Chunnoo 2022, 3.16), divided by rho: a_ii / rho.
    FIRN_HD Real pressure_diagonal(uint32_t i, Real volume, const SnowSums& snow, const Vec3& boundary_sum,
                                   Real volume_strain, Real lambda, Real lag) const {
        const Vec3 pressed = snow.gradient + s.set.boundary_pressure * boundary_sum;
        const Real laplacian = volume * snow.squares + dot(pressed, snow.gradient + boundary_sum);
        Real compression = splat(0.0f);
        if (!s.set.incompressible) compression = (1.0f + volume_strain) / max(lambda, 1e-20f);
        return -compression - s.dt * lag / load(s.density + i) * laplacian;
    }

    /// How much of the boundary's forces acts. Tension across a surface that is not sticky, and the pressure on a lone
    /// flake that may bounce, are dropped. Gradually in stretch and in parting speed: a switch would make resting snow
    /// tremble.
    FIRN_HD Real share_held(const BoundarySums& b, const Vec3& velocity, Real volume_strain, Mask alone,
                            uint32_t i) const {
        Real held = splat(1.0f);
        if (s.set.separation) {
            const Real length = max(sqrt(dot(b.gradient, b.gradient)), 1e-20f);
            const Real parting = -dot(velocity - b.velocity, b.gradient) / length;
            const Real theta_s = max(s.material.theta_s.at(s.now.rank, i), 1e-6f);
            const Real stretched = unit(volume_strain / (0.5f * theta_s));
            held = 1.0f - stretched * unit(parting * (1.0f / s.set.parting_speed)) * (1.0f - unit(b.sticky));
        }
        if (s.set.contact) held = select(both(alone, b.bounce > 0.0f), splat(0.0f), held);
        return held;
    }

    /// Gissler 2020, Eq. 24 and 25: all components, solved implicitly.
    FIRN_HD Vec3 viscous_friction(const BoundarySums& b, const Vec3& v) const {
        return (1.0f / (1.0f - s.dt * b.drag)) * (v - s.dt * b.dragged);
    }

    FIRN_HD static Real unit(Real a) { return min(max(a, 0.0f), 1.0f); }
};

/// First guesses of the two solves.
struct StartSolves {
    SnowView s;
    float warm_pressure, warm_shear;

    /// At rest, the snow's own forces balance those from outside, and they will again. Those of an impact are over, and
    /// would throw it: a guess so bad that the solve may not find back.
    FIRN_HD static Real likely_share(const Vec3& own, const Vec3& given) {
        return min(2.0f * sqrt(dot(given, given)) / max(sqrt(dot(own, own)), 1e-20f), 1.0f);
    }

    FIRN_HD void operator()(uint32_t i) const {
        store(s.after.pressure + i, warm_pressure * load(s.before.pressure + i));
        Vec3 a = warm_shear * load3(s.before.shear_acceleration, i);
        if (s.set.joint) a = likely_share(a, external_acceleration(s, i)) * a;
        store3(s.after.shear_acceleration, i, a);
    }
};

}  // namespace firn::FIRN_LANES
