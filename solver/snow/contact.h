#pragma once

// Snow against surfaces, after the solves: no particle passes, lone flakes bounce, friction follows Coulomb. Only
// particles that have boundary neighbours are touched.

#include "snow/properties.h"
#include "snow/shear.h"

namespace firn::FIRN_LANES {

/// The boundary particle nearest to each lane's particle.
struct Nearest {
    Real distance_squared;
    Vec3 position;
    Vec3 velocity;
    Vec3 given_normal;
    Real has_normal;
    Real friction, bounce, sticky;
    Int index;
};

FIRN_HD Nearest nearest_boundary(const SnowView& s, uint32_t i, const Vec3& x) {
    const Real zero = splat(0.0f);
    Nearest n{splat(3e38f), zero3(), zero3(), zero3(), zero, zero, zero, zero, Int{}};
    const auto boundary = s.boundary_neighbours.row(i);
    for (uint32_t k = 0; k < boundary.length; ++k) {
        const Index index = boundary[k];
        const Vec4 b = gather4(s.boundary.position, index);
        const Vec3 d = x - xyz(b);
        const Real r_squared = dot(d, d);
        const Mask nearer = r_squared < n.distance_squared;
        if (!any(nearer)) continue;
        const Vec4 v = gather4(s.boundary.velocity, index), normal = gather4(s.boundary.normal, index),
                   surface = gather4(s.boundary.surface, index);
        n.distance_squared = select(nearer, r_squared, n.distance_squared);
        n.position = select(nearer, xyz(b), n.position);
        n.velocity = select(nearer, xyz(v), n.velocity);
        n.given_normal = select(nearer, xyz(normal), n.given_normal);
        n.has_normal = select(nearer, normal.w, n.has_normal);
        n.friction = select(nearer, surface.x, n.friction);
        n.bounce = select(nearer, surface.z, n.bounce);
        n.sticky = select(nearer, surface.w, n.sticky);
        n.index = select(nearer, indices(index), n.index);
    }
    return n;
}

/// Direction away from the boundary: the host's normal, or where the neighbouring boundary particles are not.
FIRN_HD Vec3 surface_normal(const SnowView& s, uint32_t i, const Vec3& x, const Nearest& near) {
    Vec3 away = zero3();
    const auto boundary = s.boundary_neighbours.row(i);
    for (uint32_t k = 0; k < boundary.length; ++k) {
        const Vec4 b = gather4(s.boundary.position, boundary[k]);
        const Vec3 d = x - xyz(b);
        away += (splat(0.0f) - b.w * s.set.kernel.slope(dot(d, d))) * d;
    }
    const Real length = sqrt(dot(away, away));
    const Vec3 estimated = (splat(1.0f) / max(length, splat(1e-30f))) * away;
    return select(near.has_normal > splat(0.5f), near.given_normal, estimated);
}

/// How hard the solves press each particle away from the boundary; sums all of that (N), and what presses only. Stiff
/// snow presses with one layer or edge and pulls with another, and only the difference is weight that friction can use.
struct BoundaryLoad {
    SnowView s;
    FIRN_HD Values<2> operator()(uint32_t i) const {
        const Real zero = splat(0.0f);
        Real load_out = zero;
        if (s.boundary_neighbours.row(i).length) {
            const Sym correction = load_sym(s.correction, i);
            const Vec3 boundary_sum = load3(s.boundary_sum, i);
            const FieldGradient g = field_gradient(s, s.predicted, i, load(s.boundary_flux + i), correction);
            const Sym sigma = elastic_stress(s, i, g.split(), splat(1.0f), load(s.lag + i));
            const Real stress = splat(1.0f / 3.0f) * trace(sigma);
            store(s.boundary_stress + i, stress);
            const Real pressure = s.set.combined ? zero : splat(s.set.boundary_pressure) * load(s.next.pressure + i);
            const Vec3 push = stress * boundary_lever(s, correction, boundary_sum) - pressure * boundary_sum;
            const Real length = sqrt(dot(boundary_sum, boundary_sum));
            load_out = (zero - dot(push, boundary_sum)) / (max(length, splat(1e-20f)) * load(s.density + i));
        }
        store(s.boundary_load + i, load_out);
        const Real force = load_out * load4(s.now.velocity + i).w;
        return {{force, max(force, zero)}};
    }
};

/// From the velocity that the solves found (predicted) to the one that surfaces allow (second_vector), and what the
/// boundary did to each particle.
struct SurfaceContact {
    SnowView s;
    const SolveState* state;  ///< the sums of BoundaryLoad
    FIRN_HD void operator()(uint32_t i) const {
        const StepConstants& set = s.set;
        const Vec3 x = xyz(load4(s.now.position + i));
        const Vec4 velocity = load4(s.predicted + i);
        store4(s.second_vector + i, velocity);
        if (s.boundary_neighbours.row(i).length == 0) return;
        const Vec3 rubbed = set.viscous_friction ? load3(s.impulse, i) : zero3();
        const Real dt = splat(set.dt), zero = splat(0.0f);
        const Real density = load(s.density + i);
        const Vec3 boundary_sum = load3(s.boundary_sum, i);
        const Nearest near = nearest_boundary(s, i, x);
        store(s.nearest + i, near.index);
        if (!set.contact) {
            store3(s.impulse, i, rubbed);
            return;
        }
        const Vec3 n = surface_normal(s, i, x, near);
        const Mask touching = near.distance_squared < splat(set.kernel.support_squared);

        // How fast the particle may still approach: it stops half a spacing above the boundary particles.
        const Real half = splat(0.5f * set.spacing);
        const Real gap = dot(n, x - near.position);
        const Vec3 relative = xyz(velocity) - near.velocity;
        const Real normal_speed = dot(n, relative);
        const Real slowest = min((half - gap) / dt, zero);
        const Mask hits = both(normal_speed < slowest, touching);
        const Real arriving = dot(n, xyz(load4(s.now.velocity + i)) - near.velocity);
        // A bounce slower than what gravity adds in two steps is rest, not bounce.
        const Real still = splat(2.0f * set.dt *
                                 ::sqrtf(set.gravity[0] * set.gravity[0] + set.gravity[1] * set.gravity[1] +
                                         set.gravity[2] * set.gravity[2]));
        const Mask alone = dot(boundary_sum, boundary_sum) <= zero;
        const Mask bounces = both(both(hits, alone), arriving < zero - still);
        const Real normal_after = select(bounces, zero - near.bounce * arriving, select(hits, slowest, normal_speed));
        const Real blow = normal_after - normal_speed;

        // Coulomb: friction takes at most mu times the normal push and never turns the motion around. A sticky surface
        // holds what hangs on it too, and shear as the snow itself does.
        const double net = state->sums[1] > 0 ? state->sums[0] / state->sums[1] : 0;
        const Real pushed = load(s.boundary_load + i), share = splat(static_cast<float>(net > 0 ? net : 0));
        const Real pressed = max(share * pushed, (zero - near.sticky) * pushed) * dt + select(bounces, zero, blow);
        const Vec3 sliding = relative - normal_speed * n;
        const Real sliding_speed = sqrt(dot(sliding, sliding));
        const Real mu = set.viscous_friction ? zero : near.friction;
        const Real yield = s.material.theta_s.at(s.now.rank, i) + s.material.theta_c.at(s.now.rank, i);
        const Real grip = near.sticky * splat(2.0f) * load(s.shear_modulus + i) * yield *
                          sqrt(dot(boundary_sum, boundary_sum)) / density * dt;
        const Real taken = min(mu * max(pressed, zero) + grip, sliding_speed);
        const Vec3 change = blow * n - (taken / max(sliding_speed, splat(1e-20f))) * sliding;
        const Vec3 corrected = select(touching, change, zero3());
        store4(s.second_vector + i, with_w(xyz(velocity) + corrected, velocity.w));
        store3(s.impulse, i, rubbed + velocity.w * corrected);
    }
};

/// Force (N) and torque (N m, about the origin) of the snow on one body in this step: the reaction to all that the
/// boundary did to each particle.
struct ForceOnBody {
    SnowView s;
    float body;
    FIRN_HD Values<6> operator()(uint32_t i) const {
        Values<6> total;
        for (Real& v : total.v) v = splat(0.0f);
        const auto boundary = s.boundary_neighbours.row(i);
        if (boundary.length == 0) return total;
        const Vec4 own = load4(s.now.position + i);
        const Vec3 x = xyz(own);
        const Real mass = load4(s.now.velocity + i).w;
        const Real density = load(s.density + i);
        const Sym correction = load_sym(s.correction, i);
        const Real rho0 = s.material.rest_density.at(s.now.rank, i);
        // The share of the boundary terms that the step kept (sticky, bounce): what it used over what it would be.
        Vec3 whole = zero3();
        for (uint32_t k = 0; k < boundary.length; ++k) {
            const Vec4 b = gather4(s.boundary.position, boundary[k]);
            const Vec3 d = x - xyz(b);
            whole += (b.w * s.set.kernel.slope(dot(d, d))) * d;
        }
        const Vec3 used = load3(s.boundary_sum, i);
        const Real held = dot(used, whole) / max(dot(whole, whole), splat(1e-30f));
        const Real pressure = s.set.combined ? splat(0.0f) : splat(s.set.boundary_pressure) * load(s.next.pressure + i);
        const Real stress = load(s.boundary_stress + i);
        const Int nearest = load(s.nearest + i);
        const Vec3 knock = (splat(-1.0f / s.set.dt)) * load3(s.impulse, i);
        for (uint32_t k = 0; k < boundary.length; ++k) {
            const Index index = boundary[k];
            const Vec4 b = gather4(s.boundary.position, index);
            const Vec3 d = x - xyz(b);
            const Real r_squared = dot(d, d);
            const Vec3 gradient = (held * b.w * s.set.kernel.slope(r_squared)) * d;
            Vec3 force = (mass / density) * (pressure * gradient - stress * boundary_lever(s, correction, gradient));
            const Real r = sqrt(r_squared);
            const Real adhesion =
                gather4(s.boundary.surface, index).y * b.w * rho0 * adhesion_kernel(r, 2.0f * s.set.spacing);
            force += (mass * adhesion / max(r, splat(1e-20f))) * d;
            force = force + select(indices(index) == nearest, knock, zero3());
            const Mask its = gather4(s.boundary.velocity, index).w == splat(body);
            force = select(its, force, zero3());
            const Vec3 torque = cross(xyz(b), force);
            total.v[0] = total.v[0] + force.x;
            total.v[1] = total.v[1] + force.y;
            total.v[2] = total.v[2] + force.z;
            total.v[3] = total.v[3] + torque.x;
            total.v[4] = total.v[4] + torque.y;
            total.v[5] = total.v[5] + torque.z;
        }
        return total;
    }
};

}  // namespace firn::FIRN_LANES
