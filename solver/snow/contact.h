#pragma once

// Snow against surfaces, after the solves: no particle passes, lone flakes bounce, friction follows Coulomb. Only
// particles that have boundary neighbours are touched.

#include "particles/body_impulses.h"
#include "particles/surface.h"
#include "snow/properties.h"
#include "snow/shear.h"

namespace firn::FIRN_LANES {

/// How hard the solves press each particle away from the boundary, and on how much of it.
struct BoundaryLoad {
    SnowView s;
    uint32_t count;
    FIRN_HD void operator()(uint32_t i) const {
        const Real zero = splat(0.0f);
        Real load_out = zero, area = zero;
        if (i < count && s.boundary_neighbours.row(i).length) {
            const Sym correction = load_sym(s.correction, i);
            const Vec3 boundary_sum = load3(s.boundary_sum, i);
            const FieldGradient g = field_gradient(s, s.solved, i, load(s.boundary_flux + i), correction);
            const Sym sigma = elastic_stress(s, i, g.split(), splat(1.0f), load(s.lag + i));
            const Real stress = (1.0f / 3.0f) * trace(sigma);
            store(s.boundary_stress + i, stress);
            const Real pressure = s.set.combined ? zero : s.set.boundary_pressure * load(s.after.pressure + i);
            const Vec3 push = stress * boundary_lever(s, correction, boundary_sum) - pressure * boundary_sum;
            area = sqrt(dot(boundary_sum, boundary_sum));
            load_out = -dot(push, boundary_sum) / (max(area, 1e-20f) * load(s.density + i));
        }
        store(s.boundary_load + i, load_out);
        store(s.boundary_area + i, area);
    }
};

/// How much of the boundary the snow around a particle touches: sum_j W_ij |S^b_j|, itself included.
struct PatchArea {
    SnowView s;
    uint32_t count;
    FIRN_HD void operator()(uint32_t i) const {
        store(s.patch_area + i, i < count ? around(s, i, s.boundary_area) : splat(0.0f));
    }
    /// sum_j W_ij a_j over the snow beside the boundary.
    FIRN_HD static Real around(const SnowView& s, uint32_t i, const float* a) {
        Real sum = splat(0.0f);
        if (s.boundary_neighbours.row(i).length == 0) return sum;
        sum = s.kernel.norm * load(a + i);
        const Vec3 x = xyz(load4(s.now.position + i));
        const auto near = s.neighbours.row(i);
        for (uint32_t k = 0; k < near.length; ++k) {
            const Vec3 d = x - xyz(gather4(s.now.position, near[k]));
            sum += s.kernel.value(dot(d, d)) * gather(a, near[k]);
        }
        return sum;
    }
};

/// Shares each particle's load out among the snow around it, by area. Stiff snow presses with one particle and pulls
/// with the next, and only the difference is weight that friction can use. A few rounds reach two or three spacings, a
/// contact's patch; the sum stays.
struct SpreadLoad {
    static constexpr int rounds = 6;
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const {
        store(s.boundary_load + i, load(s.boundary_area + i) * PatchArea::around(s, i, s.load_share));
    }
};

struct ShareLoad {
    SnowView s;
    uint32_t count;
    FIRN_HD void operator()(uint32_t i) const {
        const Real share = i < count ? load(s.boundary_load + i) / max(load(s.patch_area + i), 1e-20f) : splat(0.0f);
        store(s.load_share + i, share);
    }
};

/// From the velocity that the solves found to the one that surfaces allow, and what the boundary did to each particle.
struct SurfaceContact {
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 velocity = load4(s.solved + i);
        store4(s.allowed + i, velocity);
        if (s.boundary_neighbours.row(i).length == 0) return;
        const Vec3 rubbed = s.set.viscous_friction ? load3(s.rubbed, i) : zero3();
        const Vec3 x = xyz(load4(s.now.position + i));
        const Nearest near = nearest_boundary(s, i, x);
        store(s.nearest + i, near.index);
        if (!s.set.contact) {
            store3(s.impulse, i, rubbed);
            return;
        }
        const Approach at = approach(s, i, x, xyz(velocity), near);
        const Mask bounces = bounce(i, at, near);
        const Real normal_change = normal_speed_after(i, at, near, bounces) - at.normal_speed;
        const Real pressed = load_on(i, near) * s.dt + normal_change;
        const Real sliding_speed = sqrt(dot(at.sliding, at.sliding));
        const Real taken = min(friction(near, pressed) + grip(i, near), sliding_speed);
        const Vec3 change = normal_change * at.normal - (taken / max(sliding_speed, 1e-20f)) * at.sliding;
        const Vec3 corrected = select(at.touching, change, zero3());
        store4(s.allowed + i, with_w(xyz(velocity) + corrected, velocity.w));
        store3(s.impulse, i, rubbed + velocity.w * corrected);
    }

    /// How fast the particle arrives at the surface, before anything acted in this step; negative = towards it, m/s.
    FIRN_HD Real arriving(uint32_t i, const Approach& at, const Nearest& near) const {
        return dot(at.normal, xyz(load4(s.now.velocity + i)) - near.velocity);
    }
    /// Lone flakes bounce: particles that no boundary pressure holds.
    FIRN_HD Mask bounce(uint32_t i, const Approach& at, const Nearest& near) const {
        const Vec3 boundary_sum = load3(s.boundary_sum, i);
        const Mask alone = dot(boundary_sum, boundary_sum) <= 0.0f;
        return both(both(at.hits, alone), arriving(i, at, near) < -slowest_bounce(s));
    }
    FIRN_HD Real normal_speed_after(uint32_t i, const Approach& at, const Nearest& near, Mask bounces) const {
        const Real stopped = select(at.hits, at.slowest, at.normal_speed);
        return select(bounces, -near.bounce * arriving(i, at, near), stopped);
    }
    /// The push that friction can use, m/s^2. A sticky surface holds what hangs on it too.
    FIRN_HD Real load_on(uint32_t i, const Nearest& near) const {
        const Real pushed = load(s.boundary_load + i);
        return max(pushed, -near.sticky * pushed);
    }
    /// Coulomb: at most mu times the normal push, m/s.
    FIRN_HD Real friction(const Nearest& near, Real pressed) const {
        const Real mu = s.set.viscous_friction ? splat(0.0f) : near.friction;
        return mu * max(pressed, 0.0f);
    }
    /// A sticky surface holds shear as the snow itself does, m/s.
    FIRN_HD Real grip(uint32_t i, const Nearest& near) const {
        const Real yield = s.material.theta_s.at(s.now.rank, i) + s.material.theta_c.at(s.now.rank, i);
        const Vec3 boundary_sum = load3(s.boundary_sum, i);
        return near.sticky * 2.0f * load(s.shear_modulus + i) * yield * sqrt(dot(boundary_sum, boundary_sum)) /
               load(s.density + i) * s.dt;
    }
};

/// The reaction to all that the boundary did to a particle: what it pushes each boundary particle with.
struct SnowPush {
    SnowView s;

    struct OfParticle {
        const SnowView& s;
        Vec3 x;
        Real mass, density, rho0, held, pressure, stress;
        Sym correction;
        Vec3 knock;
        Int nearest;
        FIRN_HD BoundaryPush operator()(Index index, const Vec4& b) const {
            const Vec3 d = x - xyz(b);
            const Real r_squared = dot(d, d);
            const Vec3 gradient = (held * b.w * s.kernel.slope(r_squared)) * boundary_arm(s, index, d);
            Vec3 force = (mass / density) * (pressure * gradient - stress * boundary_lever(s, correction, gradient));
            const Real r = sqrt(r_squared);
            const Real adhesion =
                gather4(s.boundary.surface, index).y * b.w * rho0 * adhesion_kernel(r, 2.0f * s.spacing);
            force += (mass * adhesion / max(r, 1e-20f)) * d;
            // A surface holds the particle itself: which of its samples is the nearest does not matter.
            const Vec3 knocked = select(indices(index) == nearest, knock, zero3());
            return {force + knocked, cross(xyz(b), force) + cross(x, knocked)};
        }
    };

    FIRN_HD OfParticle of(uint32_t i) const {
        const Vec3 x = xyz(load4(s.now.position + i));
        // The share of the boundary terms that the step kept (sticky, bounce): what it used over what it would be.
        Vec3 whole = zero3();
        const auto boundary = s.boundary_neighbours.row(i);
        for (uint32_t k = 0; k < boundary.length; ++k) {
            const Vec4 b = gather4(s.boundary.position, boundary[k]);
            const Vec3 d = x - xyz(b);
            whole += (b.w * s.kernel.slope(dot(d, d))) * boundary_arm(s, boundary[k], d);
        }
        const Vec3 used = load3(s.boundary_sum, i);
        return {s,
                x,
                particle_mass(s, i),
                load(s.density + i),
                s.rest_density.at(s.now.rank, i),
                dot(used, whole) / max(dot(whole, whole), 1e-30f),
                s.set.combined ? splat(0.0f) : s.set.boundary_pressure * load(s.after.pressure + i),
                s.set.joint ? splat(0.0f) : load(s.boundary_stress + i),
                load_sym(s.correction, i),
                (-1.0f / s.dt) * load3(s.impulse, i),
                load(s.nearest + i)};
    }
};

}  // namespace firn::FIRN_LANES
