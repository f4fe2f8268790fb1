// The engine's operators against matrices that the reference assembles in double precision. They are seen from outside:
// one Jacobi update from a given pressure shows the pressure operator and its diagonal, the residual of a given
// acceleration shows the shear operator, and an explicit step shows the divergence of the stress.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "firn/engine.h"
#include "reference/published_snow.h"
#include "scenes/devices.h"
#include "scenes/scenes.h"

namespace {

using firn::Engine;
using firn::Float3;
using firn::Particles;

const double dt = 1e-3;

reference::Vec3 wide(const Float3& a) {
    return {a.x, a.y, a.z};
}
Float3 narrow(const reference::Vec3& a) {
    return {static_cast<float>(a.x), static_cast<float>(a.y), static_cast<float>(a.z)};
}

/// As published, but with warm starts, so that the start of a solve can be given.
firn::Parameters published_with_warm_starts() {
    firn::Parameters p;
    p.mode = firn::Mode::published;
    p = firn::effective(p);
    p.mode = firn::Mode::standard;
    p.pressure_warm_start = p.shear_warm_start = true;
    p.spacing = 0.05f;
    p.substeps = 1;
    p.threads = 1;
    return p;
}

struct Random {
    std::mt19937_64 engine{3};
    double operator()(double size = 1) { return size * (2 * std::generate_canonical<double, 53>(engine) - 1); }
};

/// A jittered block with strain and velocities on a floor at rest.
struct Scene {
    firn::Parameters parameters = published_with_warm_starts();
    Particles snow;
    firn::Body floor;

    Scene() {
        const double dx = 0.05;
        Random random;
        snow.position = scenes::lattice_box(4, 4, 3, 0.95 * dx);
        scenes::jitter(snow.position, 0.15 * dx);
        for (size_t i = 0; i < snow.count(); ++i) {
            const double x = random(), y = random(), z = random();
            snow.velocity.push_back(narrow({x, y, z}));
            firn::Sym3 e;
            for (float* c : {&e.xx, &e.xy, &e.xz, &e.yy, &e.yz, &e.zz}) *c = static_cast<float>(random(0.01));
            snow.strain.push_back(e);
        }
        floor = scenes::sheet_body({-2 * dx, -0.5 * dx, -2 * dx}, {dx, 0, 0}, 8, {0, 0, dx}, 7);
        floor.friction = 2;
    }

    reference::Configuration configuration() const {
        reference::Parameters p;
        p.spacing = parameters.spacing;
        p.rho0 = parameters.rest_density;
        p.E = parameters.young_modulus;
        p.nu = parameters.poisson_ratio;
        p.xi = parameters.hardening;
        p.theta_c = parameters.theta_c;
        p.theta_s = parameters.theta_s;
        p.gravity = wide(parameters.gravity);
        p.psi = parameters.boundary_pressure;
        p.combined = parameters.solver != firn::Solver::split;
        reference::Vectors position, floor_position;
        for (const Float3& x : snow.position) position.push_back(wide(x));
        for (const Float3& x : floor.position) floor_position.push_back(wide(x));
        reference::Snow s = reference::make_snow(position, p);
        for (size_t i = 0; i < snow.count(); ++i) {
            if (!snow.velocity.empty()) s.velocity[i] = wide(snow.velocity[i]);
            if (snow.strain.empty()) continue;
            const firn::Sym3& e = snow.strain[i];
            reference::Mat3& F = s.F_E[i];
            F(0, 0) += e.xx, F(1, 1) += e.yy, F(2, 2) += e.zz;
            F(0, 1) = F(1, 0) = e.xy, F(0, 2) = F(2, 0) = e.xz, F(1, 2) = F(2, 1) = e.yz;
        }
        reference::Boundary boundary;
        reference::add_body(boundary, floor_position, reference::Vectors(floor_position.size()), p, floor.friction,
                            floor.adhesion);
        return reference::configuration(s, boundary, p);
    }

    /// Velocities before the pressure solve.
    static reference::Vectors v_star(const reference::Configuration& c) {
        reference::Vectors other = reference::adhesion(c);
        for (reference::Vec3& a : other) a += c.parameters.gravity;
        const reference::Vectors friction = reference::friction(c, dt, other);
        reference::Vectors v = c.snow.velocity;
        for (size_t i = 0; i < v.size(); ++i) v[i] += dt * (other[i] + friction[i]);
        return v;
    }
};

class Operators : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        if (!scenes::device_exists(GetParam())) GTEST_SKIP() << "this machine has no " << GetParam();
    }

    static Particles stepped(Engine& engine, const Particles& snow, firn::FrameReport* report = nullptr) {
        engine.upload(snow);
        const firn::FrameReport r = engine.advance(dt);
        if (report) *report = r;
        Particles out;
        engine.download(out);
        return out;
    }
};

TEST_P(Operators, DensityHardeningAndNeighbours) {
    const Scene scene;
    const reference::Configuration c = scene.configuration();
    const reference::Scalars hardening = reference::hardening_factor(c.rest_density, c.parameters);
    Engine engine(scene.parameters, GetParam());
    engine.add_body(scene.floor);
    const Particles out = stepped(engine, scene.snow);
    for (size_t i = 0; i < out.count(); ++i) {
        // Sums of forty floats.
        EXPECT_NEAR(out.density[i], c.density[i], 1e-6 * c.density[i]);
        // xi / rho times the density's error, up to thirty times as much for half-empty surroundings.
        const double factor = std::exp(10 * (1 - 1 / double(out.compaction[i])));
        EXPECT_NEAR(factor, hardening[i], 5e-5 * hardening[i]);
    }
}

TEST_P(Operators, OneJacobiUpdateFromZeroIsTheSourceOverTheDiagonal) {
    Scene scene;
    scene.parameters.pressure_iterations_max = 1;
    const reference::Configuration c = scene.configuration();
    const reference::Scalars b = reference::pressure_right_hand_side(c, dt, Scene::v_star(c)),
                             diagonal = reference::pressure_diagonal(c, dt);
    Engine engine(scene.parameters, GetParam());
    engine.add_body(scene.floor);
    const Particles out = stepped(engine, scene.snow);
    double largest = 0;
    for (size_t i = 0; i < out.count(); ++i) largest = std::max(largest, std::abs(0.5 * b[i] / diagonal[i]));
    for (size_t i = 0; i < out.count(); ++i) {
        EXPECT_NEAR(out.pressure[i], 0.5 * b[i] / diagonal[i], 5e-6 * largest);
    }
}

TEST_P(Operators, ThePressureMatrixColumnByColumn) {
    Scene scene;
    scene.parameters.pressure_iterations_max = 1;
    const reference::Configuration c = scene.configuration();
    const reference::DenseMatrix A = reference::pressure_matrix(c, dt);
    const reference::Scalars diagonal = reference::pressure_diagonal(c, dt);
    for (size_t i = 0; i < A.n; ++i) EXPECT_NEAR(A(i, i), diagonal[i], 1e-9 * std::abs(diagonal[i]));

    Engine engine(scene.parameters, GetParam());
    engine.add_body(scene.floor);
    const Particles from_zero = stepped(engine, scene.snow);
    const double size = 1e4;  // Pa: as large as what the source adds, so that neither drowns the other
    double worst = 0, off_diagonal = 0;
    for (size_t j = 0; j < A.n; ++j) {
        Particles snow = scene.snow;
        snow.pressure.assign(A.n, 0);
        snow.pressure[j] = static_cast<float>(size);
        const Particles out = stepped(engine, snow);
        for (size_t i = 0; i < A.n; ++i) {
            // p1 = p0 + omega (b - A p0) / a_ii
            const double expected = (i == j ? 1 : 0) - 0.5 * A(i, j) / diagonal[i];
            const double got = (double(out.pressure[i]) - from_zero.pressure[i]) / size;
            worst = std::max(worst, std::abs(got - expected));
            if (i != j) off_diagonal = std::max(off_diagonal, std::abs(expected));
        }
    }
    EXPECT_GT(off_diagonal, 0.02) << "the matrix is nearly diagonal: it proves nothing";
    EXPECT_LT(worst, 3e-6);  // a few roundings of pressures up to 1e4 Pa
}

TEST_P(Operators, JacobiIteratesAreTheReferences) {
    Scene scene;
    scene.parameters.pressure_tolerance = 1e-7f;
    const reference::Configuration c = scene.configuration();
    const reference::Scalars b = reference::pressure_right_hand_side(c, dt, Scene::v_star(c)),
                             diagonal = reference::pressure_diagonal(c, dt);
    for (const int iterations : {1, 2, 5, 9}) {
        const reference::IterativeSolution expected =
            reference::relaxed_jacobi([&](const reference::Scalars& p) { return reference::apply_pressure(c, dt, p); },
                                      diagonal, b, 0.5, c.parameters.rho0, 0, iterations);
        scene.parameters.pressure_iterations_max = iterations;
        Engine engine(scene.parameters, GetParam());
        engine.add_body(scene.floor);
        firn::FrameReport report;
        const Particles out = stepped(engine, scene.snow, &report);
        EXPECT_EQ(report.substeps[0].solve("pressure").iterations, iterations);
        double largest = 0;
        for (double p : expected.x) largest = std::max(largest, std::abs(p));
        for (size_t i = 0; i < out.count(); ++i) EXPECT_NEAR(out.pressure[i], expected.x[i], 1e-5 * largest);
    }
}

TEST_P(Operators, TheDivergenceOfTheStress) {
    Scene scene;
    scene.parameters.solver = firn::Solver::explicit_step;
    const reference::Configuration c = scene.configuration();
    reference::Matrices strain;
    for (const reference::Mat3& F : c.snow.F_E) strain.push_back(F - reference::identity());
    reference::Vectors expected = reference::stress_divergence(c, reference::stress(c, strain));
    Engine engine(scene.parameters, GetParam());
    engine.add_body(scene.floor);
    const Particles out = stepped(engine, scene.snow);
    double largest = 0, worst = 0;
    for (size_t i = 0; i < out.count(); ++i) {
        const reference::Vec3 a = (1 / c.density[i]) * expected[i];
        largest = std::max(largest, length(a));
        worst = std::max(worst, length(wide(out.shear_acceleration[i]) - a));
    }
    // The stiffness carries the hardening's error of up to 5e-5 where it is small; sums err less.
    EXPECT_LT(worst, 1e-5 * largest);
}

/// |b - A a| / |b| of the shear solve, which the engine reports for the start it is given when that meets the
/// tolerance.
void expect_residuals(Scene scene, const std::string& device, bool combined) {
    scene.parameters.solver = combined ? firn::Solver::combined : firn::Solver::split;
    scene.parameters.young_modulus = 1e6f;  // so that the operator is far from the identity
    scene.parameters.pressure_tolerance = 1e-6f;
    scene.parameters.pressure_iterations_max = 10000;
    const reference::Configuration c = scene.configuration();
    const size_t n = c.snow.count();
    reference::Vectors v = Scene::v_star(c);
    if (!combined) {
        const reference::PressureSolution p = reference::solve_pressure(c, dt, v, true);
        const reference::Vectors a = reference::pressure_acceleration(c, p.p);
        for (size_t i = 0; i < n; ++i) v[i] += dt * a[i];
    }
    const reference::Scalars b = reference::flatten(reference::shear_right_hand_side(c, dt, v));
    const reference::DenseMatrix A = reference::shear_matrix(c, dt);
    const reference::Scalars solution = reference::solve(A, b);
    const double b_length = std::sqrt(reference::inner_product(b, b));

    scene.parameters.shear_tolerance = 0.1f;
    Engine engine(scene.parameters, device);
    engine.add_body(scene.floor);
    const auto residual = [&](const reference::Scalars& a) {
        Particles snow = scene.snow;
        const reference::Vectors start = reference::unflatten(a);
        snow.shear_acceleration.clear();
        for (const reference::Vec3& x : start) snow.shear_acceleration.push_back(narrow(x));
        engine.upload(snow);
        const firn::SolveReport report = engine.advance(dt).substeps.at(0).solve("shear");
        EXPECT_EQ(report.iterations, 0);
        return report.residual;
    };
    // The direct solution in double solves the engine's equations, to the pressure solve's tolerance and rounding.
    EXPECT_LT(residual(solution), 1e-4);
    // Away from it the residual is |A u|. Single entries give the lengths of A's columns, sums of two the angles
    // between them, and random vectors everything at once.
    Random random;
    std::vector<reference::Scalars> directions;
    for (size_t k = 0; k < 3 * n; k += 5) {
        reference::Scalars u(3 * n, 0.0);
        u[k] = 1;
        directions.push_back(u);
        u[(k * 7 + 4) % (3 * n)] += 1;
        directions.push_back(u);
    }
    for (int k = 0; k < 10; ++k) {
        reference::Scalars u(3 * n);
        for (double& e : u) e = random();
        directions.push_back(u);
    }
    bool differs_from_identity = false;
    for (const reference::Scalars& u : directions) {
        reference::Scalars Au(3 * n, 0.0);
        for (size_t i = 0; i < 3 * n; ++i)
            for (size_t j = 0; j < 3 * n; ++j) Au[i] += A(i, j) * u[j];
        const double Au_length = std::sqrt(reference::inner_product(Au, Au));
        differs_from_identity |= Au_length > 2 * std::sqrt(reference::inner_product(u, u));
        const double scale = 0.05 * b_length / Au_length;
        reference::Scalars a = solution;
        for (size_t i = 0; i < 3 * n; ++i) a[i] += scale * u[i];
        EXPECT_NEAR(residual(a), 0.05, 1e-4);
    }
    EXPECT_TRUE(differs_from_identity) << "the operator does nothing: it proves nothing";
}

TEST_P(Operators, TheShearMatrixThroughItsResiduals) {
    expect_residuals(Scene(), GetParam(), false);
}

TEST_P(Operators, TheCombinedMatrixThroughItsResiduals) {
    expect_residuals(Scene(), GetParam(), true);
}

TEST_P(Operators, AdhesionAndFrictionOfLoneFlakes) {
    // Flakes at several heights above the floor, too far from each other to meet.
    Scene scene;
    scene.snow = {};
    for (int k = 0; k < 12; ++k) {
        scene.snow.position.push_back({0.11f * static_cast<float>(k), 0.012f + 0.006f * static_cast<float>(k), 0.013f});
        scene.snow.velocity.push_back({1, -0.2f, 0.5f});
    }
    scene.floor = scenes::sheet_body({-0.1, -0.025, -0.1}, {0.05, 0, 0}, 30, {0, 0, 0.05}, 5);
    scene.floor.adhesion = 1000;
    scene.floor.friction = 15;
    scene.parameters.solver = firn::Solver::combined;
    scene.parameters.gravity = {0, 0, 0};
    const reference::Configuration c = scene.configuration();
    const reference::Vectors expected = Scene::v_star(c);
    double pull = 0, brake = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
        pull = std::max(pull, std::abs(reference::adhesion(c)[i].y) * dt);
        brake = std::max(brake, 1 - expected[i].x);
    }
    EXPECT_GT(pull, 0.01);
    EXPECT_GT(brake, 0.01);
    Engine engine(scene.parameters, GetParam());
    engine.add_body(scene.floor);
    engine.upload(scene.snow);
    engine.advance(dt);
    Particles out;
    engine.download(out);
    for (size_t i = 0; i < out.count(); ++i) {
        // Without strain the elastic solve answers to the approach to the floor alone: take its share out.
        const reference::Vec3 known = wide(out.velocity[i]) - dt * wide(out.shear_acceleration[i]);
        EXPECT_LT(length(known - expected[i]), 1e-5) << "flake " << i;
    }
}

TEST_P(Operators, MaterialsPerParticleAreThoseOfTheParticle) {
    // The same value for all, given per particle: the same bits as the parameter.
    Scene scene;
    Engine engine(scene.parameters, GetParam());
    engine.add_body(scene.floor);
    const Particles uniform = stepped(engine, scene.snow);
    Particles snow = scene.snow;
    const firn::Parameters& p = scene.parameters;
    snow.young_modulus.assign(snow.count(), p.young_modulus);
    snow.poisson_ratio.assign(snow.count(), p.poisson_ratio);
    snow.hardening.assign(snow.count(), p.hardening);
    snow.theta_c.assign(snow.count(), p.theta_c);
    snow.theta_s.assign(snow.count(), p.theta_s);
    snow.rest_density.assign(snow.count(), p.rest_density);
    snow.acceleration.assign(snow.count(), {});
    const Particles each = stepped(engine, snow);
    for (size_t i = 0; i < snow.count(); ++i) {
        ASSERT_EQ(uniform.position[i].x, each.position[i].x);
        ASSERT_EQ(uniform.velocity[i].y, each.velocity[i].y);
        ASSERT_EQ(uniform.strain[i].xy, each.strain[i].xy);
    }

    // Two blocks of different snow, far apart, in one engine: each as if alone with its material.
    scene.parameters.pressure_tolerance = scene.parameters.shear_tolerance = 1e-6f;
    scene.parameters.pressure_iterations_max = 10000;
    firn::Parameters other = scene.parameters;
    other.young_modulus = 600e3f;
    other.poisson_ratio = 0.3f;
    other.hardening = 5;
    other.theta_c = 0.01f;
    other.theta_s = 0.002f;
    other.rest_density = 250;
    Engine first(scene.parameters, GetParam()), second(other, GetParam()), both(scene.parameters, GetParam());
    const Particles a = stepped(first, scene.snow), b = stepped(second, scene.snow);
    Particles two = scene.snow;
    const size_t n = two.count();
    // 64 m: a power of two, so that the copy keeps most of its bits.
    for (size_t i = 0; i < n; ++i) {
        const Float3 x = two.position[i];
        two.position.push_back({x.x + 64, x.y, x.z});
        two.velocity.push_back(two.velocity[i]);
        two.strain.push_back(two.strain[i]);
    }
    const auto fill = [&](std::vector<float>& to, float left, float right) {
        to.assign(n, left);
        to.insert(to.end(), n, right);
    };
    fill(two.young_modulus, scene.parameters.young_modulus, other.young_modulus);
    fill(two.poisson_ratio, scene.parameters.poisson_ratio, other.poisson_ratio);
    fill(two.hardening, scene.parameters.hardening, other.hardening);
    fill(two.theta_c, scene.parameters.theta_c, other.theta_c);
    fill(two.theta_s, scene.parameters.theta_s, other.theta_s);
    fill(two.rest_density, scene.parameters.rest_density, other.rest_density);
    const Particles out = stepped(both, two);
    double different = 0;
    for (size_t i = 0; i < n; ++i) {
        // Rounding 64 m to 4e-6 m moves a neighbour by 1e-4 of the spacing, which strains and forces feel as much.
        EXPECT_LT(length(wide(out.velocity[i]) - wide(a.velocity[i])), 1e-4);
        EXPECT_LT(length(wide(out.velocity[n + i]) - wide(b.velocity[i])), 5e-3);
        EXPECT_NEAR(out.density[n + i], b.density[i], 1e-3 * b.density[i]);
        different = std::max(different, length(wide(a.velocity[i]) - wide(b.velocity[i])));
    }
    EXPECT_GT(different, 0.05) << "the two kinds of snow behave alike: it proves nothing";
}

TEST_P(Operators, AccelerationPerParticleAddsToGravity) {
    firn::Parameters p = published_with_warm_starts();
    Engine engine(p, GetParam());
    Particles snow;
    for (int k = 0; k < 11; ++k) {
        snow.position.push_back({static_cast<float>(k), 0, 0});
        snow.acceleration.push_back({static_cast<float>(k), 2, -3.0f * static_cast<float>(k)});
    }
    const Particles out = stepped(engine, snow);
    for (size_t k = 0; k < 11; ++k) {
        const double kk = static_cast<double>(k);
        EXPECT_NEAR(out.velocity[k].x, kk * dt, 1e-8);
        EXPECT_NEAR(out.velocity[k].y, (2 - 9.81) * dt, 1e-8);
        EXPECT_NEAR(out.velocity[k].z, -3 * kk * dt, 1e-8);
    }
}

INSTANTIATE_TEST_SUITE_P(Widths, Operators, ::testing::ValuesIn(scenes::devices()), scenes::device_name);

}  // namespace
