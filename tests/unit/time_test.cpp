// Frames and substeps: where they end, how long they are, what is reported, and what an interruption leaves.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "firn/engine.h"
#include "scenes/scenes.h"

namespace {

using firn::Engine;
using firn::FrameReport;
using firn::Particles;
using firn::Progress;

const double frame = 1.0 / 24;

firn::Parameters parameters() {
    firn::Parameters p;
    p.spacing = 0.02f;
    return p;
}

/// A small block that flies into a floor at `speed`.
Particles block(float speed) {
    return scenes::snow_at(scenes::lattice_box(5, 5, 5, 0.02, {-0.05, 0.01, -0.05}), {0, -speed, 0});
}

Engine falling_block(const firn::Parameters& p, float speed = 3) {
    Engine engine(p);
    engine.add_body(scenes::floor_body(0.2, 0.02));
    engine.upload(block(speed));
    return engine;
}

double sum_of_steps(const FrameReport& report) {
    double sum = 0;
    for (const firn::SubstepReport& s : report.substeps) sum += s.dt;
    return sum;
}

bool same_state(const Particles& a, const Particles& b) {
    const auto same = [](const auto& x, const auto& y) {
        return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof x[0]) == 0);
    };
    return same(a.position, b.position) && same(a.velocity, b.velocity) && same(a.strain, b.strain) &&
           same(a.pressure, b.pressure) && same(a.shear_acceleration, b.shear_acceleration) && a.id == b.id;
}

Particles downloaded(const Engine& engine) {
    Particles out;
    engine.download(out);
    return out;
}

TEST(Time, AFrameEndsExactly) {
    for (const double seconds : {1.0 / 24, 1.0 / 30, 0.001, 1e-6, 0.0371}) {
        Engine engine = falling_block(parameters());
        const FrameReport report = engine.advance(seconds);
        EXPECT_EQ(report.time, seconds);
        EXPECT_FALSE(report.interrupted);
        // The last substep is what remains: the sum differs by the rounding of the additions.
        EXPECT_NEAR(sum_of_steps(report), seconds, 1e-14);
    }
}

TEST(Time, FixedSubsteps) {
    firn::Parameters p = parameters();
    for (const int n : {1, 3, 7, 20}) {
        p.substeps = n;
        Engine engine = falling_block(p);
        const FrameReport report = engine.advance(frame);
        ASSERT_EQ(report.substeps.size(), static_cast<size_t>(n));
        for (const firn::SubstepReport& s : report.substeps) EXPECT_NEAR(s.dt, frame / n, 1e-12);
        EXPECT_EQ(report.time, frame);
    }
}

TEST(Time, SubstepsKeepWithinTheirBounds) {
    firn::Parameters p = parameters();
    p.dt_min = 1e-4f;
    p.dt_max = 1.1e-3f;
    for (const float speed : {0.0f, 1.0f, 5.0f, 40.0f, 500.0f}) {
        Engine engine = falling_block(p, speed);
        const FrameReport report = engine.advance(frame);
        for (const firn::SubstepReport& s : report.substeps) {
            EXPECT_LE(s.dt, 1.1e-3 * (1 + 1e-6)) << "speed " << speed;
            EXPECT_GE(s.dt, 1e-4 * (1 - 1e-6)) << "speed " << speed;
        }
    }
}

TEST(Time, StillSnowTakesTheLongestSteps) {
    firn::Parameters p = parameters();
    p.gravity = {0, 0, 0};
    p.dt_max = 0.01f;
    Engine engine(p);
    engine.upload(block(0));
    // Nothing touches it, nothing strains it: the frame is one step.
    EXPECT_EQ(engine.advance(frame).substeps.size(), 1u);
    // Beside a boundary: 1/24 s in steps of at most 10 ms, five equal ones.
    firn::Body pebble;
    pebble.position = {block(0).position[0]};
    pebble.position[0].y -= 1.5f * p.spacing;
    engine.add_body(pebble);
    engine.upload(block(0));
    const FrameReport report = engine.advance(frame);
    ASSERT_EQ(report.substeps.size(), 5u);
    for (const firn::SubstepReport& s : report.substeps) EXPECT_NEAR(s.dt, frame / 5, 1e-9);
}

TEST(Time, FlightFollowsItsCfl) {
    // Nothing to collide with: only the speed itself counts. dt = cfl_flight dx / v.
    firn::Parameters p = parameters();
    p.gravity = {0, 0, 0};
    p.cfl_flight = 0.5f;
    Engine engine(p);
    engine.upload(block(10));
    const FrameReport report = engine.advance(frame);
    const double longest = 0.5 * 0.02 / 10;
    EXPECT_EQ(report.substeps.size(), static_cast<size_t>(std::ceil(frame / longest * (1 - 1e-6))));
    for (const firn::SubstepReport& s : report.substeps) EXPECT_LE(s.dt, longest * (1 + 1e-5));
}

TEST(Time, NeighboursFollowTheirCfl) {
    // Two particles that close in on each other along their line: dt = cfl dx / (closing speed).
    firn::Parameters p = parameters();
    p.gravity = {0, 0, 0};
    p.cfl = 0.05f;  // of a spacing, and twice that with yield in the solve
    p.cfl_flight = 1.5f;
    Engine engine(p);
    Particles snow = scenes::snow_at({{0, 0, 0}, {0.03f, 0, 0}});
    snow.velocity = {{1, 5, 0}, {-1, 5, 0}};  // what they share, and what is across, does not count
    engine.upload(snow);
    const FrameReport report = engine.advance(1e-2);
    EXPECT_LE(report.substeps.at(0).dt, 0.1 * 0.02 / 2 * (1 + 1e-5));
    EXPECT_GT(report.substeps.at(0).dt, 0.1 * 0.02 / 2 * 0.8);
    EXPECT_NEAR(report.substeps.at(0).relative_speed, 2, 1e-5);
}

TEST(Time, WavesFollowTheirCfl) {
    firn::Parameters p = parameters();
    p.gravity = {0, 0, 0};
    p.cfl_wave = 1;
    p.young_modulus = 1e6f;
    p.poisson_ratio = 0.2f;
    p.rest_density = 400;
    Engine engine(p);
    engine.upload(block(0));
    const double c = std::sqrt(1e6 * 0.8 / (1.2 * 0.6) / 400);  // pressure waves: sqrt((lambda + 2 G) / rho)
    const FrameReport report = engine.advance(frame);
    for (const firn::SubstepReport& s : report.substeps) {
        EXPECT_LE(s.dt, 0.02 / c * (1 + 1e-5));
        EXPECT_GT(s.dt, 0.02 / c * 0.9);
    }
}

TEST(Time, TheReportTellsWhatHappened) {
    firn::Parameters split = parameters();
    split.solver = firn::Solver::split;
    Engine engine = falling_block(split);
    const FrameReport report = engine.advance(frame);
    ASSERT_FALSE(report.substeps.empty());
    double pressure = 0, shear = 0;
    for (const firn::SubstepReport& s : report.substeps) {
        EXPECT_GE(s.solve("pressure").iterations, 1);
        EXPECT_TRUE(s.solve("pressure").converged);
        EXPECT_LT(s.solve("pressure").residual, parameters().pressure_tolerance);
        EXPECT_GE(s.solve("shear").iterations, 0);
        EXPECT_LE(s.solve("shear").residual, parameters().shear_tolerance);
        EXPECT_GE(s.speed, 0);
        EXPECT_LT(s.speed, 10);
        pressure += s.solve("pressure").iterations;
        shear += s.solve("shear").iterations;
    }
    EXPECT_NEAR(report.substeps[0].speed, 3, 0.2);
    EXPECT_NEAR(report.iterations("pressure"), pressure / static_cast<double>(report.substeps.size()), 1e-12);
    EXPECT_NEAR(report.iterations("shear"), shear / static_cast<double>(report.substeps.size()), 1e-12);
    EXPECT_GT(report.bytes, 125u * 100);
    EXPECT_TRUE(report.warnings.empty());
    ASSERT_EQ(report.phases.size(), 5u);
    for (const char* phase : {"neighbours", "properties", "pressure", "shear", "integrate"}) {
        EXPECT_GT(report.seconds(phase), 0) << phase;
        EXPECT_LT(report.seconds(phase), 10) << phase;
    }
    EXPECT_EQ(report.seconds("none of them"), 0);
    EXPECT_EQ(FrameReport().iterations("pressure"), 0);
    EXPECT_EQ(FrameReport().iterations("shear"), 0);
}

TEST(Time, ASolveThatDoesNotConvergeIsAWarning) {
    firn::Parameters p = parameters();
    p.mode = firn::Mode::published;
    p.pressure_iterations_max = p.shear_iterations_max = 1;
    p.pressure_tolerance = p.shear_tolerance = 1e-7f;
    p.substeps = 3;
    Engine engine = falling_block(p);
    const FrameReport report = engine.advance(3e-3);
    ASSERT_EQ(report.warnings.size(), 2u);
    EXPECT_NE(report.warnings[0].find("pressure_iterations_max"), std::string::npos);
    EXPECT_NE(report.warnings[1].find("shear_iterations_max"), std::string::npos);
    EXPECT_NE(report.warnings[0].find("3 of 3 substeps"), std::string::npos) << report.warnings[0];
    EXPECT_FALSE(report.substeps[0].solve("pressure").converged);
    EXPECT_EQ(report.substeps[0].solve("pressure").iterations, 1);
    EXPECT_EQ(report.substeps[0].solve("shear").iterations, 1);
    EXPECT_TRUE(scenes::finite(downloaded(engine)));
}

TEST(Time, ProgressIsMonotone) {
    Engine engine = falling_block(parameters());
    double last = -1;
    int substep = 0;
    size_t between = 0, within = 0;
    bool monotone = true, sensible = true;
    const FrameReport report = engine.advance(frame, [&](const Progress& p) {
        monotone = monotone && p.fraction >= last && p.substep >= substep;
        sensible = sensible && p.fraction >= 0 && p.fraction < 1 && p.substep >= 1 && p.iteration >= 0 && *p.phase;
        last = p.fraction;
        substep = p.substep;
        ++(p.iteration == 0 ? between : within);
        return true;
    });
    EXPECT_TRUE(monotone);
    EXPECT_TRUE(sensible);
    EXPECT_EQ(between + 1, report.substeps.size()) << "asked after every substep but the last";
    EXPECT_GT(within, 0u);
}

TEST(Time, TheObserverChangesNothing) {
    Engine silent = falling_block(parameters()), watched = falling_block(parameters());
    silent.advance(frame);
    watched.advance(frame, [](const Progress&) { return true; });
    EXPECT_TRUE(same_state(downloaded(silent), downloaded(watched)));
}

TEST(Time, AnInterruptBetweenSubstepsLeavesTheLastWholeOne) {
    firn::Parameters p = parameters();
    p.substeps = 10;
    Engine whole = falling_block(p);
    whole.advance(frame);

    Engine engine = falling_block(p);
    const FrameReport report =
        engine.advance(frame, [](const Progress& at) { return !(at.iteration == 0 && at.substep == 4); });
    EXPECT_TRUE(report.interrupted);
    EXPECT_EQ(report.substeps.size(), 4u);
    EXPECT_NEAR(report.time, 0.4 * frame, 1e-12);

    // Four substeps of the same length, uninterrupted.
    p.substeps = 4;
    Engine shorter = falling_block(p);
    shorter.advance(0.4 * frame);
    const Particles a = downloaded(engine), b = downloaded(shorter);
    for (size_t i = 0; i < a.count(); ++i) {
        // 0.4 frame / 4 and frame / 10 differ in their last bit.
        ASSERT_NEAR(a.position[i].y, b.position[i].y, 1e-5);
        ASSERT_NEAR(a.velocity[i].y, b.velocity[i].y, 1e-3);
    }
    EXPECT_FALSE(same_state(a, downloaded(whole)));
}

/// Interrupts in `phase` of substep 3; the state must be bit-identical to that after substep 2.
void interrupt_within(const char* phase, firn::Solver solver) {
    firn::Parameters p = parameters();
    p.solver = solver;
    p.substeps = 8;
    p.pressure_tolerance = p.shear_tolerance = 1e-6f;
    Engine before = falling_block(p);
    const FrameReport two =
        before.advance(frame, [](const Progress& at) { return !(at.iteration == 0 && at.substep == 2); });
    ASSERT_EQ(two.substeps.size(), 2u);

    Engine engine = falling_block(p);
    bool asked = false;
    const FrameReport report = engine.advance(frame, [&](const Progress& at) {
        const bool here = at.substep == 3 && at.iteration >= 2 && std::strcmp(at.phase, phase) == 0;
        asked |= here;
        return !here;
    });
    ASSERT_TRUE(asked) << "the solve was too short to be interrupted";
    EXPECT_TRUE(report.interrupted);
    EXPECT_EQ(report.substeps.size(), 2u);
    EXPECT_NEAR(report.time, two.time, 1e-15);
    const Particles expected = downloaded(before), left = downloaded(engine);
    ASSERT_TRUE(scenes::finite(left));
    EXPECT_TRUE(same_state(expected, left));

    // And the rest of the frame from there gives the same bits as if nothing had happened.
    p.substeps = 6;
    before.set_parameters(p);
    engine.set_parameters(p);
    before.advance(frame - two.time);
    engine.advance(frame - two.time);
    EXPECT_TRUE(same_state(downloaded(before), downloaded(engine)));
}

TEST(Time, AnInterruptWithinThePressureSolveLeavesTheLastWholeSubstep) {
    interrupt_within("pressure", firn::Solver::split);
}

TEST(Time, AnInterruptWithinTheShearSolveLeavesTheLastWholeSubstep) {
    interrupt_within("shear", firn::Solver::split);
    interrupt_within("shear", firn::Solver::joint);
}

TEST(Time, AnInterruptInTheFirstSubstepLeavesTheStart) {
    Engine engine = falling_block(parameters());
    const Particles start = downloaded(engine);
    const FrameReport report = engine.advance(frame, [](const Progress&) { return false; });
    EXPECT_TRUE(report.interrupted);
    EXPECT_EQ(report.time, 0);
    EXPECT_TRUE(report.substeps.empty());
    EXPECT_TRUE(same_state(start, downloaded(engine)));
}

TEST(Time, AnInterruptedFrameLeavesMovingBodiesWhereTheyWere) {
    firn::Parameters p = parameters();
    p.substeps = 10;
    Engine engine(p);
    firn::Body lift = scenes::floor_body(0.2, 0.02);
    lift.motion = firn::Motion::rigid;
    const firn::BodyId id = engine.add_body(lift);
    engine.upload(block(0));
    engine.move_body(id, scenes::turn({}, {0, 0.1, 0}));
    engine.advance(frame, [](const Progress& at) { return !(at.iteration == 0 && at.substep == 3); });
    EXPECT_NEAR(engine.body_positions(id)[0].y, -0.01 + 0.03, 1e-6);
    // The goal is still ahead: the next frame gets there.
    engine.advance(frame);
    EXPECT_NEAR(engine.body_positions(id)[0].y, -0.01 + 0.1, 1e-6);
}

}  // namespace
