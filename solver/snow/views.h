#pragma once

// The arrays that the snow kernels read and write, as plain pointers: one name for one meaning. Which of them share
// memory is the business of the workspace (snow_scratch.h).

#include "particles/particle_view.h"

namespace firn::FIRN_LANES {

/// Per-particle constants of the material, or one value for all.
struct MaterialView {
    PropertyView young_modulus, poisson_ratio, hardening, theta_c, theta_s, friction_angle, collapse;
};

/// The settings of a step, as kernels need them. SI units.
struct StepConstants {
    float boundary_pressure;  ///< psi
    float surface_floor;      ///< 0 = off
    float flatness;           ///< of neighbours that span no direction
    float damping;            ///< longest lag of the stress, s
    float filter;             ///< share of the hourglass motion removed in this step
    bool viscous_friction;    ///< Gissler's Eq. 24 instead of Coulomb in contact
    bool ballistic;           ///< what flies freely flies the exact parabola
    bool incompressible;
    bool combined;         ///< one elastic solve holds lambda too
    bool joint;            ///< stress, yield and contact in one solve
    bool contact;          ///< project velocities at surfaces
    bool separation;       ///< drop tension across surfaces that are not sticky
    float parting_speed;   ///< m/s, at which a surface that is not sticky has let go
    bool symmetric;        ///< forces from an energy: volume stress without the gradient correction
    bool objective;        ///< rotate the strain with the snow
    bool yield_by_stress;  ///< strength limits principal stresses, not strains
    bool calibrated;       ///< compaction counts from how the snow was placed
    float hourglass;       ///< stiffness against motion that gradients can't see, of the shear modulus
    float healed;          ///< share of the broken bonds that form anew in this step
    float softening;       ///< spacing over the opening at which a crack has lost its strength; 0 = as hardening
    float sleep_after;     ///< s at rest, after which snow sleeps; beyond all numbers = never
    float sleep_speed;     ///< m/s, below which snow is at rest
    float wake_speed;      ///< m/s, of a neighbour that wakes it
    float wake_force;      ///< m/s^2, that nothing bears and that wakes it
    float healing_time;    ///< s; 0 = bonds don't form anew in time
};

/// What snow keeps from step to step.
struct SnowStateView {
    Columns strain;  ///< F_E - 1, six columns
    float* pressure;
    Columns shear_acceleration;
    float* filling;   ///< how dense the snow looked where it was placed, over its density; 0 = not yet known
    Columns misfit;   ///< shift of the neighbours against the particle that strain does not explain, m
    float* damage;    ///< share of the bonds between grains that is broken
    float* calm;      ///< s at rest
    Columns support;  ///< force of a surface on a particle that sleeps, N
    float* bearer;    ///< number of that surface's body, from 1; 0 = none
};

/// Everything of one step.
struct SnowView : ParticleView {
    StepConstants set;
    MaterialView material;
    SnowStateView before;  ///< sorted by cell; stays whole until the step has succeeded
    SnowStateView after;   ///< the result; what the solves have found so far

    // Velocities, in the order in which they follow each other; w = mass.
    Float4* predicted;  ///< v*
    Float4* guessed;    ///< v* and what shear is likely to add, for the pressure solve
    Float4* pressed;    ///< v**, which the pressure solve leaves; v* where there is none
    Float4* solved;     ///< what both solves found
    Float4* allowed;    ///< what surfaces allow of it

    // What is known before the solves.
    Float4* mass_position;  ///< x, y, z and the mass
    float* density;
    float* compaction;     ///< density over the density at rest, both without elastic strain
    float* shear_modulus;  ///< G
    float* first_lame;     ///< lambda
    float* volume_strain;  ///< |det F_E| - 1
    float* lag;            ///< dt and the damping's share: the time over which stress sees the velocity ahead, s
    float* boundary_flux;  ///< sum_b V_b v_b . grad W
    Columns correction;    ///< L
    Columns blind;         ///< Q, directions in which the neighbours don't spread; with `joint`
    Columns gradient_sum;  ///< S = sum_j V_j grad W_ij
    Columns boundary_sum;  ///< S^b = sum_b V_b grad W_ib
    Columns rubbed;        ///< impulse of viscous friction, N s; none with Coulomb's

    // The pressure solve.
    float* diagonal;            ///< a_ii / rho
    float* source;              ///< right-hand side of the pressure equation / rho
    Float4* pressure_position;  ///< x, y, z and p V
    Float4* pressure_gradient;  ///< grad p

    // The shear solve.
    Float4* stress;        ///< records of a particle: V T (rows) and, in w, its own share; with `joint` V Q there
    float* shear_lever;    ///< how much a particle's stress answers to one neighbour's motion
    float* shear_scaling;  ///< 1 / the diagonal of the shear operator, about; null = 1

    // The joint solve.
    Float4* trial;          ///< velocity of a try
    Columns own_force;      ///< a particle's own share of the stress's divergence, N/m^3
    Float4* surface_plane;  ///< normal of the nearest surface and how slowly the particle may leave it
    float* hold;            ///< how that surface holds the particle (Hold)
    float* drag;            ///< 1/s, with which the surface resists sliding or leaving

    // Contact.
    float* boundary_stress;  ///< a third of the trace of the shear solve's stress
    float* boundary_load;    ///< m/s^2, with which the boundary presses the particle away
    float* boundary_area;    ///< |S^b|, 1/m: how much of the boundary the particle touches
    float* patch_area;       ///< the same of the snow around it
    float* load_share;       ///< load over patch area, while the load is shared out
    Columns impulse;         ///< of friction and contact, N s, on the snow
    uint32_t* nearest;       ///< boundary particle

    // The end of the step.
    Float4* velocity_gradient;  ///< three records per particle, rows
};

/// Snow that sleeps stands still, whatever acts on it, until something wakes it.
FIRN_HD Mask asleep(const SnowView& s, uint32_t i) {
    return load(s.before.calm + i) >= s.set.sleep_after;
}

}  // namespace firn::FIRN_LANES
