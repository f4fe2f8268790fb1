#pragma once

// The arrays that the snow kernels read and write, as plain pointers. Float4 records are what neighbours gather;
// Columns are what only the particle itself reads.

#include "particles/kernel.h"
#include "particles/neighbours.h"

namespace firn::FIRN_LANES {

/// Per-particle constants of the material, or one value for all. Tables are indexed by rank: they never move.
struct MaterialView {
    struct Property {
        const float* table;  ///< null = uniform
        float uniform;
        FIRN_HD Real at(const uint32_t* rank, uint32_t i) const {
            return table ? gather(table, rank + i) : splat(uniform);
        }
    };
    Property young_modulus, poisson_ratio, hardening, theta_c, theta_s, rest_density;
};

/// The settings of a step, as kernels need them. SI units.
struct StepConstants {
    CubicSpline kernel;
    float spacing;
    float dt;
    float gravity[3];
    float boundary_pressure;  ///< psi
    float surface_floor;      ///< 0 = off
    float flatness;           ///< of neighbours that span no direction
    float damping;            ///< longest lag of the stress, s
    float filter;             ///< share of the hourglass motion removed in this step
    bool viscous_friction;    ///< Gissler's Eq. 24 instead of Coulomb in contact
    bool ballistic;           ///< what flies freely flies the exact parabola
    bool incompressible;
    bool combined;        ///< one elastic solve holds lambda too
    bool contact;         ///< project velocities at surfaces
    bool separation;      ///< drop tension across surfaces that are not sticky
    float parting_speed;  ///< m/s, at which a surface that is not sticky has let go
    bool symmetric;       ///< forces from an energy: volume stress without the gradient correction
    bool objective;       ///< rotate the strain with the snow
};

/// State that lives from step to step.
struct StateView {
    Float4* position;  ///< x, y, z and, once known, the volume V
    Float4* velocity;  ///< x, y, z and the mass
    Columns strain;    ///< F_E - 1, six columns
    float* pressure;
    Columns shear_acceleration;
    uint32_t* rank;  ///< of the particle's id
};

/// Boundary particles: the still ones, then the moving ones, then one out of reach.
struct BoundaryView {
    const Float4* position;  ///< x, y, z, V_b
    const Float4* velocity;  ///< x, y, z and the body's number
    const Float4* surface;   ///< friction, adhesion, bounce, sticky
    const Float4* normal;    ///< x, y, z; w = 1 where the host gave one
};

/// Everything of one step.
struct SnowView {
    StepConstants set;
    MaterialView material;
    StateView now;   ///< sorted by cell; stays whole until the step has succeeded
    StateView next;  ///< the result
    BoundaryView boundary;
    OwnNeighbours::View snow_neighbours;
    NeighbourView boundary_neighbours;
    const float* acceleration[3];  ///< by rank; null = none

    Float4* mass_position;  ///< x, y, z and the mass; later x, y, z and p V
    Float4* predicted;      ///< v*, later the velocity that the solves found; w = mass
    Float4* vector;         ///< grad p, later the shear solve's direction
    Float4* second_vector;  ///< v**, at the end the new velocity; w = mass. May be the same array as `predicted`
    Float4* stress;         ///< three records per particle: V T (rows) and, in w, the particle's own share
    float* density;
    float* compaction;
    float* shear_modulus;    ///< G
    float* first_lame;       ///< lambda
    float* volume_strain;    ///< |det F_E| - 1
    float* diagonal;         ///< a_ii / rho
    float* source;           ///< right-hand side of the pressure equation / rho
    float* lag;              ///< dt and the damping's share: the time over which stress sees the velocity ahead, s
    float* boundary_flux;    ///< sum_b V_b v_b . grad W
    float* shear_scaling;    ///< 1 / the diagonal of the shear operator, about; null = 1
    Columns correction;      ///< L
    Columns gradient_sum;    ///< S = sum_j V_j grad W_ij
    Columns boundary_sum;    ///< S^b = sum_b V_b grad W_ib
    Columns impulse;         ///< of friction and contact, N s, on the snow
    float* boundary_stress;  ///< a third of the trace of the shear solve's stress
    float* boundary_load;    ///< m/s^2, with which the boundary presses the particle away
    uint32_t* nearest;       ///< boundary particle
};

}  // namespace firn::FIRN_LANES
