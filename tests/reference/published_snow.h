#pragma once

#include <cstddef>
#include <vector>

#include "linear_solve.h"
#include "matrix3.h"

/// The published snow method, Gissler et al. 2020, "An Implicit Compressible SPH Solver for Snow Simulation", in double
/// precision and by brute force: every sum runs over all particles. It shares no line with the engine and was written
/// from the paper alone, so that the two can check each other. Where the paper is open, shared/physics-notes.md, "What
/// `published` means here", decides. SI units everywhere; x_ij = x_i - x_j.
namespace reference {

struct Parameters {
    double spacing = 0.05;  ///< dx, m; the kernel's support is H = 2 dx
    double rho0 = 400;      ///< kg/m^3
    double E = 140e3;       ///< Young modulus, Pa
    double nu = 0.2;        ///< Poisson ratio; > 0, for Eq. 5 divides by lambda
    double xi = 10;         ///< hardening
    double theta_c = 0.025;
    double theta_s = 0.0075;
    Vec3 gravity{0, -9.81, 0};

    double psi = 1.5;    ///< boundary part of grad p, Eq. 7
    double omega = 0.5;  ///< relaxation of Jacobi
    double pressure_tolerance = 1e-3;
    double shear_tolerance = 1e-3;
    int pressure_iterations_max = 10000;
    int shear_iterations_max = 1000;
    bool combined = false;  ///< one solve with sigma = 2 G eps + lambda tr(eps) 1 (3.5) instead of two

    double support() const { return 2 * spacing; }
};

struct Snow {
    Vectors position;
    Vectors velocity;
    Matrices F_E;
    Scalars pressure;  ///< result of the last step; never an input, since the solve starts from zero
    Scalars mass;

    size_t count() const { return position.size(); }
};

/// All bodies one after the other. Made by add_body().
struct Boundary {
    Vectors position;
    Vectors velocity;
    Scalars volume;    ///< V_b
    Scalars friction;  ///< nu_b
    Scalars adhesion;  ///< beta

    size_t count() const { return position.size(); }
};

/// At rest, F_E = 1, m = rho0 dx^3.
Snow make_snow(const Vectors& position, const Parameters&);

/// 3.4: V_b = phi / sum_j W_bj over one body, b itself included.
Scalars boundary_volumes(const Vectors& body_position, double H, double phi = 0.8);

void add_body(Boundary&, const Vectors& position, const Vectors& velocity, const Parameters&, double nu_b = 1,
              double beta = 0, double phi = 0.8);

// ---- kernel

/// Cubic spline of support H, W(0) = 8 / (pi H^3).
double kernel(const Vec3& x_ij, double H);

/// Gradient with respect to x_i; zero for x_ij = 0.
Vec3 kernel_gradient(const Vec3& x_ij, double H);

// ---- what Algorithm 1, lines 2 and 3 computes

/// Eq. 20, i itself included; a boundary particle counts as rho0 V_b.
Scalars density(const Snow&, const Boundary&, const Parameters&);

/// Eq. 21
Scalars rest_density(const Scalars& density, const Matrices& F_E);

/// e^(xi (rho_0,i - rho0) / rho_0,i), the factor of Eq. 22 and 23.
Scalars hardening_factor(const Scalars& rest_density, const Parameters&);

struct Lame {
    Scalars G;       ///< Eq. 22, Pa
    Scalars lambda;  ///< Eq. 23, Pa
};
Lame lame(const Scalars& rest_density, const Parameters&);

/// M_i = sum_k V_k grad W_ik (x) x_ki over snow and boundary; Eq. 15 is its inverse. Symmetric, positive semidefinite.
Matrices gradient_moment(const Snow&, const Boundary&, const Scalars& volume, const Parameters&);

/// Moore-Penrose inverse of a symmetric matrix: eigenvalues of at most 1e-4 of the largest count as zero.
Mat3 pseudo_inverse(const Mat3& M, double relative_cut = 1e-4);

/// The particles at time t with what lines 1-3 of Algorithm 1 computes from them: all that the operators read. A plain
/// copy; a test may overwrite any of it, e.g. with the engine's own values.
struct Configuration {
    Snow snow;
    Boundary boundary;
    Parameters parameters;

    Scalars density;       ///< rho_i, Eq. 20
    Scalars volume;        ///< V_i = m_i / rho_i
    Scalars rest_density;  ///< rho_0,i, Eq. 21
    Matrices M;            ///< before the inversion
    Matrices L;            ///< Eq. 15
    Scalars G, lambda;     ///< Eq. 22, 23
};
Configuration configuration(const Snow&, const Boundary&, const Parameters&);

// ---- 3.4, accelerations at the boundary

/// Akinci 2013, the adhesion kernel A(r): zero outside H/2 < r <= H.
double adhesion_kernel(double r, double H);

/// a_i = -beta sum_b rho0 V_b A(r) x_ib / r
Vectors adhesion(const Configuration&);

/// Eq. 25
Scalars friction_diagonal(const Configuration&, double dt);

/// Eq. 24 as printed: all components of the velocity.
Vectors friction(const Configuration&, double dt, const Vectors& a_other);

// ---- 3.2.1, pressure

/// Eq. 6
Scalars divergence(const Configuration&, const Vectors& v, const Vectors& v_b);

/// Eq. 7
Vectors pressure_gradient(const Configuration&, const Scalars& p);

/// Right-hand side of Eq. 5, rho_0,i - rho*, with rho* = rho - dt rho div v*.
Scalars pressure_right_hand_side(const Configuration&, double dt, const Vectors& v_star);

/// Left-hand side of Eq. 5. The boundary's grad p is zero.
Scalars apply_pressure(const Configuration&, double dt, const Scalars& p);

/// Eq. 8, with V_i V_j in its first sum (the paper's V_j V_j is a misprint; Chunnoo 2022, Eq. 3.16).
Scalars pressure_diagonal(const Configuration&, double dt);

DenseMatrix pressure_matrix(const Configuration&, double dt);

/// -grad p / rho
Vectors pressure_acceleration(const Configuration&, const Scalars& p);

// ---- 3.2.2, shear

struct VelocityGradient {
    Mat3 from_snow;      ///< Eq. 17, first line
    Mat3 from_boundary;  ///< Eq. 17, second line
    Mat3 corrected;      ///< below Eq. 17: from_snow L^T + 1/3 tr(from_boundary L^T) 1
    Mat3 total;          ///< Eq. 18
};
std::vector<VelocityGradient> velocity_gradient_parts(const Configuration&, const Vectors& v, const Vectors& v_b);

/// Eq. 18
Matrices velocity_gradient(const Configuration&, const Vectors& v, const Vectors& v_b);

/// Eq. 19
Vectors stress_divergence(const Configuration&, const Matrices& sigma);

/// Eq. 12 without plasticity: F_E + dt grad(v) F_E.
Matrices moved_deformation(const Configuration&, double dt, const Vectors& v, const Vectors& v_b);

/// Eq. 9, or with Parameters::combined the sum of 3.5, of a strain that is already symmetric.
Matrices stress(const Configuration&, const Matrices& strain);

/// Right-hand side of Eq. 14, with F** = F_E + dt grad(v**) F_E (the paper drops the last F_E; Chunnoo 2022, Eq. 3.21).
Vectors shear_right_hand_side(const Configuration&, double dt, const Vectors& v_star_star);

/// Left-hand side of Eq. 14, factor dt^2. The boundary's a^G is zero.
Vectors apply_shear(const Configuration&, double dt, const Vectors& a);

/// 3n x 3n; particle i's components are 3i, 3i + 1, 3i + 2.
DenseMatrix shear_matrix(const Configuration&, double dt);

Scalars flatten(const Vectors&);
Vectors unflatten(const Scalars&);

// ---- 3.3.1, plasticity

/// V clamp(Sigma, 1 - theta_c, 1 + theta_s) V^T of F' = U Sigma V^T: the rotation U V^T is left out.
Mat3 plastic_clamp(const Mat3& F, double theta_c, double theta_s);

// ---- the solves and the step

struct PressureSolution {
    Scalars p;
    int iterations = 0;
    double residual = 0;  ///< mean |b - A p| / rho0
    bool converged = true;
};
/// Relaxed Jacobi from zero, or, if exact, Gaussian elimination.
PressureSolution solve_pressure(const Configuration&, double dt, const Vectors& v_star, bool exact);

struct ShearSolution {
    Vectors a;
    int iterations = 0;
    double residual = 0;  ///< |b - A a| / |b|
    bool converged = true;
};
/// Bi-CGSTAB from zero, or, if exact, Gaussian elimination.
ShearSolution solve_shear(const Configuration&, double dt, const Vectors& v_star_star, bool exact);

/// Every stage of one step, to compare stage by stage.
struct Step {
    Configuration before;
    Vectors a_other, a_friction;
    Vectors v_star;
    PressureSolution pressure;  ///< zero with Parameters::combined
    Vectors a_lambda;
    Vectors v_star_star;
    ShearSolution shear;
    Matrices F_moved;  ///< F' of 3.3.1, before the clamp
};

/// One step of Algorithm 1; the boundary moves last, with its velocity.
Step step(Snow&, Boundary&, const Parameters&, double dt, bool exact);

}  // namespace reference
