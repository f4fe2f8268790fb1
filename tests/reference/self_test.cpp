// Proves the reference itself, before it is used to judge the engine.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "published_snow.h"
#include "symmetric_eigen.h"

namespace reference {
namespace {

const double dt = 1e-3;

struct Random {
    std::mt19937_64 engine{20200708};

    double operator()(double low = -1, double high = 1) {
        return low + (high - low) * std::generate_canonical<double, 53>(engine);
    }
    Vec3 vector(double size = 1) {
        const double x = (*this)(-size, size), y = (*this)(-size, size), z = (*this)(-size, size);
        return {x, y, z};
    }
    Mat3 matrix(double size = 1) {
        Mat3 A;
        for (auto& row : A.m)
            for (double& e : row) e = (*this)(-size, size);
        return A;
    }
    Mat3 rotation() { return rotation_by(vector(2)); }

    static Mat3 rotation_by(const Vec3& w) {
        const double angle = length(w);
        const Vec3 k = w / angle;
        Mat3 K;
        K(0, 1) = -k.z, K(0, 2) = k.y, K(1, 2) = -k.x;
        K(1, 0) = k.z, K(2, 0) = -k.y, K(2, 1) = k.x;
        return identity() + std::sin(angle) * K + (1 - std::cos(angle)) * (K * K);
    }
};

Parameters test_parameters() {
    Parameters parameters;
    parameters.spacing = 0.05;
    return parameters;
}

Vectors lattice(int nx, int ny, int nz, double dx, Vec3 corner = {}) {
    Vectors position;
    for (int i = 0; i < nx; ++i)
        for (int j = 0; j < ny; ++j)
            for (int k = 0; k < nz; ++k) position.push_back(corner + dx * Vec3{i + 0.5, j + 0.5, k + 0.5});
    return position;
}

struct Scene {
    Parameters parameters = test_parameters();
    Snow snow;
    Boundary boundary;

    Configuration configuration() const { return reference::configuration(snow, boundary, parameters); }
};

/// A compressed, jittered block in motion with random elastic strains: no symmetry for an error to hide behind.
Scene free_block(int nx = 4, int ny = 4, int nz = 4) {
    Random random;
    Scene scene;
    const double dx = scene.parameters.spacing;
    scene.snow = make_snow(lattice(nx, ny, nz, 0.95 * dx), scene.parameters);
    for (size_t i = 0; i < scene.snow.count(); ++i) {
        scene.snow.position[i] += random.vector(0.15 * dx);
        scene.snow.velocity[i] = random.vector();
        const Mat3 A = random.matrix(0.01);
        scene.snow.F_E[i] = identity() + A + transpose(A);
        scene.snow.mass[i] *= random(0.9, 1.1);
    }
    return scene;
}

/// The same on a moving floor, and with a moving wall that is a body of its own.
Scene block_on_floor(int nx = 4, int ny = 4, int nz = 4) {
    Scene scene = free_block(nx, ny, nz);
    Random random;
    const double dx = scene.parameters.spacing;
    const Vectors floor = lattice(nx + 4, 1, nz + 4, dx, {-2 * dx, -dx, -2 * dx});
    const Vectors wall = lattice(1, ny, nz, dx, {-dx, 0, 0});
    add_body(scene.boundary, floor, Vectors(floor.size(), {0.3, 0, -0.2}), scene.parameters, 1.0, 3.0);
    Vectors wall_velocity;
    for (size_t b = 0; b < wall.size(); ++b) wall_velocity.push_back(random.vector(0.5));
    add_body(scene.boundary, wall, wall_velocity, scene.parameters, 20.0, 0.0);
    return scene;
}

Vectors random_vectors(size_t n, double size = 1) {
    Random random;
    Vectors v(n);
    for (Vec3& a : v) a = random.vector(size);
    return v;
}

Scalars random_scalars(size_t n, double size = 1) {
    Random random;
    random.engine.discard(1000);
    Scalars s(n);
    for (double& a : s) a = random(-size, size);
    return s;
}

double largest(const Vectors& v) {
    double m = 0;
    for (const Vec3& a : v) m = std::max(m, length(a));
    return m;
}

double largest_difference(const Vectors& a, const Vectors& b) {
    double m = 0;
    for (size_t i = 0; i < a.size(); ++i) m = std::max(m, length(a[i] - b[i]));
    return m;
}

double largest(const Scalars& v) {
    double m = 0;
    for (double a : v) m = std::max(m, std::abs(a));
    return m;
}

double largest_difference(const Scalars& a, const Scalars& b) {
    double m = 0;
    for (size_t i = 0; i < a.size(); ++i) m = std::max(m, std::abs(a[i] - b[i]));
    return m;
}

// ---- matrices

TEST(SymmetricEigen, RebuildsTheMatrix) {
    Random random;
    for (int trial = 0; trial < 2000; ++trial) {
        const Mat3 R = random.rotation();
        Mat3 D = diagonal(random(), random(), random());
        if (trial % 4 == 1) D(1, 1) = D(0, 0);
        if (trial % 4 == 2) D = D(0, 0) * identity();
        if (trial % 4 == 3) D(2, 2) = 1e-9 * D(0, 0);
        const Mat3 A = R * D * transpose(R);
        const SymmetricEigen e = symmetric_eigen(A);
        EXPECT_LE(e.value[0], e.value[1]);
        EXPECT_LE(e.value[1], e.value[2]);
        EXPECT_LT(norm(e.Q * diagonal(e.value[0], e.value[1], e.value[2]) * transpose(e.Q) - A), 1e-14);
        EXPECT_LT(norm(transpose(e.Q) * e.Q - identity()), 1e-14);
        EXPECT_NEAR(e.value[0] * e.value[1] * e.value[2], D(0, 0) * D(1, 1) * D(2, 2), 1e-14);
    }
    EXPECT_EQ(norm(symmetric_eigen(Mat3{}).Q - identity()), 0);
}

TEST(SingularValues, RebuildTheMatrix) {
    Random random;
    for (int trial = 0; trial < 2000; ++trial) {
        Mat3 F = random.matrix();
        if (trial % 3 == 1) F = outer(random.vector(), random.vector());
        if (trial % 3 == 2) F = identity() + 1e-8 * F;
        const SingularValues s = singular_values(F);
        EXPECT_LT(norm(s.U_sigma * transpose(s.V) - F), 1e-14);
        EXPECT_LT(norm(transpose(s.V) * s.V - identity()), 1e-14);
        const Mat3 S2 = transpose(s.U_sigma) * s.U_sigma;
        EXPECT_LT(norm(S2 - diagonal(S2(0, 0), S2(1, 1), S2(2, 2))), 1e-14);
        EXPECT_NEAR(s.sigma[0] * s.sigma[1] * s.sigma[2], std::abs(determinant(F)), 1e-14);
    }
}

TEST(PseudoInverse, IsTheInverseWhereThereIsOne) {
    Random random;
    for (int trial = 0; trial < 100; ++trial) {
        const Mat3 R = random.rotation();
        const double a = random(0.2, 2), b = random(0.2, 2), c = random(0.2, 2);
        const Mat3 M = R * diagonal(a, b, c) * transpose(R);
        EXPECT_LT(norm(pseudo_inverse(M) * M - identity()), 1e-13);
        const Mat3 flat = R * diagonal(a, 0.99e-4 * a, 0) * transpose(R);
        EXPECT_LT(norm(pseudo_inverse(flat) - R * diagonal(1 / a, 0, 0) * transpose(R)), 1e-12);
        const Mat3 thin = R * diagonal(a, 1.01e-4 * a, 0) * transpose(R);
        EXPECT_NEAR(trace(pseudo_inverse(thin)), 1 / a + 1 / (1.01e-4 * a), 1e-6 / a);
    }
    EXPECT_EQ(norm(pseudo_inverse(Mat3{})), 0);
}

TEST(LinearSolve, EliminationNeedsItsPivots) {
    const size_t n = 40;
    Random random;
    DenseMatrix A(n);
    for (double& e : A.entry) e = random();
    for (size_t i = 0; i < n; ++i) A(i, i) = 0;
    const Scalars x = random_scalars(n);
    Scalars b(n, 0.0);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) b[i] += A(i, j) * x[j];
    EXPECT_LT(largest_difference(solve(A, b), x), 1e-11);
    EXPECT_THROW(solve(DenseMatrix(3), {1, 1, 1}), std::runtime_error);
}

// ---- kernel

TEST(Kernel, IntegratesToOne) {
    const double H = 0.1;
    const int n = 20000;  // even: Simpson on both polynomial pieces
    double sum = 0;
    for (int k = 0; k <= n; ++k) {
        const double r = H * k / n;
        const double weight = k == 0 || k == n ? 1 : k % 2 ? 4 : 2;
        sum += weight * 4 * M_PI * r * r * kernel({r, 0, 0}, H);
    }
    EXPECT_NEAR(sum * H / n / 3, 1, 1e-12);
    EXPECT_DOUBLE_EQ(kernel({}, H), 8 / (M_PI * H * H * H));
    EXPECT_EQ(kernel({0, H, 0}, H), 0);
    EXPECT_EQ(kernel({0, 1.01 * H, 0}, H), 0);
}

TEST(Kernel, GradientIsTheFiniteDifference) {
    const double H = 0.1, e = 1e-6;
    Random random;
    for (int trial = 0; trial < 1000; ++trial) {
        const Vec3 x = random.vector(0.07);
        const Vec3 gradient = kernel_gradient(x, H);
        for (int k = 0; k < 3; ++k) {
            Vec3 low = x, high = x;
            low[k] -= e;
            high[k] += e;
            EXPECT_NEAR(gradient[k], (kernel(high, H) - kernel(low, H)) / (2 * e), 1e-6 * 8 / std::pow(H, 4));
        }
    }
    EXPECT_EQ(length(kernel_gradient({}, H)), 0);
}

// ---- lines 2 and 3 of Algorithm 1

TEST(Density, OfALatticeAndOfALoneParticle) {
    Scene scene;
    const double dx = scene.parameters.spacing;
    scene.snow = make_snow(lattice(5, 5, 5, dx), scene.parameters);
    const Configuration bulk = scene.configuration();
    // 1 + 6 W(dx) + 12 W(sqrt2 dx) + 8 W(sqrt3 dx), each times dx^3, is the density of a lattice's inside over rho0.
    const double H = 2 * dx;
    const double sum =
        kernel({}, H) + 6 * kernel({dx, 0, 0}, H) + 12 * kernel({dx, dx, 0}, H) + 8 * kernel({dx, dx, dx}, H);
    EXPECT_NEAR(bulk.density[62], scene.parameters.rho0 * dx * dx * dx * sum, 1e-9);
    // The figures of physics-notes.md, point 1: inside, face, edge, corner.
    const Scalars factor = hardening_factor(bulk.rest_density, scene.parameters);
    EXPECT_NEAR(trace(bulk.M[62]) / 3, 1.02, 0.005);
    EXPECT_NEAR(trace(bulk.M[12]) / 3, 0.83, 0.005);
    EXPECT_NEAR(trace(bulk.M[2]) / 3, 0.65, 0.005);
    EXPECT_NEAR(trace(bulk.M[0]) / 3, 0.48, 0.005);
    EXPECT_NEAR(factor[62], 1, 0.001);
    EXPECT_NEAR(factor[12], 0.17, 0.005);
    EXPECT_NEAR(factor[2], 0.02, 0.0005);
    EXPECT_NEAR(factor[0], 0.0015, 0.00005);

    scene.snow = make_snow({{0, 0, 0}}, scene.parameters);
    const Configuration lone = scene.configuration();
    EXPECT_NEAR(lone.density[0], scene.parameters.rho0 / M_PI, 1e-9);
    EXPECT_NEAR(hardening_factor(lone.rest_density, scene.parameters)[0], 5e-10, 0.1e-10);
    EXPECT_EQ(norm(lone.L[0]), 0);
}

TEST(Density, BoundaryVolumesBelongToTheirBody) {
    const Parameters parameters = test_parameters();
    const double dx = parameters.spacing, H = parameters.support();
    const Vectors plane = lattice(7, 1, 7, dx);
    Boundary boundary;
    add_body(boundary, plane, Vectors(49), parameters);
    add_body(boundary, plane, Vectors(49), parameters);  // at the same place: another body all the same
    const double sum = kernel({}, H) + 4 * kernel({dx, 0, 0}, H) + 4 * kernel({dx, 0, dx}, H);
    EXPECT_NEAR(boundary.volume[24], 0.8 / sum, 1e-15);
    EXPECT_EQ(boundary.volume[24], boundary.volume[24 + 49]);
    EXPECT_NEAR(boundary_volumes({{1, 2, 3}}, H)[0], 0.8 * M_PI * dx * dx * dx, 1e-15);
}

TEST(Density, ItsRateIsTheDivergence) {
    // d rho / dt = sum m (v_i - v_k) . grad W is -rho0 div v, Eq. 6, where every V_j is m_j / rho0.
    Scene scene = block_on_floor();
    Configuration c = scene.configuration();
    for (size_t i = 0; i < c.snow.count(); ++i) c.volume[i] = c.snow.mass[i] / c.parameters.rho0;
    const Scalars div = divergence(c, c.snow.velocity, c.boundary.velocity);

    const double e = 1e-6;
    auto moved_density = [&](double time) {
        Scene moved = scene;
        for (size_t i = 0; i < moved.snow.count(); ++i) moved.snow.position[i] += time * scene.snow.velocity[i];
        for (size_t b = 0; b < moved.boundary.count(); ++b)
            moved.boundary.position[b] += time * scene.boundary.velocity[b];
        return density(moved.snow, moved.boundary, moved.parameters);
    };
    const Scalars before = moved_density(-e), after = moved_density(e);
    for (size_t i = 0; i < c.snow.count(); ++i)
        EXPECT_NEAR((after[i] - before[i]) / (2 * e), -c.parameters.rho0 * div[i],
                    1e-5 * c.parameters.rho0 * largest(div));
}

TEST(Lame, IsTheMaterialAtRestAndHardens) {
    const Parameters parameters = test_parameters();
    const Lame l = lame({400, 800}, parameters);
    EXPECT_NEAR(l.G[0], 140e3 / 2.4, 1e-9);
    EXPECT_NEAR(l.lambda[0], 38.8888888889e3, 1e-3);  // the paper's 38.8 kPa, 4.1.2
    EXPECT_NEAR(l.G[1] / l.G[0], std::exp(5.0), 1e-9);
    EXPECT_NEAR(rest_density({500}, {diagonal(-1, 0.9, 0.9)})[0], 405, 1e-9);
}

// ---- pressure

TEST(Pressure, DiagonalIsThatOfTheMatrix) {
    for (const Scene& scene : {free_block(), block_on_floor()}) {
        const Configuration c = scene.configuration();
        for (double step_size : {dt, 20 * dt}) {
            const DenseMatrix A = pressure_matrix(c, step_size);
            const Scalars a = pressure_diagonal(c, step_size);
            for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i] / A(i, i), 1, 1e-12);
        }
    }
}

TEST(Pressure, OperatorIsLinearAndIsItsMatrix) {
    const Configuration c = block_on_floor().configuration();
    const size_t n = c.snow.count();
    const Scalars p = random_scalars(n, 1e4);
    const DenseMatrix A = pressure_matrix(c, dt);
    const Scalars Ap = apply_pressure(c, dt, p);
    for (size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (size_t j = 0; j < n; ++j) sum += A(i, j) * p[j];
        EXPECT_NEAR(Ap[i], sum, 1e-11 * largest(Ap));
    }
}

TEST(Pressure, GradientIsAdjointToTheDivergence) {
    // Without boundaries sum V p div v = -sum V v . grad p: Eq. 6 and 7 belong together.
    const Configuration c = free_block().configuration();
    const Scalars p = random_scalars(c.snow.count(), 1e4);
    const Scalars div = divergence(c, c.snow.velocity, {});
    const Vectors gradient = pressure_gradient(c, p);
    double left = 0, right = 0;
    for (size_t i = 0; i < c.snow.count(); ++i) {
        left += c.volume[i] * p[i] * div[i];
        right -= c.volume[i] * dot(c.snow.velocity[i], gradient[i]);
    }
    EXPECT_NEAR(left, right, 1e-12 * std::abs(left));
}

TEST(Pressure, OperatorIsTheChangeOfTheRightHandSide) {
    // Eq. 5 comes from Eq. 2 and 3: with one density, v* - dt grad p / rho changes rho* by what the Laplacian adds.
    // Boundary velocities do not change, which is why grad p is zero there.
    Configuration c = block_on_floor().configuration();
    c.density.assign(c.snow.count(), 431.0);
    const Scalars p = random_scalars(c.snow.count(), 1e3);
    Vectors v = c.snow.velocity;
    const Scalars before = pressure_right_hand_side(c, dt, v);
    const Vectors a = pressure_acceleration(c, p);
    for (size_t i = 0; i < v.size(); ++i) v[i] += dt * a[i];
    const Scalars after = pressure_right_hand_side(c, dt, v);
    const Scalars Ap = apply_pressure(c, dt, p);
    for (size_t i = 0; i < v.size(); ++i)
        EXPECT_NEAR(Ap[i], -c.rest_density[i] / c.lambda[i] * p[i] - (after[i] - before[i]), 1e-11 * largest(Ap));
}

TEST(Pressure, RightHandSideCancelsTheDensity) {
    const Configuration c = block_on_floor().configuration();
    const Scalars b = pressure_right_hand_side(c, dt, c.snow.velocity);
    const Scalars div = divergence(c, c.snow.velocity, c.boundary.velocity);
    for (size_t i = 0; i < b.size(); ++i)
        EXPECT_NEAR(b[i], c.density[i] * (std::abs(determinant(c.snow.F_E[i])) - 1 + dt * div[i]), 1e-10);
}

TEST(Pressure, MatchesASmoothFieldInsideALattice) {
    Scene scene;
    const double dx = scene.parameters.spacing;
    scene.snow = make_snow(lattice(7, 7, 7, dx), scene.parameters);
    const Configuration c = scene.configuration();
    Scalars p;
    Vectors v;
    for (const Vec3& x : c.snow.position) {
        p.push_back(2 * x.x - x.y + 3 * x.z);
        v.push_back({std::sin(2 * x.x), x.y * x.y, x.x * x.z});
    }
    const size_t middle = 171;
    const Vec3 x = c.snow.position[middle];
    const double e = 1e-5;
    auto velocity = [](const Vec3& y) { return Vec3{std::sin(2 * y.x), y.y * y.y, y.x * y.z}; };
    double difference = 0;
    for (int k = 0; k < 3; ++k) {
        Vec3 low = x, high = x;
        low[k] -= e;
        high[k] += e;
        difference += (velocity(high)[k] - velocity(low)[k]) / (2 * e);
    }
    EXPECT_NEAR(divergence(c, v, {})[middle], difference, 0.03 * difference);
    EXPECT_LT(length(pressure_gradient(c, p)[middle] - Vec3{2, -1, 3}), 0.1);
}

TEST(Pressure, IterationReachesTheDirectSolution) {
    for (Scene scene : {free_block(), block_on_floor()}) {
        scene.parameters.pressure_tolerance = 1e-14;
        const Configuration c = scene.configuration();
        const PressureSolution direct = solve_pressure(c, dt, c.snow.velocity, true);
        const PressureSolution iterative = solve_pressure(c, dt, c.snow.velocity, false);
        EXPECT_TRUE(iterative.converged);
        EXPECT_LT(largest_difference(direct.p, iterative.p), 1e-8 * largest(direct.p));
        const Scalars Ap = apply_pressure(c, dt, direct.p);
        EXPECT_LT(largest_difference(Ap, pressure_right_hand_side(c, dt, c.snow.velocity)), 1e-10);
    }
}

TEST(Pressure, StopsByTheMeanOfTheResidual) {
    const Configuration c = block_on_floor().configuration();
    const PressureSolution s = solve_pressure(c, dt, c.snow.velocity, false);
    const Scalars Ap = apply_pressure(c, dt, s.p);
    const Scalars b = pressure_right_hand_side(c, dt, c.snow.velocity);
    double mean = 0;
    for (size_t i = 0; i < b.size(); ++i) mean += std::abs(b[i] - Ap[i]) / 400 / static_cast<double>(b.size());
    EXPECT_NEAR(mean, s.residual, 1e-15);
    EXPECT_LT(mean, 1e-3);
    EXPECT_GT(s.iterations, 0);
}

// ---- shear

TEST(Shear, CorrectedGradientIsExactForLinearFields) {
    const Configuration c = free_block().configuration();
    Random random;
    const Mat3 A = random.matrix();
    Vectors v;
    for (const Vec3& x : c.snow.position) v.push_back(A * x + Vec3{1, 2, 3});
    const auto parts = velocity_gradient_parts(c, v, {});
    const Scalars div = divergence(c, v, {});
    for (size_t i = 0; i < parts.size(); ++i) {
        EXPECT_LT(norm(parts[i].corrected - A), 1e-11);
        EXPECT_LT(norm(parts[i].total - (A + ((div[i] - trace(A)) / 3) * identity())), 1e-11);
    }
}

TEST(Shear, CorrectionCountsTheBoundary) {
    // A linear field over snow and boundary: only the moment of both makes the corrected gradient of both exact.
    const Configuration c = block_on_floor().configuration();
    const Mat3 A = Random().matrix();
    Vectors v, v_b;
    for (const Vec3& x : c.snow.position) v.push_back(A * x);
    for (const Vec3& x : c.boundary.position) v_b.push_back(A * x);
    const auto parts = velocity_gradient_parts(c, v, v_b);
    for (size_t i = 0; i < parts.size(); ++i)
        EXPECT_LT(norm((parts[i].from_snow + parts[i].from_boundary) * transpose(c.L[i]) - A), 1e-11);
}

TEST(Shear, BoundaryReachesTheGradientThroughTheTraceOnly) {
    const Configuration c = block_on_floor().configuration();
    const auto parts = velocity_gradient_parts(c, c.snow.velocity, c.boundary.velocity);
    const Scalars div = divergence(c, c.snow.velocity, c.boundary.velocity);
    for (size_t i = 0; i < parts.size(); ++i) {
        const Mat3 corrected_snow = parts[i].from_snow * c.L[i];
        EXPECT_NEAR(trace(parts[i].total), div[i], 1e-10);
        const Mat3 expected = corrected_snow + ((div[i] - trace(corrected_snow)) / 3) * identity();
        EXPECT_LT(norm(parts[i].total - expected), 1e-10);
    }
}

TEST(Shear, StressDivergenceIsAdjointToTheGradient) {
    const Configuration c = free_block().configuration();
    Random random;
    Matrices sigma;
    for (size_t i = 0; i < c.snow.count(); ++i) {
        const Mat3 A = random.matrix();
        sigma.push_back(A + transpose(A));
    }
    const auto parts = velocity_gradient_parts(c, c.snow.velocity, {});
    const Vectors div = stress_divergence(c, sigma);
    double left = 0, right = 0;
    for (size_t i = 0; i < c.snow.count(); ++i) {
        left += c.volume[i] * trace(transpose(sigma[i]) * parts[i].corrected);
        right -= c.volume[i] * dot(c.snow.velocity[i], div[i]);
    }
    EXPECT_NEAR(left, right, 1e-12 * std::abs(left));
}

TEST(Shear, StressDivergenceMirrorsTheMeanAtTheBoundary) {
    // Against Eq. 19 in the form sum_j V_j (T_i + T_j) grad W_ij, T = sigma L, and the boundary's part written by hand.
    const Configuration c = block_on_floor().configuration();
    const double H = c.parameters.support();
    Random random;
    Matrices sigma;
    for (size_t i = 0; i < c.snow.count(); ++i) sigma.push_back(random.matrix());
    const Vectors div = stress_divergence(c, sigma);
    for (size_t i = 0; i < c.snow.count(); ++i) {
        Vec3 expected;
        for (size_t j = 0; j < c.snow.count(); ++j)
            expected += c.volume[j] * ((sigma[i] * c.L[i] + sigma[j] * c.L[j]) *
                                       kernel_gradient(c.snow.position[i] - c.snow.position[j], H));
        Vec3 boundary;
        for (size_t b = 0; b < c.boundary.count(); ++b)
            boundary += c.boundary.volume[b] * kernel_gradient(c.snow.position[i] - c.boundary.position[b], H);
        expected += (trace(sigma[i]) / 3) * (c.L[i] * boundary);
        EXPECT_LT(length(div[i] - expected), 1e-11 * largest(div));
    }
}

TEST(Shear, OperatorIsTheChangeOfTheRightHandSide) {
    // Eq. 13: a velocity v** + dt a moves the right-hand side of Eq. 14 by what its left-hand side takes from a.
    for (bool combined : {false, true}) {
        Scene scene = block_on_floor();
        scene.parameters.combined = combined;
        const Configuration c = scene.configuration();
        const Vectors a = random_vectors(c.snow.count(), 100);
        Vectors v = c.snow.velocity;
        const Vectors before = shear_right_hand_side(c, dt, v);
        for (size_t i = 0; i < v.size(); ++i) v[i] += dt * a[i];
        const Vectors after = shear_right_hand_side(c, dt, v);
        const Vectors Aa = apply_shear(c, dt, a);
        for (size_t i = 0; i < v.size(); ++i)
            EXPECT_LT(length(Aa[i] - (a[i] - (after[i] - before[i]))), 1e-10 * largest(Aa));
    }
}

TEST(Shear, OperatorIsLinearAndIsItsMatrix) {
    Scene scene = block_on_floor(3, 3, 3);
    scene.parameters.combined = true;
    const Configuration c = scene.configuration();
    const Scalars a = flatten(random_vectors(c.snow.count(), 100));
    const DenseMatrix A = shear_matrix(c, dt);
    const Scalars Aa = flatten(apply_shear(c, dt, unflatten(a)));
    for (size_t i = 0; i < a.size(); ++i) {
        double sum = 0;
        for (size_t j = 0; j < a.size(); ++j) sum += A(i, j) * a[j];
        EXPECT_NEAR(Aa[i], sum, 1e-11 * largest(Aa));
    }
}

TEST(Shear, SmoothStrainGivesTheLameOperatorInsideALattice) {
    // u = (0, sin kx, 0): div sigma is G d2u/dx2, taken here by finite differences of the known displacement.
    Scene scene;
    scene.parameters.combined = true;
    const double dx = scene.parameters.spacing, k = 4;
    scene.snow = make_snow(lattice(9, 5, 5, dx), scene.parameters);
    Configuration c = scene.configuration();
    c.G.assign(c.snow.count(), 5e4);
    c.lambda.assign(c.snow.count(), 3e4);
    Matrices strain;
    for (const Vec3& x : c.snow.position) {
        Mat3 gradient;
        gradient(1, 0) = k * std::cos(k * x.x);
        strain.push_back(0.5 * (gradient + transpose(gradient)));
    }
    const Vec3 div = stress_divergence(c, stress(c, strain))[112];
    const double e = 1e-4, x = c.snow.position[112].x;
    const double expected = 5e4 * (std::sin(k * (x + e)) - 2 * std::sin(k * x) + std::sin(k * (x - e))) / (e * e);
    EXPECT_NEAR(div.y, expected, 0.03 * std::abs(expected));
    EXPECT_NEAR(div.x, 0, 1e-3 * std::abs(expected));
    EXPECT_NEAR(div.z, 0, 1e-3 * std::abs(expected));
}

TEST(Shear, StressIsHookes) {
    Configuration c = free_block(1, 1, 1).configuration();
    c.G = {3};
    c.lambda = {5};
    Mat3 strain = diagonal(1, 2, 4);
    strain(0, 1) = strain(1, 0) = 7;
    const Mat3 expected = 6.0 * strain;
    EXPECT_EQ(norm(stress(c, {strain})[0] - expected), 0);
    c.parameters.combined = true;
    EXPECT_EQ(norm(stress(c, {strain})[0] - (expected + 35.0 * identity())), 0);
}

TEST(Shear, IterationReachesTheDirectSolution) {
    for (bool combined : {false, true})
        for (Scene scene : {free_block(), block_on_floor()}) {
            scene.parameters.combined = combined;
            scene.parameters.shear_tolerance = 1e-12;
            const Configuration c = scene.configuration();
            const ShearSolution direct = solve_shear(c, dt, c.snow.velocity, true);
            const ShearSolution iterative = solve_shear(c, dt, c.snow.velocity, false);
            EXPECT_TRUE(iterative.converged);
            EXPECT_LT(largest_difference(direct.a, iterative.a), 1e-9 * largest(direct.a));
            const Vectors Aa = apply_shear(c, dt, direct.a);
            EXPECT_LT(largest_difference(Aa, shear_right_hand_side(c, dt, c.snow.velocity)), 1e-10 * largest(Aa));
        }
}

// ---- boundaries

TEST(Friction, SolvesItsImplicitEquation) {
    // v' = v + dt a_other + dt nu_b sum V_b (x.gradW) / (...) (v' - v_b)
    const Scene scene = block_on_floor();
    const Configuration c = scene.configuration();
    const double dx = c.parameters.spacing;
    const Vectors a_other(c.snow.count(), c.parameters.gravity);
    const Vectors a = friction(c, dt, a_other);
    for (size_t i = 0; i < c.snow.count(); ++i) {
        const Vec3 v = c.snow.velocity[i] + dt * a_other[i];
        const Vec3 v_new = v + dt * a[i];
        Vec3 right = v;
        for (size_t b = 0; b < c.boundary.count(); ++b) {
            const Vec3 x = c.snow.position[i] - c.boundary.position[b];
            const double laplacian =
                c.boundary.volume[b] * dot(x, kernel_gradient(x, 2 * dx)) / (dot(x, x) + 0.01 * dx * dx);
            right += (dt * c.boundary.friction[b] * laplacian) * (v_new - c.boundary.velocity[b]);
        }
        EXPECT_LT(length(v_new - right), 1e-12);
    }
}

TEST(Friction, GoesFromSlipToStick) {
    for (double nu_b : {0.0, 1e9}) {
        Scene scene;
        const double dx = scene.parameters.spacing;
        scene.snow = make_snow({{0, dx / 2, 0}}, scene.parameters);
        scene.snow.velocity[0] = {1, -2, 3};
        const Vectors floor = lattice(5, 1, 5, dx, {-2.5 * dx, -dx, -2.5 * dx});
        add_body(scene.boundary, floor, Vectors(25, {0.5, 0, 0}), scene.parameters, nu_b);
        const Vec3 v = scene.snow.velocity[0] + dt * friction(scene.configuration(), dt, Vectors(1))[0];
        EXPECT_LT(length(v - (nu_b == 0 ? Vec3{1, -2, 3} : Vec3{0.5, 0, 0})), 1e-5);
    }
}

TEST(Adhesion, PullsFromHalfTheSupportOn) {
    const double H = 0.1;
    EXPECT_EQ(adhesion_kernel(0.5 * H, H), 0);
    EXPECT_EQ(adhesion_kernel(1.001 * H, H), 0);
    EXPECT_NEAR(adhesion_kernel(0.75 * H, H), 0.007 / std::pow(H, 3) * std::sqrt(0.5), 1e-12);
    for (double q : {0.55, 0.7, 0.8, 0.95}) EXPECT_LT(adhesion_kernel(q * H, H), adhesion_kernel(0.75 * H, H));

    Scene scene;
    scene.snow = make_snow({{0, 0.75 * H, 0}}, scene.parameters);
    add_body(scene.boundary, {{0, 0, 0}}, {{0, 0, 0}}, scene.parameters, 0, 2);
    const Configuration c = scene.configuration();
    const Vec3 a = adhesion(c)[0];
    EXPECT_NEAR(a.y, -2 * 400 * c.boundary.volume[0] * 0.007 / std::pow(H, 3) * std::sqrt(0.5), 1e-9);
    EXPECT_EQ(a.x, 0);
}

// ---- plasticity

TEST(Plasticity, ClampsTheStretchAndDropsTheRotation) {
    Random random;
    for (int trial = 0; trial < 200; ++trial) {
        const Mat3 R = random.rotation(), Q = random.rotation();
        const double within = random(0.98, 1.005);
        const Mat3 F = R * (Q * diagonal(0.9, within, 1.1) * transpose(Q));
        const Mat3 expected = Q * diagonal(0.975, within, 1.0075) * transpose(Q);
        EXPECT_LT(norm(plastic_clamp(F, 0.025, 0.0075) - expected), 1e-13);
        EXPECT_LT(norm(plastic_clamp(diagonal(-1, 1, 1) * F, 0.025, 0.0075) - expected), 1e-13);  // inverted
        EXPECT_LT(norm(plastic_clamp(R, 0.025, 0.0075) - identity()), 1e-13);
    }
    EXPECT_LT(norm(plastic_clamp(Mat3{}, 0.025, 0.0075) - 0.975 * identity()), 1e-15);
}

// ---- the step

struct Momentum {
    Vec3 linear, angular;
    double scale = 0;  ///< sum of |m a|
};

Momentum momentum(const Snow& snow, const Vectors& a) {
    Momentum m;
    for (size_t i = 0; i < snow.count(); ++i) {
        m.linear += snow.mass[i] * a[i];
        m.angular += snow.mass[i] * cross(snow.position[i], a[i]);
        m.scale += snow.mass[i] * length(a[i]);
    }
    return m;
}

TEST(Step, ForcesConserveMomentumWithoutBoundaries) {
    for (bool exact : {false, true})
        for (bool combined : {false, true}) {
            Scene scene = free_block();
            scene.parameters.combined = combined;
            const Snow before = scene.snow;
            const Step s = step(scene.snow, scene.boundary, scene.parameters, dt, exact);
            for (const Vectors* a : {&s.a_lambda, &s.shear.a}) {
                const Momentum m = momentum(before, *a);
                EXPECT_LE(length(m.linear), 1e-12 * m.scale);
                EXPECT_LE(length(m.angular), 1e-12 * m.scale);
                EXPECT_EQ(m.scale > 0, !combined || a == &s.shear.a);
            }
        }
}

TEST(Step, TurnsWithTheScene) {
    Random random;
    const Mat3 R = random.rotation();
    const Vec3 shift = random.vector(), drift = random.vector();
    for (bool exact : {false, true})
        for (bool combined : {false, true}) {
            Scene scene = block_on_floor();
            scene.parameters.combined = combined;
            Scene turned = scene;
            turned.parameters.gravity = R * scene.parameters.gravity;
            for (Vec3& x : turned.snow.position) x = R * x + shift;
            for (Vec3& v : turned.snow.velocity) v = R * v + drift;
            for (Mat3& F : turned.snow.F_E) F = R * F * transpose(R);
            for (Vec3& x : turned.boundary.position) x = R * x + shift;
            for (Vec3& v : turned.boundary.velocity) v = R * v + drift;

            const Step s = step(scene.snow, scene.boundary, scene.parameters, dt, exact);
            const Step t = step(turned.snow, turned.boundary, turned.parameters, dt, exact);
            EXPECT_EQ(s.pressure.iterations, t.pressure.iterations);
            EXPECT_EQ(s.shear.iterations, t.shear.iterations);
            for (size_t i = 0; i < scene.snow.count(); ++i) {
                EXPECT_LT(length(turned.snow.velocity[i] - (R * scene.snow.velocity[i] + drift)), 1e-9);
                EXPECT_LT(length(turned.snow.position[i] - (R * scene.snow.position[i] + shift + dt * drift)), 1e-11);
                EXPECT_LT(norm(turned.snow.F_E[i] - R * scene.snow.F_E[i] * transpose(R)), 1e-10);
                EXPECT_NEAR(turned.snow.pressure[i], scene.snow.pressure[i], 1e-9 * largest(scene.snow.pressure));
            }
        }
}

TEST(Step, FallsFreely) {
    for (bool exact : {false, true}) {
        Scene scene;
        scene.snow = make_snow(lattice(3, 3, 3, scene.parameters.spacing), scene.parameters);
        for (Vec3& v : scene.snow.velocity) v = {1, 2, 3};
        const Snow start = scene.snow;
        for (int k = 0; k < 3; ++k) step(scene.snow, scene.boundary, scene.parameters, dt, exact);
        for (size_t i = 0; i < start.count(); ++i) {
            EXPECT_LT(length(scene.snow.velocity[i] - (Vec3{1, 2, 3} + 3 * dt * scene.parameters.gravity)), 1e-12);
            const Vec3 fallen = start.position[i] + 3 * dt * Vec3{1, 2, 3} + 6 * dt * dt * scene.parameters.gravity;
            EXPECT_LT(length(scene.snow.position[i] - fallen), 1e-14);
            EXPECT_LT(norm(scene.snow.F_E[i] - identity()), 1e-13);
        }
    }
}

TEST(Step, RigidRotationCausesNoForce) {
    Scene scene = free_block();
    scene.parameters.gravity = {};
    const Vec3 w{3, -2, 5};
    for (size_t i = 0; i < scene.snow.count(); ++i) {
        scene.snow.velocity[i] = cross(w, scene.snow.position[i]);
        scene.snow.F_E[i] = identity();
    }
    const Step s = step(scene.snow, scene.boundary, scene.parameters, dt, true);
    EXPECT_LT(largest(s.a_lambda), 1e-9);
    EXPECT_LT(largest(s.shear.a), 1e-9);
    // The linear update stretches by |w| dt squared, and by no more.
    for (const Mat3& F : scene.snow.F_E) EXPECT_LT(norm(F - identity()), dot(w, w) * dt * dt);
}

TEST(Step, FollowsAlgorithmOne) {
    for (bool combined : {false, true}) {
        Scene scene = block_on_floor();
        scene.parameters.combined = combined;
        const Configuration c = scene.configuration();
        const Step s = step(scene.snow, scene.boundary, scene.parameters, dt, true);
        const size_t n = c.snow.count();

        const Vectors a_adhesion = adhesion(c);
        const Vectors a_friction = friction(c, dt, s.a_other);
        EXPECT_GT(largest(a_adhesion), 0);
        for (size_t i = 0; i < n; ++i) {
            EXPECT_LT(length(s.a_other[i] - (a_adhesion[i] + c.parameters.gravity)), 1e-12);
            EXPECT_LT(length(s.a_friction[i] - a_friction[i]), 1e-9);
            EXPECT_LT(length(s.v_star[i] - (c.snow.velocity[i] + dt * (s.a_other[i] + s.a_friction[i]))), 1e-12);
            EXPECT_LT(length(s.v_star_star[i] - (s.v_star[i] + dt * s.a_lambda[i])), 1e-12);
            EXPECT_LT(length(scene.snow.velocity[i] - (s.v_star_star[i] + dt * s.shear.a[i])), 1e-12);
            EXPECT_LT(length(scene.snow.position[i] - (c.snow.position[i] + dt * scene.snow.velocity[i])), 1e-14);
        }
        if (combined) {
            EXPECT_EQ(largest(s.a_lambda), 0);
        } else {
            const Scalars b = pressure_right_hand_side(c, dt, s.v_star);
            EXPECT_LT(largest_difference(apply_pressure(c, dt, scene.snow.pressure), b), 1e-10);
            EXPECT_LT(largest_difference(s.a_lambda, pressure_acceleration(c, scene.snow.pressure)), 1e-10);
        }
        const Vectors b = shear_right_hand_side(c, dt, s.v_star_star);
        EXPECT_LT(largest_difference(apply_shear(c, dt, s.shear.a), b), 1e-10 * largest(b));

        const Matrices gradient = velocity_gradient(c, scene.snow.velocity, c.boundary.velocity);
        for (size_t i = 0; i < n; ++i) {
            const Mat3 F = c.snow.F_E[i] + dt * (gradient[i] * c.snow.F_E[i]);
            EXPECT_LT(norm(scene.snow.F_E[i] - plastic_clamp(F, 0.025, 0.0075)), 1e-12);
        }
        for (size_t k = 0; k < c.boundary.count(); ++k) {
            EXPECT_LT(length(scene.boundary.position[k] - (c.boundary.position[k] + dt * c.boundary.velocity[k])),
                      1e-15);
        }
    }
}

TEST(Step, IterativeIsExactWhenSolvedTightly) {
    for (bool combined : {false, true}) {
        Scene scene = block_on_floor();
        scene.parameters.combined = combined;
        scene.parameters.pressure_tolerance = 1e-13;
        scene.parameters.shear_tolerance = 1e-12;
        Scene direct = scene;
        step(scene.snow, scene.boundary, scene.parameters, dt, false);
        step(direct.snow, direct.boundary, direct.parameters, dt, true);
        EXPECT_LT(largest_difference(scene.snow.velocity, direct.snow.velocity), 1e-9);
        EXPECT_LT(largest_difference(scene.snow.position, direct.snow.position), 1e-12);
        EXPECT_LT(largest_difference(scene.boundary.position, direct.boundary.position), 1e-15);
    }
}

TEST(Step, LonePairedAndFlatParticlesStayFinite) {
    Scene scene;
    const double dx = scene.parameters.spacing;
    Vectors position = lattice(3, 1, 3, dx);                         // a sheet
    position.push_back({1, 1, 1});                                   // alone
    for (double x : {2.0, 2.0 + dx}) position.push_back({x, 0, 0});  // a pair
    for (int k = 0; k < 2; ++k) position.push_back({3, 0, 0});       // at one place
    scene.snow = make_snow(position, scene.parameters);
    scene.snow.velocity = random_vectors(position.size());
    for (int k = 0; k < 5; ++k) step(scene.snow, scene.boundary, scene.parameters, dt, k % 2 == 0);
    for (size_t i = 0; i < position.size(); ++i) {
        EXPECT_TRUE(std::isfinite(length(scene.snow.position[i])));
        EXPECT_TRUE(std::isfinite(length(scene.snow.velocity[i])));
        EXPECT_TRUE(std::isfinite(norm(scene.snow.F_E[i])));
    }
}

TEST(Step, ABlockRestsOnTheFloor) {
    Scene scene;
    const double dx = scene.parameters.spacing;
    scene.snow = make_snow(lattice(4, 4, 4, dx), scene.parameters);
    const Vectors floor = lattice(8, 1, 8, dx, {-2 * dx, -dx, -2 * dx});
    add_body(scene.boundary, floor, Vectors(floor.size()), scene.parameters);
    for (int k = 0; k < 100; ++k) {
        const Step s = step(scene.snow, scene.boundary, scene.parameters, dt, false);
        ASSERT_TRUE(s.pressure.converged && s.shear.converged);
    }
    double height = 0, drift = 0;
    for (size_t i = 0; i < scene.snow.count(); ++i) {
        height += scene.snow.position[i].y / static_cast<double>(scene.snow.count());
        drift += scene.snow.position[i].x / static_cast<double>(scene.snow.count());
    }
    // Free fall would have taken it 49 mm down.
    EXPECT_NEAR(height, 2 * dx, 0.008);
    EXPECT_NEAR(drift, 2 * dx, 1e-9);
}

}  // namespace
}  // namespace reference
