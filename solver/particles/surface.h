#pragma once

// What a particle meets at a boundary: the nearest boundary particle, the direction away from it, and how near the
// particle may come.

#include "particles/particle_view.h"

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

FIRN_HD Nearest nearest_boundary(const ParticleView& s, uint32_t i, const Vec3& x) {
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
FIRN_HD Vec3 surface_normal(const ParticleView& s, uint32_t i, const Vec3& x, const Nearest& near) {
    Vec3 away = zero3();
    const auto boundary = s.boundary_neighbours.row(i);
    for (uint32_t k = 0; k < boundary.length; ++k) {
        const Vec4 b = gather4(s.boundary.position, boundary[k]);
        const Vec3 d = x - xyz(b);
        away += -(b.w * s.kernel.slope(dot(d, d))) * d;
    }
    const Real length = sqrt(dot(away, away));
    const Vec3 estimated = (1.0f / max(length, 1e-30f)) * away;
    return select(near.has_normal > 0.5f, near.given_normal, estimated);
}

/// How a particle meets the surface in this step.
struct Approach {
    Vec3 normal;
    Vec3 sliding;       ///< velocity along the surface, m/s
    Real normal_speed;  ///< away from it, m/s
    Real slowest;       ///< the normal speed that takes the particle to half a spacing above the boundary particles
    Mask touching;      ///< the nearest boundary particle is within the kernel's reach
    Mask hits;          ///< it would come nearer than that
};

FIRN_HD Approach approach(const ParticleView& s, uint32_t i, const Vec3& x, const Vec3& velocity, const Nearest& near) {
    const Vec3 n = surface_normal(s, i, x, near);
    const Vec3 relative = velocity - near.velocity;
    const Real normal_speed = dot(n, relative);
    const Real gap = dot(n, x - near.position);
    const Real slowest = min((0.5f * s.spacing - gap) / s.dt, 0.0f);
    const Mask touching = near.distance_squared < s.kernel.support_squared;
    return {n, relative - normal_speed * n, normal_speed, slowest, touching, both(normal_speed < slowest, touching)};
}

/// A bounce slower than what gravity adds in two steps is rest, not bounce, m/s.
FIRN_HD float slowest_bounce(const ParticleView& s) {
    return 2.0f * s.dt * gravity_size(s);
}

}  // namespace firn::FIRN_LANES
