#pragma once

// What kernels of every particle method read: particles, neighbours and boundaries, as plain pointers. Float4 records
// are what neighbours gather; Columns are what only the particle itself reads.

#include "particles/kernel.h"
#include "particles/neighbours.h"

namespace firn::FIRN_LANES {

/// A number of each particle, or one for all. Tables are indexed by rank: they never move.
struct PropertyView {
    const float* table;  ///< null = uniform
    float uniform;
    FIRN_HD Real at(const uint32_t* rank, uint32_t i) const { return table ? gather(table, rank + i) : splat(uniform); }
};

/// Where particles are and how they move.
struct MotionView {
    Float4* position;  ///< x, y, z and, once known, the volume V
    Float4* velocity;  ///< x, y, z and the mass
    uint32_t* rank;    ///< of the particle's id
};

/// Boundary particles: the still ones, then the moving ones, then one out of reach.
struct BoundaryView {
    const Float4* position;  ///< x, y, z, V_b
    const Float4* velocity;  ///< x, y, z and the body's number
    const Float4* surface;   ///< friction, adhesion, bounce, sticky
    const Float4* normal;    ///< x, y, z; w = 1 where the host gave one
};

struct ParticleView {
    CubicSpline kernel;
    float spacing;  ///< m
    float dt;       ///< s
    float gravity[3];
    MotionView now;   ///< sorted by cell; stays whole until the step has succeeded
    MotionView next;  ///< the result
    OwnNeighbours::View neighbours;
    BoundaryView boundary;
    NeighbourView boundary_neighbours;
    const float* acceleration[3];  ///< by rank; null = none
    PropertyView rest_density;     ///< rho0
};

/// Gravity and what the host added for the particle.
FIRN_HD Vec3 external_acceleration(const ParticleView& s, uint32_t i) {
    Vec3 a = {splat(s.gravity[0]), splat(s.gravity[1]), splat(s.gravity[2])};
    if (s.acceleration[0]) {
        a += Vec3{gather(s.acceleration[0], s.now.rank + i), gather(s.acceleration[1], s.now.rank + i),
                  gather(s.acceleration[2], s.now.rank + i)};
    }
    return a;
}

FIRN_HD Real particle_mass(const ParticleView& s, uint32_t i) {
    return load4(s.now.velocity + i).w;
}

/// |g|, m/s^2
FIRN_HD float gravity_size(const ParticleView& s) {
    return ::sqrtf(s.gravity[0] * s.gravity[0] + s.gravity[1] * s.gravity[1] + s.gravity[2] * s.gravity[2]);
}

}  // namespace firn::FIRN_LANES
