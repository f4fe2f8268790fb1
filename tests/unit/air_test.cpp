// The air: terminal speeds, wind, shelter behind other snow, gusts.

#include "firn/air.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "firn/engine.h"
#include "scenes/devices.h"
#include "scenes/scenes.h"

namespace {

using firn::DragLaw;
using firn::Engine;
using firn::Float3;
using firn::Parameters;
using firn::Particles;
using scenes::Double3;

/// Gissler 2017 in double precision: deceleration of a lone flake, m/s^2.
double drag_of_flake(double v, double size, double density) {
    const double air = 1.29, viscosity = 1.72e-5;
    const double re = air * v * size / viscosity;
    const double coefficient = re < 1000 ? 24 / re * (1 + std::pow(re, 2.0 / 3) / 6) : 0.424;
    const double area = M_PI / 4 * size * size, mass = density * M_PI / 6 * size * size * size;
    return 0.5 * air * v * v * coefficient * area / mass;
}

double terminal_speed(double size, double density) {
    double low = 0, high = 100;
    for (int k = 0; k < 100; ++k) {
        const double middle = 0.5 * (low + high);
        (drag_of_flake(middle, size, density) < scenes::gravity ? low : high) = middle;
    }
    return low;
}

Parameters flakes(double size = 0.003, double density = 40) {
    Parameters p;
    p.drag_law = DragLaw::flakes;
    p.flake_size = static_cast<float>(size);
    p.flake_density = static_cast<float>(density);
    return p;
}

Particles lone_flake() {
    return scenes::snow_at({{0, 0, 0}});
}

Particles advanced(const Parameters& p, const Particles& start, double seconds, int frames = 1,
                   const std::string& device = "cpu") {
    Engine engine(p, device);
    engine.upload(start);
    Particles out = start;
    const double frame = seconds / frames;
    for (int k = 0; k < frames; ++k) engine.advance(frame, {}, {0, 0, k * frame});
    engine.download(out);
    return out;
}

bool same_bits(const std::vector<Float3>& a, const std::vector<Float3>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Float3)) == 0;
}

/// Loose flakes, a clump and a jittered snowball in a wind with gusts.
struct Drift {
    Parameters parameters = flakes();
    Particles snow;

    Drift() {
        parameters.wind = {4, 0, 1};
        parameters.gusts = 2;
        parameters.gust_size = 0.5f;
        parameters.gust_period = 0.5f;
        const std::vector<Float3> ball = scenes::lattice_ball(0.08, 0.02, {0, 0.5, 0});
        snow.position = ball;
        for (int k = 0; k < 60; ++k)
            snow.position.push_back({0.1f * static_cast<float>(k % 8), 1 + 0.031f * static_cast<float>(k), 0.3f});
        scenes::jitter(snow.position, 0.002);
    }
};

class AirOn : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        if (!scenes::device_exists(GetParam())) GTEST_SKIP() << GetParam() << " is not here";
    }
};
INSTANTIATE_TEST_SUITE_P(, AirOn, ::testing::ValuesIn(scenes::devices()), scenes::device_name);

// ---- the law of flakes

TEST_P(AirOn, AFlakeFallsAtTheTerminalSpeedOfItsLaw) {
    // Stokes' drag, what snow does, and the constant coefficient above Re = 1000.
    for (const double size : {1e-4, 0.001, 0.003, 0.01, 0.2}) {
        for (const double density : {20.0, 40.0, 300.0}) {
            const double expected = terminal_speed(size, density);
            const Particles end =
                advanced(flakes(size, density), lone_flake(), 8 * expected / scenes::gravity + 0.1, 8, GetParam());
            // tanh(8) is 1 - 2e-7; the rest is the rounding of floats, and four rounds for the coefficient.
            EXPECT_NEAR(end.velocity[0].y, -expected, 1e-3 * expected) << size << " m, " << density << " kg/m^3";
        }
    }
}

TEST(Air, TheDefaultsFallAsSnowDoes) {
    const Particles end = advanced(flakes(), lone_flake(), 2);
    EXPECT_GT(-end.velocity[0].y, 1);
    EXPECT_LT(-end.velocity[0].y, 1.5);
}

TEST(Air, AHeavyBallFallsAsTheHyperbolicTangent) {
    // At a constant coefficient v = v_t tanh(g t / v_t); below Re = 1000, which lasts 8 ms of this, drag is nothing
    // yet.
    const double size = 0.2, density = 40, v_t = terminal_speed(size, density), t = 0.8 * v_t / scenes::gravity;
    Parameters p = flakes(size, density);
    double before = 1;
    for (const int substeps : {50, 100, 200}) {
        p.substeps = substeps;
        const double error = std::abs(-advanced(p, lone_flake(), t).velocity[0].y / (v_t * std::tanh(0.8)) - 1);
        EXPECT_LT(error, 1.0 / substeps);
        EXPECT_LT(error, 0.6 * before) << "first order in the step";
        before = error;
    }
}

TEST(Air, FallDoesNotDependOnTheSubsteps) {
    for (const int substeps : {2, 5, 50}) {
        Parameters p = flakes();
        p.substeps = substeps;
        EXPECT_NEAR(advanced(p, lone_flake(), 3, 30).velocity[0].y, -terminal_speed(0.003, 40), 1e-3) << substeps;
    }
}

// ---- wind

TEST_P(AirOn, NoDragBlowsAFlakePastTheWind) {
    for (const float drag : {1.0f, 60.0f, 100.0f, 1e3f, 1e6f}) {
        Parameters p;
        p.gravity = {};
        p.wind = {1, 0, 0};
        p.drag = drag;
        Engine engine(p, GetParam());
        engine.upload(lone_flake());
        Particles now = lone_flake();
        double before = 0;
        for (int k = 0; k < 24; ++k) {
            engine.advance(1.0 / 24);
            engine.download(now);
            EXPECT_GE(now.velocity[0].x, before);
            EXPECT_LE(now.velocity[0].x, 1.0f);
            before = now.velocity[0].x;
        }
        // Implicit Euler in steps of at most dt_max.
        EXPECT_NEAR(1 - before, std::exp(-double(drag)), drag > 1 ? 1e-6 : 2e-3) << drag;
    }
}

TEST(Air, LinearDragIsExactAtRest) {
    // u + g / drag
    Parameters p;
    p.wind = {3, 0, -1};
    p.drag = 60;
    const Float3 v = advanced(p, lone_flake(), 1, 24).velocity[0];
    EXPECT_NEAR(v.x, 3, 1e-5);
    EXPECT_NEAR(v.y, -scenes::gravity / 60, 1e-5);
    EXPECT_NEAR(v.z, -1, 1e-5);
}

TEST(Air, TheFinestFlakesInAStormNeverOvertakeIt) {
    Parameters p = flakes(1e-5, 0.1);
    p.gravity = {};
    p.wind = {300, 0, 0};
    const Float3 v = advanced(p, lone_flake(), 0.5, 12).velocity[0];
    EXPECT_LE(v.x, 300);
    EXPECT_GT(v.x, 299.9f);
}

TEST(Air, AGustThrowsNoFlakeFurtherThanAStepAllows) {
    // From rest to 30 m/s within a step: what limits the step must know.
    Parameters p;
    p.wind = {30, 0, 0};
    p.drag = 1e6f;
    Engine engine(p, "cpu");
    engine.upload(lone_flake());
    const firn::FrameReport report = engine.advance(1.0 / 24);
    for (const firn::SubstepReport& step : report.substeps)
        EXPECT_LE(30 * step.dt, 1.001 * double(p.cfl_flight) * double(p.spacing));
}

TEST(Air, EachParticleMayHaveAWindOfItsOwn) {
    Parameters p;
    p.gravity = {};
    p.wind = {1, 0, 0};
    p.drag = 1e6f;
    Particles snow = scenes::snow_at({{0, 0, 0}, {1, 0, 0}});
    snow.id = {9, 4};
    snow.air_velocity = {{0, 2, 0}, {0, 0, -3}};
    const Particles end = advanced(p, snow, 0.1);
    EXPECT_NEAR(end.velocity[0].x, 1, 1e-5);
    EXPECT_NEAR(end.velocity[0].y, 2, 1e-5);
    EXPECT_NEAR(end.velocity[1].z, -3, 1e-5);
    EXPECT_NEAR(end.velocity[1].y, 0, 1e-5);
}

// ---- shelter

/// Gain of momentum along x after one step of dt, N s for each particle.
std::vector<double> pushed(const Parameters& given, const std::vector<Float3>& position, double dt) {
    Parameters p = given;
    p.gravity = {};
    p.substeps = 1;
    const Particles end = advanced(p, scenes::snow_at(position), dt);
    std::vector<double> gain;
    for (const Float3& v : end.velocity) gain.push_back(scenes::particle_mass(p) * double(v.x));
    return gain;
}

double sum(const std::vector<double>& numbers) {
    double total = 0;
    for (const double n : numbers) total += n;
    return total;
}

TEST_P(AirOn, ABlockFeelsTheWindOnTheFaceThatItShows) {
    // Half rho_a u^2 times the area, at a coefficient of 1; forces within the snow add up to nothing.
    Parameters p = flakes();
    p.wind = {10, 0, 0};
    const double dt = 1e-4, dx = p.spacing;
    for (const int depth : {2, 4, 8}) {
        Parameters still = p;
        still.gravity = {};
        still.substeps = 1;
        const Particles end = advanced(still, scenes::snow_at(scenes::lattice_box(depth, 6, 5, dx)), dt, 1, GetParam());
        double momentum = 0;
        for (const Float3& v : end.velocity) momentum += scenes::particle_mass(p) * double(v.x);
        // In one step of 0.1 ms the snow gains too little speed to feel less wind.
        EXPECT_NEAR(momentum, 0.5 * 1.29 * 100 * (6 * 5 * dx * dx) * dt, 2e-3 * momentum) << depth << " deep";
    }
}

TEST(Air, InTheLeeOfAWallOfSnowThereIsLessWind) {
    Parameters p = flakes();
    p.wind = {8, 0, 0};
    const double dx = p.spacing, dt = 1e-4;
    std::vector<Float3> wall = scenes::lattice_box(2, 6, 6, dx);
    const double alone = sum(pushed(p, {{0, 0, 0}}, dt));
    for (const double behind : {1.2, 1.5, 1.8}) {
        std::vector<Float3> all = wall;
        const double middle = 3 * dx;
        all.push_back(scenes::narrow({(1.5 + behind) * dx, middle, middle}));
        const std::vector<double> gain = pushed(p, all, dt);
        EXPECT_LT(gain.back(), 0.3 * alone) << behind << " spacings behind it";
    }
    // Out of the wall's reach the wind is whole again.
    std::vector<Float3> all = wall;
    all.push_back(scenes::narrow({6 * dx, 3 * dx, 3 * dx}));
    EXPECT_NEAR(pushed(p, all, dt).back(), alone, 1e-3 * alone);
}

TEST(Air, OnlyWhatIsUpwindShelters) {
    Parameters p = flakes();
    p.young_modulus = 1;  // one flake shall not push the other
    p.wind = {8, 0, 0};
    const float d = 1.5f * p.spacing;
    const std::vector<double> along = pushed(p, {{0, 0, 0}, {d, 0, 0}}, 1e-4);
    EXPECT_LT(along[1], 1e-3 * along[0]);
    const std::vector<double> beside = pushed(p, {{0, 0, 0}, {0, d, 0}}, 1e-4);
    EXPECT_NEAR(beside[1], beside[0], 1e-3 * beside[0]);
    EXPECT_GT(beside[0], 0.8 * sum(pushed(p, {{0, 0, 0}}, 1e-4)));
}

TEST(Air, ASnowballDoesNotFallLikeAFlake) {
    // 16 cm of 400 kg/m^3 have a terminal speed of about 25 m/s: air takes a percent in the first 0.4 s.
    const Particles ball = scenes::snow_at(scenes::lattice_ball(0.08, 0.02));
    Parameters p = flakes();
    const Particles end = advanced(p, ball, 0.4, 10);
    double mean = 0;
    for (const Float3& v : end.velocity) mean -= double(v.y) / static_cast<double>(ball.count());
    EXPECT_GT(mean, 0.95 * 0.4 * scenes::gravity);
    EXPECT_LT(mean, 0.4 * scenes::gravity);
}

// ---- gusts

TEST(Air, GustsHaveNoDivergenceAndTheStrengthThatWasAsked) {
    Parameters p = flakes();
    p.wind = {5, 0, 0};
    p.gusts = 2;
    std::mt19937_64 random(3);
    const auto number = [&](double size) { return size * (2 * std::generate_canonical<double, 53>(random) - 1); };
    double square = 0, divergence = 0, slope = 0;
    const int samples = 4000;
    for (int k = 0; k < samples; ++k) {
        const Double3 x{number(50), number(50), number(50)};
        const double t = 100 + number(100), step = 1e-2;
        const auto u = [&](const Double3& at) { return scenes::wide(firn::air_velocity(p, scenes::narrow(at), t)); };
        const Double3 gust = u(x) - Double3{5, 0, 0};
        square += scenes::dot(gust, gust) / samples;
        const double dx = (u({x.x + step, x.y, x.z}).x - u({x.x - step, x.y, x.z}).x) / (2 * step);
        const double dy = (u({x.x, x.y + step, x.z}).y - u({x.x, x.y - step, x.z}).y) / (2 * step);
        const double dz = (u({x.x, x.y, x.z + step}).z - u({x.x, x.y, x.z - step}).z) / (2 * step);
        divergence = std::max(divergence, std::abs(dx + dy + dz));
        slope = std::max(slope, std::abs(dx));
    }
    // Eighteen waves, sampled a few hundred gusts wide.
    EXPECT_NEAR(std::sqrt(square), 2, 0.1);
    // What is left is the error of the differences, of second order in 1 cm against waves of 35 cm and more.
    EXPECT_LT(divergence, 0.02 * slope);
}

TEST_P(AirOn, FlakesMeetTheGustsThatTheHostIsTold) {
    Parameters p;
    p.gravity = {};
    p.drag = 1e6f;
    p.wind = {1, 0, 0};
    p.gusts = 3;
    p.substeps = 1;
    Particles snow;
    for (int k = 0; k < 50; ++k)
        snow.position.push_back({0.3f * static_cast<float>(k), 7, -0.2f * static_cast<float>(k)});
    Engine engine(p, GetParam());
    engine.upload(snow);
    engine.advance(0.01, {}, {0, 0, 12.5});
    Particles end = snow;
    engine.download(end);
    for (size_t i = 0; i < snow.count(); ++i) {
        const Float3 u = firn::air_velocity(p, snow.position[i], 12.505);
        // 1e6 of the rest is left, and the cosine has an error of 4e-6 for each of 18 waves.
        EXPECT_NEAR(end.velocity[i].x, u.x, 1e-3);
        EXPECT_NEAR(end.velocity[i].y, u.y, 1e-3);
        EXPECT_NEAR(end.velocity[i].z, u.z, 1e-3);
    }
}

TEST(Air, AnotherSeedGivesOtherGusts) {
    Parameters a = flakes();
    a.gusts = 1;
    Parameters b = a;
    b.gust_seed = 1;
    const Float3 at{1, 2, 3};
    EXPECT_NE(firn::air_velocity(a, at, 0).x, firn::air_velocity(b, at, 0).x);
    EXPECT_NE(firn::air_velocity(a, at, 0).x, firn::air_velocity(a, at, 1).x);
    EXPECT_EQ(firn::air_velocity(Parameters(), at, 0).x, 0);
}

TEST(Air, GustsDoNotDependOnTheFrameRate) {
    Drift drift;
    Particles flakes_only;
    flakes_only.position.assign(drift.snow.position.end() - 60, drift.snow.position.end());
    Parameters p = drift.parameters;
    p.gust_size = 2;
    const Particles film = advanced(p, flakes_only, 1, 24), fast = advanced(p, flakes_only, 1, 120);
    double most = 0, travelled = 0;
    for (size_t i = 0; i < film.count(); ++i) {
        const Double3 a = scenes::wide(film.position[i]), b = scenes::wide(fast.position[i]);
        most = std::max(most, scenes::length(a - b));
        travelled = std::max(travelled, scenes::length(a - scenes::wide(flakes_only.position[i])));
    }
    // Substeps differ, and with them the integration, of first order in a step of 4 ms.
    EXPECT_GT(travelled, 3);
    EXPECT_LT(most, 0.01 * travelled);
}

// ---- the same bits

TEST(Air, TheSameBitsForAnyNumberOfThreads) {
    Drift drift;
    drift.parameters.threads = 1;
    const Particles one = advanced(drift.parameters, drift.snow, 0.1, 3);
    for (const int threads : {2, 5}) {
        drift.parameters.threads = threads;
        const Particles many = advanced(drift.parameters, drift.snow, 0.1, 3);
        EXPECT_TRUE(same_bits(one.position, many.position));
        EXPECT_TRUE(same_bits(one.velocity, many.velocity));
    }
}

TEST(Air, AnInterruptedFrameResumesBitExactly) {
    const Drift drift;
    const double frame = 1.0 / 24, clock = 7 * frame;
    Engine whole(drift.parameters, "cpu");
    whole.upload(drift.snow);
    const firn::FrameReport report = whole.advance(frame, {}, {0, 0, clock});
    ASSERT_GT(report.substeps.size(), 4u);
    Particles expected = drift.snow;
    whole.download(expected);

    Engine first(drift.parameters, "cpu"), second(drift.parameters, "cpu");
    first.upload(drift.snow);
    const firn::FrameReport half =
        first.advance(frame, [](const firn::Progress& at) { return at.solve >= 0 || at.substep < 3; }, {0, 0, clock});
    ASSERT_TRUE(half.interrupted);
    Particles between = drift.snow;
    first.download(between);
    second.upload(between);
    second.advance(frame, {}, {half.time, static_cast<int>(half.substeps.size()), clock});
    Particles end = between;
    second.download(end);
    EXPECT_TRUE(same_bits(end.position, expected.position));
    EXPECT_TRUE(same_bits(end.velocity, expected.velocity));
}

TEST(Air, PublishedModeHasNoAirUnlessItIsAsked) {
    Parameters p;
    p.mode = firn::Mode::published;
    EXPECT_FALSE(firn::has_air(firn::effective(p)));
    const Drift drift;
    const Particles without = advanced(p, drift.snow, 0.05);
    // Everything about the wind, but no drag.
    Parameters windy = drift.parameters;
    windy.mode = p.mode;
    windy.drag_law = DragLaw::linear;
    const Particles with = advanced(windy, drift.snow, 0.05);
    EXPECT_TRUE(same_bits(with.position, without.position));
    EXPECT_TRUE(same_bits(with.velocity, without.velocity));
}

}  // namespace
