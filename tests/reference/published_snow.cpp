#include "published_snow.h"

#include <algorithm>
#include <cmath>

#include "symmetric_eigen.h"

namespace reference {
namespace {

const double pi = 3.14159265358979323846;

Vectors sum_of(const Vectors& a, double s, const Vectors& b) {
    Vectors c(a.size());
    for (size_t i = 0; i < a.size(); ++i) c[i] = a[i] + s * b[i];
    return c;
}

Vectors boundary_at_rest(const Configuration& c) {
    return Vectors(c.boundary.count());
}

Vec3 gradient_snow(const Configuration& c, size_t i, size_t j) {
    return kernel_gradient(c.snow.position[i] - c.snow.position[j], c.parameters.support());
}

Vec3 gradient_boundary(const Configuration& c, size_t i, size_t b) {
    return kernel_gradient(c.snow.position[i] - c.boundary.position[b], c.parameters.support());
}

/// The factor in the sums of Eq. 24 and 25: V_b x_ib . grad W_ib / (|x_ib|^2 + 0.01 dx^2), never positive.
double friction_weight(const Configuration& c, size_t i, size_t b) {
    const Vec3 x_ib = c.snow.position[i] - c.boundary.position[b];
    const double dx = c.parameters.spacing;
    return c.boundary.volume[b] * dot(x_ib, gradient_boundary(c, i, b)) / (dot(x_ib, x_ib) + 0.01 * dx * dx);
}

Mat3 symmetric_part(const Mat3& A) {
    return 0.5 * (A + transpose(A));
}

}  // namespace

Snow make_snow(const Vectors& position, const Parameters& parameters) {
    Snow snow;
    const size_t n = position.size();
    snow.position = position;
    snow.velocity.assign(n, Vec3{});
    snow.F_E.assign(n, identity());
    snow.pressure.assign(n, 0.0);
    snow.mass.assign(n, parameters.rho0 * std::pow(parameters.spacing, 3));
    return snow;
}

Scalars boundary_volumes(const Vectors& body_position, double H, double phi) {
    Scalars volume;
    for (const Vec3& x_b : body_position) {
        double sum = 0;
        for (const Vec3& x_j : body_position) sum += kernel(x_b - x_j, H);
        volume.push_back(phi / sum);
    }
    return volume;
}

void add_body(Boundary& boundary, const Vectors& position, const Vectors& velocity, const Parameters& parameters,
              double nu_b, double beta, double phi) {
    const Scalars volume = boundary_volumes(position, parameters.support(), phi);
    for (size_t b = 0; b < position.size(); ++b) {
        boundary.position.push_back(position[b]);
        boundary.velocity.push_back(velocity[b]);
        boundary.volume.push_back(volume[b]);
        boundary.friction.push_back(nu_b);
        boundary.adhesion.push_back(beta);
    }
}

double kernel(const Vec3& x_ij, double H) {
    const double q = length(x_ij) / H;
    const double scale = 8 / (pi * H * H * H);
    if (q <= 0.5) return scale * (6 * (q * q * q - q * q) + 1);
    if (q <= 1) return scale * 2 * std::pow(1 - q, 3);
    return 0;
}

Vec3 kernel_gradient(const Vec3& x_ij, double H) {
    const double r = length(x_ij);
    const double q = r / H;
    if (r == 0 || q > 1) return {};
    const double scale = 8 / (pi * H * H * H);
    const double dW_dq = q <= 0.5 ? scale * 6 * (3 * q * q - 2 * q) : scale * -6 * (1 - q) * (1 - q);
    return (dW_dq / H / r) * x_ij;
}

Scalars density(const Snow& snow, const Boundary& boundary, const Parameters& parameters) {
    const double H = parameters.support();
    Scalars rho(snow.count(), 0.0);
    for (size_t i = 0; i < snow.count(); ++i) {
        for (size_t j = 0; j < snow.count(); ++j)
            rho[i] += snow.mass[j] * kernel(snow.position[i] - snow.position[j], H);
        for (size_t b = 0; b < boundary.count(); ++b)
            rho[i] += parameters.rho0 * boundary.volume[b] * kernel(snow.position[i] - boundary.position[b], H);
    }
    return rho;
}

Scalars rest_density(const Scalars& density, const Matrices& F_E) {
    Scalars rest(density.size());
    for (size_t i = 0; i < density.size(); ++i) rest[i] = density[i] * std::abs(determinant(F_E[i]));
    return rest;
}

Scalars hardening_factor(const Scalars& rest_density, const Parameters& parameters) {
    Scalars factor(rest_density.size());
    for (size_t i = 0; i < rest_density.size(); ++i)
        factor[i] = std::exp(parameters.xi * (rest_density[i] - parameters.rho0) / rest_density[i]);
    return factor;
}

Lame lame(const Scalars& rest_density, const Parameters& parameters) {
    const double E = parameters.E, nu = parameters.nu;
    Lame result;
    for (double factor : hardening_factor(rest_density, parameters)) {
        result.G.push_back(E / (2 * (1 + nu)) * factor);
        result.lambda.push_back(E * nu / ((1 + nu) * (1 - 2 * nu)) * factor);
    }
    return result;
}

Matrices gradient_moment(const Snow& snow, const Boundary& boundary, const Scalars& volume,
                         const Parameters& parameters) {
    const double H = parameters.support();
    Matrices M(snow.count());
    for (size_t i = 0; i < snow.count(); ++i) {
        for (size_t j = 0; j < snow.count(); ++j) {
            const Vec3 x_ij = snow.position[i] - snow.position[j];
            M[i] += volume[j] * outer(kernel_gradient(x_ij, H), -x_ij);
        }
        for (size_t b = 0; b < boundary.count(); ++b) {
            const Vec3 x_ib = snow.position[i] - boundary.position[b];
            M[i] += boundary.volume[b] * outer(kernel_gradient(x_ib, H), -x_ib);
        }
    }
    return M;
}

Mat3 pseudo_inverse(const Mat3& M, double relative_cut) {
    const SymmetricEigen eigen = symmetric_eigen(M);
    const double largest = eigen.value[2];
    Mat3 L;
    for (int k = 0; k < 3; ++k)
        if (eigen.value[k] > relative_cut * largest && eigen.value[k] > 0)
            L += (1 / eigen.value[k]) * outer(column(eigen.Q, k), column(eigen.Q, k));
    return L;
}

Configuration configuration(const Snow& snow, const Boundary& boundary, const Parameters& parameters) {
    Configuration c;
    c.snow = snow;
    c.boundary = boundary;
    c.parameters = parameters;
    c.density = density(snow, boundary, parameters);
    for (size_t i = 0; i < snow.count(); ++i) c.volume.push_back(snow.mass[i] / c.density[i]);
    c.rest_density = rest_density(c.density, snow.F_E);
    c.M = gradient_moment(snow, boundary, c.volume, parameters);
    for (const Mat3& M : c.M) c.L.push_back(pseudo_inverse(M));
    const Lame stiffness = lame(c.rest_density, parameters);
    c.G = stiffness.G;
    c.lambda = stiffness.lambda;
    return c;
}

double adhesion_kernel(double r, double H) {
    if (2 * r <= H || r > H) return 0;
    // The bracket is zero at both ends, where rounding may make it negative.
    const double bracket = std::max(0.0, -4 * r * r / H + 6 * r - 2 * H);
    return 0.007 / std::pow(H, 3.25) * std::pow(bracket, 0.25);
}

Vectors adhesion(const Configuration& c) {
    const double H = c.parameters.support();
    Vectors a(c.snow.count());
    for (size_t i = 0; i < c.snow.count(); ++i)
        for (size_t b = 0; b < c.boundary.count(); ++b) {
            const Vec3 x_ib = c.snow.position[i] - c.boundary.position[b];
            const double r = length(x_ib);
            const double A = adhesion_kernel(r, H);
            if (A > 0) a[i] -= (c.boundary.adhesion[b] * c.parameters.rho0 * c.boundary.volume[b] * A / r) * x_ib;
        }
    return a;
}

Scalars friction_diagonal(const Configuration& c, double dt) {
    Scalars d(c.snow.count(), 1.0);
    for (size_t i = 0; i < c.snow.count(); ++i)
        for (size_t b = 0; b < c.boundary.count(); ++b) d[i] -= dt * c.boundary.friction[b] * friction_weight(c, i, b);
    return d;
}

Vectors friction(const Configuration& c, double dt, const Vectors& a_other) {
    const Scalars d_ii = friction_diagonal(c, dt);
    Vectors a(c.snow.count());
    for (size_t i = 0; i < c.snow.count(); ++i) {
        const Vec3 v_predicted = c.snow.velocity[i] + dt * a_other[i];
        Vec3 v_right = v_predicted;
        for (size_t b = 0; b < c.boundary.count(); ++b)
            v_right -= (dt * c.boundary.friction[b] * friction_weight(c, i, b)) * c.boundary.velocity[b];
        a[i] = (1 / (d_ii[i] * dt)) * v_right - (1 / dt) * v_predicted;
    }
    return a;
}

Scalars divergence(const Configuration& c, const Vectors& v, const Vectors& v_b) {
    Scalars div(c.snow.count(), 0.0);
    for (size_t i = 0; i < c.snow.count(); ++i) {
        for (size_t j = 0; j < c.snow.count(); ++j) div[i] += c.volume[j] * dot(v[j] - v[i], gradient_snow(c, i, j));
        for (size_t b = 0; b < c.boundary.count(); ++b)
            div[i] += c.boundary.volume[b] * dot(v_b[b] - v[i], gradient_boundary(c, i, b));
    }
    return div;
}

Vectors pressure_gradient(const Configuration& c, const Scalars& p) {
    Vectors gradient(c.snow.count());
    for (size_t i = 0; i < c.snow.count(); ++i) {
        for (size_t j = 0; j < c.snow.count(); ++j)
            gradient[i] += ((p[j] + p[i]) * c.volume[j]) * gradient_snow(c, i, j);
        for (size_t b = 0; b < c.boundary.count(); ++b)
            gradient[i] += (c.parameters.psi * p[i] * c.boundary.volume[b]) * gradient_boundary(c, i, b);
    }
    return gradient;
}

Scalars pressure_right_hand_side(const Configuration& c, double dt, const Vectors& v_star) {
    const Scalars div = divergence(c, v_star, c.boundary.velocity);
    Scalars b(c.snow.count());
    for (size_t i = 0; i < c.snow.count(); ++i) {
        const double rho_star = c.density[i] - dt * c.density[i] * div[i];
        b[i] = c.rest_density[i] - rho_star;
    }
    return b;
}

Scalars apply_pressure(const Configuration& c, double dt, const Scalars& p) {
    const Scalars laplacian = divergence(c, pressure_gradient(c, p), boundary_at_rest(c));
    Scalars Ap(c.snow.count());
    for (size_t i = 0; i < c.snow.count(); ++i)
        Ap[i] = -c.rest_density[i] / c.lambda[i] * p[i] + dt * dt * laplacian[i];
    return Ap;
}

Scalars pressure_diagonal(const Configuration& c, double dt) {
    Scalars a(c.snow.count());
    for (size_t i = 0; i < c.snow.count(); ++i) {
        double squares = 0;
        Vec3 snow_sum, boundary_sum;
        for (size_t j = 0; j < c.snow.count(); ++j) {
            const Vec3 gradient = gradient_snow(c, i, j);
            squares += c.volume[i] * c.volume[j] * dot(gradient, gradient);
            snow_sum += c.volume[j] * gradient;
        }
        for (size_t b = 0; b < c.boundary.count(); ++b)
            boundary_sum += c.boundary.volume[b] * gradient_boundary(c, i, b);
        a[i] = -c.rest_density[i] / c.lambda[i] - dt * dt * squares -
               dt * dt * dot(snow_sum + c.parameters.psi * boundary_sum, snow_sum + boundary_sum);
    }
    return a;
}

DenseMatrix pressure_matrix(const Configuration& c, double dt) {
    return assemble([&](const Scalars& p) { return apply_pressure(c, dt, p); }, c.snow.count());
}

Vectors pressure_acceleration(const Configuration& c, const Scalars& p) {
    Vectors a = pressure_gradient(c, p);
    for (size_t i = 0; i < a.size(); ++i) a[i] = (-1 / c.density[i]) * a[i];
    return a;
}

std::vector<VelocityGradient> velocity_gradient_parts(const Configuration& c, const Vectors& v, const Vectors& v_b) {
    std::vector<VelocityGradient> parts(c.snow.count());
    for (size_t i = 0; i < c.snow.count(); ++i) {
        VelocityGradient& g = parts[i];
        for (size_t j = 0; j < c.snow.count(); ++j)
            g.from_snow += outer(v[j] - v[i], c.volume[j] * gradient_snow(c, i, j));
        for (size_t b = 0; b < c.boundary.count(); ++b)
            g.from_boundary += outer(v_b[b] - v[i], c.boundary.volume[b] * gradient_boundary(c, i, b));

        const Mat3 L_transposed = transpose(c.L[i]);
        g.corrected = g.from_snow * L_transposed + (trace(g.from_boundary * L_transposed) / 3) * identity();

        const Mat3 volume_part = (trace(g.from_snow + g.from_boundary) / 3) * identity();
        const Mat3 rotation_part = 0.5 * (g.corrected - transpose(g.corrected));
        const Mat3 shear_part = symmetric_part(g.corrected) - (trace(g.corrected) / 3) * identity();
        g.total = rotation_part + volume_part + shear_part;
    }
    return parts;
}

Matrices velocity_gradient(const Configuration& c, const Vectors& v, const Vectors& v_b) {
    Matrices total;
    for (const VelocityGradient& g : velocity_gradient_parts(c, v, v_b)) total.push_back(g.total);
    return total;
}

Vectors stress_divergence(const Configuration& c, const Matrices& sigma) {
    Vectors div(c.snow.count());
    for (size_t i = 0; i < c.snow.count(); ++i) {
        for (size_t j = 0; j < c.snow.count(); ++j) {
            const Vec3 corrected_ij = c.L[i] * gradient_snow(c, i, j);
            const Vec3 corrected_ji = c.L[j] * gradient_snow(c, j, i);
            div[i] += sigma[j] * (-c.volume[j] * corrected_ji) + sigma[i] * (c.volume[j] * corrected_ij);
        }
        const Mat3 mirrored = (trace(sigma[i]) / 3) * identity();
        for (size_t b = 0; b < c.boundary.count(); ++b)
            div[i] += mirrored * (c.boundary.volume[b] * (c.L[i] * gradient_boundary(c, i, b)));
    }
    return div;
}

Matrices moved_deformation(const Configuration& c, double dt, const Vectors& v, const Vectors& v_b) {
    const Matrices gradient = velocity_gradient(c, v, v_b);
    Matrices F(c.snow.count());
    for (size_t i = 0; i < F.size(); ++i) F[i] = c.snow.F_E[i] + dt * (gradient[i] * c.snow.F_E[i]);
    return F;
}

Matrices stress(const Configuration& c, const Matrices& strain) {
    Matrices sigma(strain.size());
    for (size_t i = 0; i < strain.size(); ++i) {
        sigma[i] = (2 * c.G[i]) * strain[i];
        if (c.parameters.combined) sigma[i] += (c.lambda[i] * trace(strain[i])) * identity();
    }
    return sigma;
}

Vectors shear_right_hand_side(const Configuration& c, double dt, const Vectors& v_star_star) {
    Matrices strain = moved_deformation(c, dt, v_star_star, c.boundary.velocity);
    for (Mat3& s : strain) s = symmetric_part(s) - identity();
    Vectors b = stress_divergence(c, stress(c, strain));
    for (size_t i = 0; i < b.size(); ++i) b[i] = b[i] / c.density[i];
    return b;
}

Vectors apply_shear(const Configuration& c, double dt, const Vectors& a) {
    const Matrices gradient = velocity_gradient(c, a, boundary_at_rest(c));
    Matrices strain(c.snow.count());
    for (size_t i = 0; i < strain.size(); ++i) strain[i] = symmetric_part(gradient[i] * c.snow.F_E[i]);
    const Vectors div = stress_divergence(c, stress(c, strain));
    Vectors Aa(c.snow.count());
    for (size_t i = 0; i < Aa.size(); ++i) Aa[i] = a[i] - (dt * dt / c.density[i]) * div[i];
    return Aa;
}

DenseMatrix shear_matrix(const Configuration& c, double dt) {
    return assemble([&](const Scalars& a) { return flatten(apply_shear(c, dt, unflatten(a))); }, 3 * c.snow.count());
}

Scalars flatten(const Vectors& vectors) {
    Scalars flat;
    for (const Vec3& v : vectors) flat.insert(flat.end(), {v.x, v.y, v.z});
    return flat;
}

Vectors unflatten(const Scalars& flat) {
    Vectors vectors(flat.size() / 3);
    for (size_t i = 0; i < vectors.size(); ++i) vectors[i] = {flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]};
    return vectors;
}

Mat3 plastic_clamp(const Mat3& F, double theta_c, double theta_s) {
    const SingularValues s = singular_values(F);
    Mat3 clamped;
    for (int k = 0; k < 3; ++k)
        clamped += std::clamp(s.sigma[k], 1 - theta_c, 1 + theta_s) * outer(column(s.V, k), column(s.V, k));
    return clamped;
}

PressureSolution solve_pressure(const Configuration& c, double dt, const Vectors& v_star, bool exact) {
    const Parameters& parameters = c.parameters;
    const Scalars b = pressure_right_hand_side(c, dt, v_star);
    PressureSolution solution;
    if (exact) {
        solution.p = solve(pressure_matrix(c, dt), b);
        return solution;
    }
    const LinearOperator A = [&](const Scalars& p) { return apply_pressure(c, dt, p); };
    const IterativeSolution s = relaxed_jacobi(A, pressure_diagonal(c, dt), b, parameters.omega, parameters.rho0,
                                               parameters.pressure_tolerance, parameters.pressure_iterations_max);
    return {s.x, s.iterations, s.residual, s.converged};
}

ShearSolution solve_shear(const Configuration& c, double dt, const Vectors& v_star_star, bool exact) {
    const Parameters& parameters = c.parameters;
    const Scalars b = flatten(shear_right_hand_side(c, dt, v_star_star));
    ShearSolution solution;
    if (exact) {
        solution.a = unflatten(solve(shear_matrix(c, dt), b));
        return solution;
    }
    const LinearOperator A = [&](const Scalars& a) { return flatten(apply_shear(c, dt, unflatten(a))); };
    const IterativeSolution s = bicgstab(A, b, parameters.shear_tolerance, parameters.shear_iterations_max);
    return {unflatten(s.x), s.iterations, s.residual, s.converged};
}

// Gissler 2020, Algorithm 1.
Step step(Snow& snow, Boundary& boundary, const Parameters& parameters, double dt, bool exact) {
    const size_t n = snow.count();
    Step s;
    s.before = configuration(snow, boundary, parameters);
    const Configuration& c = s.before;

    s.a_other = adhesion(c);
    for (Vec3& a : s.a_other) a += parameters.gravity;
    s.a_friction = friction(c, dt, s.a_other);
    s.v_star = sum_of(sum_of(snow.velocity, dt, s.a_other), dt, s.a_friction);

    if (parameters.combined)
        s.pressure.p.assign(n, 0.0);
    else
        s.pressure = solve_pressure(c, dt, s.v_star, exact);
    s.a_lambda = pressure_acceleration(c, s.pressure.p);
    s.v_star_star = sum_of(s.v_star, dt, s.a_lambda);

    s.shear = solve_shear(c, dt, s.v_star_star, exact);

    snow.velocity = sum_of(s.v_star_star, dt, s.shear.a);
    s.F_moved = moved_deformation(c, dt, snow.velocity, boundary.velocity);
    for (size_t i = 0; i < n; ++i) snow.F_E[i] = plastic_clamp(s.F_moved[i], parameters.theta_c, parameters.theta_s);
    snow.position = sum_of(snow.position, dt, snow.velocity);
    snow.pressure = s.pressure.p;
    boundary.position = sum_of(boundary.position, dt, boundary.velocity);
    return s;
}

}  // namespace reference
