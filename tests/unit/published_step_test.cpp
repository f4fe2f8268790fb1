// Whole steps of the engine in mode `published` against the double-precision reference, which shares no line with it.

#include <gtest/gtest.h>

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

struct Random {
    std::mt19937_64 engine{20200708};
    double operator()(double size) { return size * (2 * std::generate_canonical<double, 53>(engine) - 1); }
    Float3 vector(double size) {
        const double x = (*this)(size), y = (*this)(size), z = (*this)(size);
        return narrow(reference::Vec3{x, y, z});
    }
};

/// The same scene for both: a compressed, jittered block with strain and velocities, on a floor that slides and beside
/// a wall that is pushed out of shape.
struct Scene {
    firn::Parameters parameters;
    Particles snow;
    firn::Body floor, wall;
    Float3 floor_velocity{0.3f, 0, -0.2f};
    std::vector<Float3> wall_velocity;
    double floor_friction = 1, wall_friction = 20, floor_adhesion = 3;

    Scene(int nx, int ny, int nz) {
        Random random;
        parameters.spacing = 0.05f;
        parameters.mode = firn::Mode::published;
        parameters.pressure_tolerance = parameters.shear_tolerance = 1e-6f;
        parameters.pressure_iterations_max = parameters.shear_iterations_max = 10000;
        parameters.substeps = 1;
        const double dx = 0.05;
        snow.position = scenes::lattice_box(nx, ny, nz, 0.95 * dx);
        scenes::jitter(snow.position, 0.15 * dx);
        for (size_t i = 0; i < snow.count(); ++i) {
            snow.velocity.push_back(random.vector(1));
            firn::Sym3 e;
            for (float* c : {&e.xx, &e.xy, &e.xz, &e.yy, &e.yz, &e.zz}) *c = static_cast<float>(random(0.01));
            snow.strain.push_back(e);
        }
        floor = scenes::sheet_body({-2 * dx, -0.5 * dx, -2 * dx}, {dx, 0, 0}, nx + 4, {0, 0, dx}, nz + 4);
        wall = scenes::sheet_body({-0.5 * dx, 0, 0}, {0, dx, 0}, ny, {0, 0, dx}, nz);
        for (size_t b = 0; b < wall.position.size(); ++b) wall_velocity.push_back(random.vector(0.5));
    }

    reference::Parameters reference_parameters() const {
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
        p.omega = parameters.pressure_relaxation;
        p.pressure_tolerance = p.shear_tolerance = 1e-11;
        p.combined = parameters.solver == firn::Solver::combined;
        return p;
    }

    struct Reference {
        reference::Snow snow;
        reference::Boundary boundary;
        reference::Scalars density;
    };
    Reference reference_after(int steps, bool exact) const {
        const reference::Parameters p = reference_parameters();
        reference::Vectors position;
        for (const Float3& x : snow.position) position.push_back(wide(x));
        Reference r;
        r.snow = reference::make_snow(position, p);
        for (size_t i = 0; i < snow.count(); ++i) {
            r.snow.velocity[i] = wide(snow.velocity[i]);
            const firn::Sym3& e = snow.strain[i];
            reference::Mat3& F = r.snow.F_E[i];
            F(0, 0) += e.xx, F(1, 1) += e.yy, F(2, 2) += e.zz;
            F(0, 1) = F(1, 0) = e.xy, F(0, 2) = F(2, 0) = e.xz, F(1, 2) = F(2, 1) = e.yz;
        }
        const auto add = [&](const firn::Body& body, const std::vector<Float3>& velocity, double nu_b, double beta) {
            reference::Vectors x, v;
            for (size_t b = 0; b < body.position.size(); ++b) {
                x.push_back(wide(body.position[b]));
                v.push_back(wide(velocity[b]));
            }
            reference::add_body(r.boundary, x, v, p, nu_b, beta);
        };
        add(floor, std::vector<Float3>(floor.position.size(), floor_velocity), floor_friction, floor_adhesion);
        add(wall, wall_velocity, wall_friction, 0);
        for (int s = 0; s < steps; ++s) r.density = reference::step(r.snow, r.boundary, p, dt, exact).before.density;
        return r;
    }

    Particles engine_after(int steps, const std::string& device) const {
        Engine engine(parameters, device);
        firn::Body moving_floor = floor, moving_wall = wall;
        moving_floor.motion = firn::Motion::rigid;
        moving_floor.friction = static_cast<float>(floor_friction);
        moving_floor.adhesion = static_cast<float>(floor_adhesion);
        moving_wall.motion = firn::Motion::deforming;
        moving_wall.friction = static_cast<float>(wall_friction);
        const firn::BodyId floor_id = engine.add_body(moving_floor), wall_id = engine.add_body(moving_wall);
        engine.upload(snow);
        for (int s = 1; s <= steps; ++s) {
            firn::Transform to;
            to.translation[0] = s * dt * floor_velocity.x;
            to.translation[1] = s * dt * floor_velocity.y;
            to.translation[2] = s * dt * floor_velocity.z;
            engine.move_body(floor_id, to);
            std::vector<Float3> wall_to;
            for (size_t b = 0; b < wall.position.size(); ++b) {
                wall_to.push_back(narrow(wide(wall.position[b]) + (s * dt) * wide(wall_velocity[b])));
            }
            engine.move_body(wall_id, wall_to);
            const firn::FrameReport report = engine.advance(dt);
            EXPECT_TRUE(report.substeps.at(0).solve("pressure").converged);
            EXPECT_TRUE(report.substeps.at(0).solve("shear").converged);
        }
        Particles out;
        engine.download(out);
        return out;
    }
};

struct Errors {
    double position = 0, velocity = 0, density = 0, pressure = 0, strain = 0;  ///< largest
    double speed = 0, largest_pressure = 0;                                    ///< scales
};

Errors errors(const Particles& p, const Scene::Reference& r) {
    Errors e;
    for (size_t i = 0; i < p.count(); ++i) {
        e.position = std::max(e.position, length(wide(p.position[i]) - r.snow.position[i]));
        e.velocity = std::max(e.velocity, length(wide(p.velocity[i]) - r.snow.velocity[i]));
        e.density = std::max(e.density, std::abs(p.density[i] - r.density[i]) / r.density[i]);
        e.pressure = std::max(e.pressure, std::abs(p.pressure[i] - r.snow.pressure[i]));
        const firn::Sym3& s = p.strain[i];
        reference::Mat3 F = reference::diagonal(1.0 + s.xx, 1.0 + s.yy, 1.0 + s.zz);
        F(0, 1) = F(1, 0) = s.xy, F(0, 2) = F(2, 0) = s.xz, F(1, 2) = F(2, 1) = s.yz;
        e.strain = std::max(e.strain, reference::norm(F - r.snow.F_E[i]));
        e.speed = std::max(e.speed, length(r.snow.velocity[i]));
        e.largest_pressure = std::max(e.largest_pressure, std::abs(r.snow.pressure[i]));
    }
    return e;
}

/// What float32 may cost. Each sum over some 40 neighbours errs by a few 1e-7 of its terms, the pressure solve stops at
/// a density error of 1e-6, which is up to 1e-4 of the pressure and, times dt, up to 1e-5 of the velocity. A forgotten
/// term or a wrong sign changes any of them by a percent or more. `steps` scales it: errors add, and stiff snow has
/// more.
void expect_equal(const Particles& p, const Scene::Reference& r, double steps) {
    ASSERT_EQ(p.count(), r.snow.count());
    const Errors e = errors(p, r);
    EXPECT_GT(e.speed, 1) << "the scene does not move: it proves nothing";
    EXPECT_LT(e.density, 1e-6 * steps);
    EXPECT_LT(e.velocity, 1e-5 * steps * e.speed);
    EXPECT_LT(e.position, 1e-7 + 1e-5 * steps * steps * dt * e.speed);  // 1e-7 m: four roundings of a 0.3 m coordinate
    EXPECT_LT(e.pressure, 1e-4 * steps * e.largest_pressure);
    EXPECT_LT(e.strain, 3e-7 * steps);
}

class PublishedStep : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        if (!scenes::device_exists(GetParam())) GTEST_SKIP() << "this machine has no " << GetParam();
    }
};

TEST_P(PublishedStep, SplitEqualsTheReferenceSolvedExactly) {
    const Scene scene(4, 4, 4);
    static const Scene::Reference reference = scene.reference_after(1, true);
    expect_equal(scene.engine_after(1, GetParam()), reference, 1);
}

TEST_P(PublishedStep, CombinedEqualsTheReferenceSolvedExactly) {
    Scene scene(4, 4, 4);
    scene.parameters.solver = firn::Solver::combined;
    static const Scene::Reference reference = scene.reference_after(1, true);
    const Particles out = scene.engine_after(1, GetParam());
    Scene::Reference expected = reference;
    expected.snow.pressure.assign(out.count(), 0);  // the one solve leaves none
    for (float p : out.pressure) EXPECT_EQ(p, 0);
    const Errors e = errors(out, expected);
    EXPECT_LT(e.velocity, 1e-5 * e.speed);
    EXPECT_LT(e.strain, 3e-7);
    EXPECT_LT(e.density, 1e-6);
    EXPECT_LT(e.position, 1e-7 + 1e-5 * dt * e.speed);
}

TEST_P(PublishedStep, EightSplitStepsFollowTheReference) {
    const Scene scene(4, 4, 3);
    static const Scene::Reference reference = scene.reference_after(8, false);
    // An error of one step is amplified in the next by at most stiffness dt^2, which the implicit step bounds; plastic
    // yield is a kink, not a jump. So errors add.
    expect_equal(scene.engine_after(8, GetParam()), reference, 8);
}

TEST_P(PublishedStep, SoftAndHardSnowToo) {
    for (const double E : {20e3, 1e7}) {
        Scene scene(3, 4, 3);
        scene.parameters.young_modulus = static_cast<float>(E);
        scene.parameters.poisson_ratio = 0.35f;
        expect_equal(scene.engine_after(1, GetParam()), scene.reference_after(1, true), E > 1e6 ? 10 : 1);
    }
}

TEST_P(PublishedStep, WithoutBoundaryToo) {
    Scene scene(4, 3, 4);
    scene.floor.position.clear();
    scene.floor.normal.clear();
    scene.wall.position.clear();
    scene.wall.normal.clear();
    scene.wall_velocity.clear();
    expect_equal(scene.engine_after(1, GetParam()), scene.reference_after(1, true), 1);
}

INSTANTIATE_TEST_SUITE_P(Widths, PublishedStep, ::testing::ValuesIn(scenes::devices()), scenes::device_name);

}  // namespace
