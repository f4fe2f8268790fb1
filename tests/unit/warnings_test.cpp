// What goes wrong without an error is a warning: motion that nothing explains, snow and bodies in each other, speeds
// that substeps can't follow. What is in order is none.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "firn/engine.h"
#include "scenes/scenes.h"

namespace {

using firn::Engine;
using firn::Particles;
using scenes::Double3;

const double frame = 1.0 / 24;
const double dx = 0.02;

Particles block(const Double3& corner = {-0.05, 0, -0.05}, const firn::Float3& velocity = {}) {
    return scenes::snow_at(scenes::lattice_box(5, 5, 5, dx, corner), velocity);
}

/// A ball about the origin, its normals outwards or, where it is to hold the snow, inwards.
firn::Body ball(double radius, double outwards = 1) {
    firn::Body body;
    body.name = "ball";
    const int count = static_cast<int>(4 * 3.14159265 * radius * radius / (dx * dx));
    for (int k = 0; k < count; ++k) {
        const double y = 1 - (2 * k + 1.0) / count, r = std::sqrt(1 - y * y), angle = 2.399963 * k;
        const Double3 n = {r * std::cos(angle), y, r * std::sin(angle)};
        body.position.push_back(scenes::narrow((radius - outwards * 0.5 * dx) * n));
        body.normal.push_back(scenes::narrow(outwards * n));
    }
    return body;
}

/// Those of the first frame.
std::vector<std::string> warnings_of(const Particles& snow, const std::vector<firn::Body>& bodies,
                                     const firn::Parameters& p = {}) {
    Engine engine(p);
    for (const firn::Body& body : bodies) engine.add_body(body);
    engine.upload(snow);
    return engine.advance(frame).warnings;
}

void expect_one(const std::vector<std::string>& warnings, const std::vector<std::string>& words) {
    ASSERT_EQ(warnings.size(), 1u);
    for (const std::string& word : words) EXPECT_NE(warnings[0].find(word), std::string::npos) << warnings[0];
}

void expect_none(const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings) ADD_FAILURE() << warning;
}

TEST(Warnings, SnowInsideABody) {
    expect_one(warnings_of(block({-0.05, -0.05, -0.05}), {ball(0.2)}), {"100 %", "inside body 'ball'"});
    // Half of it.
    Particles two = block({-0.05, -0.05, -0.05});
    scenes::append(two, block({0.5, 0, 0}));
    expect_one(warnings_of(two, {ball(0.2)}), {"50 %", "inside body 'ball'"});
    // Where the body moved to, and not where it was made.
    firn::Body moved = ball(0.2);
    moved.motion = firn::Motion::rigid;
    moved.placement = scenes::turn({0, 1, 0}, {3, 0, 0});
    expect_one(warnings_of(block({2.95, -0.05, -0.05}), {moved}), {"inside body 'ball'"});
    expect_none(warnings_of(block({-0.05, -0.05, -0.05}), {moved}));
}

TEST(Warnings, SnowBesideOnAndHeldByBodiesIsInOrder) {
    expect_none(warnings_of(block({0.25, 0, 0}), {ball(0.2)}));
    expect_none(warnings_of(block({-0.05, -0.05, -0.05}), {ball(0.2, -1)}));
    expect_none(warnings_of(block(), {scenes::floor_body(0.3, dx)}));
    // Below a sheet there is no inside.
    expect_none(warnings_of(block({-0.05, -0.2, -0.05}), {scenes::floor_body(1, dx)}));
}

TEST(Warnings, BodiesInOnePlace) {
    firn::Body floor = scenes::floor_body(0.3, dx), copy = floor;
    copy.name = "copy";
    expect_one(warnings_of(block({1, 1, 1}), {floor, copy}), {"'floor'", "'copy'", "same place"});
    for (firn::Float3& x : copy.position) x.y -= static_cast<float>(dx);
    expect_none(warnings_of(block({1, 1, 1}), {floor, copy}));
}

TEST(Warnings, PlacesAreLookedAtOnce) {
    Engine engine;
    engine.add_body(ball(0.2));
    engine.upload(block({-0.05, -0.05, -0.05}));
    expect_one(engine.advance(1e-3).warnings, {"inside body 'ball'"});
    expect_none(engine.advance(1e-3).warnings);
}

TEST(Warnings, SnowThatAppearsInsideABodyLater) {
    Engine engine;
    engine.add_body(ball(0.2));
    Particles snow = block({0.5, 0, 0});
    engine.upload(snow);
    expect_none(engine.advance(1e-3).warnings);
    // Beside it, and then inside: a body of snow that has its start in a later frame.
    scenes::append(snow, block({1, 0, 0}));
    engine.upload(snow);
    expect_none(engine.advance(1e-3).warnings);
    scenes::append(snow, block({-0.05, -0.05, -0.05}));
    engine.upload(snow);
    expect_one(engine.advance(1e-3).warnings, {"100 %", "snow that has appeared is inside body 'ball'"});
    expect_none(engine.advance(1e-3).warnings);
}

TEST(Warnings, SpeedsThatDtMinCannotFollow) {
    const std::vector<std::string> warnings =
        warnings_of(block({-0.05, 0.2, -0.05}, {0, -5000, 0}), {scenes::floor_body(0.3, dx)});
    ASSERT_FALSE(warnings.empty());
    EXPECT_NE(warnings[0].find("the snow"), std::string::npos) << warnings[0];
    EXPECT_NE(warnings[0].find("set dt_min to"), std::string::npos) << warnings[0];
}

TEST(Warnings, SnowThatMeetsASurfaceTooFastForItsSubsteps) {
    firn::Parameters p;
    p.substeps = 1;
    const std::vector<std::string> warnings =
        warnings_of(block({-0.06, 0, -0.06}, {0, -1, 0}), {scenes::floor_body(0.3, dx)}, p);
    ASSERT_FALSE(warnings.empty());
    // 1 m/s straight down on a boundary particle for 1/24 s, in spacings of 2 cm; cfl allows 0.2 of one in a substep.
    EXPECT_NE(warnings[0].find("moves 2.1 spacings"), std::string::npos) << warnings[0];
    EXPECT_NE(warnings[0].find("set substeps to 0 (automatic) or at least 11"), std::string::npos) << warnings[0];
}

TEST(Warnings, ExplicitStepsThatAreTooLong) {
    firn::Parameters p;
    p.solver = firn::Solver::explicit_step;
    const auto floor = scenes::floor_body(0.3, dx);
    const std::vector<std::string> warnings = warnings_of(block(), {floor}, p);
    EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
        return warning.find("solver = explicit") != std::string::npos && warning.find("cfl_wave") != std::string::npos;
    }));
    p.cfl_wave = 0.5f;
    expect_none(warnings_of(block(), {floor}, p));
}

/// Kinetic energy that came from nowhere, J: found from outside, as the engine's own check is not.
TEST(Warnings, MotionThatNothingExplains) {
    firn::Parameters p;
    p.solver = firn::Solver::explicit_step;
    p.young_modulus = 1e7f;
    Engine engine(p);
    engine.add_body(scenes::floor_body(0.3, dx));
    engine.upload(block());
    Particles snow;
    bool warned = false, grew = false;
    for (int k = 0; k < 5 && !grew; ++k) {
        for (const std::string& warning : engine.advance(frame).warnings)
            warned |= warning.find("kinetic energy rose") != std::string::npos;
        engine.download(snow);
        // The block is 10 cm high: it can't fall more than that.
        const double weight = 125 * scenes::particle_mass(p) * scenes::gravity;
        grew = scenes::kinetic_energy(snow, scenes::particle_mass(p)) > 10 * weight * 0.1;
        EXPECT_EQ(warned, grew) << "frame " << k;
    }
    EXPECT_TRUE(grew) << "the test needs a simulation that goes wrong";
}

TEST(Warnings, MotionThatForcesExplainIsInOrder) {
    // A push for each particle, ten times its weight.
    Particles pushed = block({0, 3, 0});
    pushed.acceleration.assign(pushed.count(), {100, 0, 0});
    expect_none(warnings_of(pushed, {}));

    // A plate that throws snow up, as it moves and as it deforms.
    for (const firn::Motion motion : {firn::Motion::rigid, firn::Motion::deforming}) {
        firn::Body plate = scenes::floor_body(0.1, dx);
        plate.motion = motion;
        Engine engine;
        const firn::BodyId id = engine.add_body(plate);
        engine.upload(block());
        if (motion == firn::Motion::rigid) {
            engine.move_body(id, scenes::turn({}, {0, 0.4, 0}));
        } else {
            for (firn::Float3& x : plate.position) x.y += 0.4f;
            engine.move_body(id, plate.position);
        }
        expect_none(engine.advance(frame).warnings);
        Particles snow;
        engine.download(snow);
        EXPECT_GT(scenes::mean(snow.velocity).y, 5);
    }
    // One that turns under it.
    firn::Body paddle = scenes::floor_body(0.3, dx);
    paddle.motion = firn::Motion::rigid;
    // Far from the world's origin, which torques refer to: 0.5 rad in a frame, 3 m/s where the snow lies.
    paddle.placement = scenes::turn({}, {20, 0, 0});
    Engine engine;
    const firn::BodyId id = engine.add_body(paddle);
    engine.upload(block({19.7, 0, -0.05}));
    engine.move_body(id, scenes::turn({0, 0, -0.5}, {20, 0, 0}));
    expect_none(engine.advance(frame).warnings);
    Particles snow;
    engine.download(snow);
    EXPECT_GT(scenes::mean(snow.velocity).y, 1);
}

/// tests/methods/kicked_test.cpp has grains that nothing threw.
TEST(Warnings, GrainsThatSomethingThrewAreInOrder) {
    const auto thrown = [](const std::vector<std::string>& warnings) {
        return std::any_of(warnings.begin(), warnings.end(),
                           [](const std::string& warning) { return warning.find("thrown off") != std::string::npos; });
    };
    // Snow that is shot at snow, from as far as it comes in the frame.
    Particles shot = block({0, 0, 0});
    scenes::append(shot, block({-1.0, 0.01, 0.01}, {40, 0, 0}));
    Engine meeting;
    meeting.upload(shot);
    EXPECT_FALSE(thrown(meeting.advance(frame).warnings));
    Particles after;
    meeting.download(after);
    double fastest = 0;
    for (size_t i = 0; i < 125; ++i) fastest = std::max(fastest, double(std::abs(after.velocity[i].x)));
    EXPECT_GT(fastest, 5) << "the test needs a hit";

    // An explosion: a few grains are pushed, and push others.
    Particles burst = block({0, 3, 0});
    burst.acceleration.assign(burst.count(), {});
    for (size_t i = 50; i < 75; ++i) burst.acceleration[i] = {0, 0, 600};
    EXPECT_FALSE(thrown(warnings_of(burst, {})));

    // A bat that hits a ball which comes as fast.
    firn::Body bat = scenes::floor_body(0.2, dx);
    bat.motion = firn::Motion::rigid;
    bat.bounce = 1;
    Engine engine;
    const firn::BodyId id = engine.add_body(bat);
    engine.upload(block({-0.05, 0.4, -0.05}, {0, -10, 0}));
    engine.move_body(id, scenes::turn({}, {0, 0.4, 0}));
    EXPECT_FALSE(thrown(engine.advance(frame).warnings));
}

}  // namespace
