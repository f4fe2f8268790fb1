// Bodies that are faster than the snow: none passes through it untouched, and none makes snow elsewhere pay.

#include <tuple>

#include "scenes/measure.h"

namespace {

using namespace scenes;
using firn::Engine;
using firn::FrameReport;
using firn::Motion;
using firn::Parameters;

constexpr double dx = 0.01;
constexpr double radius = 0.025;    ///< of the ball
constexpr double frame = 1.0 / 24;  ///< s

/// A ball as vdb/ samples one: a layer of particles half a spacing below the surface, about a spacing apart.
Body ball(Motion motion, const Double3& centre) {
    Body body;
    body.name = "ball";
    body.motion = motion;
    const int count = 80;
    for (int k = 0; k < count; ++k) {
        const double y = 1 - (2 * k + 1.0) / count, r = std::sqrt(1 - y * y), angle = 2.399963 * k;
        const Double3 n = {r * std::cos(angle), y, r * std::sin(angle)};
        const Double3 from = motion == Motion::deforming ? centre : Double3{};
        body.position.push_back(narrow(from + (radius - 0.5 * dx) * n));
        body.normal.push_back(narrow(n));
    }
    body.placement = turn({}, centre);
    return body;
}

Parameters weightless() {
    Parameters p = settings(dx);
    p.gravity = {0, 0, 0};
    return p;
}

void send(Engine& engine, firn::BodyId id, const Body& body, const Double3& from, const Double3& to) {
    if (body.motion == Motion::rigid) return engine.move_body(id, turn({}, to));
    std::vector<Float3> goal = body.position;
    for (Float3& x : goal) x = narrow(wide(x) + to - from);
    engine.move_body(id, goal);
}

/// Both solves must see what comes.
constexpr firn::Solver solvers[] = {firn::Solver::split, firn::Solver::joint};

/// A ball flies through the middle of a wall of snow, 6 cm thick, within one frame.
struct Shot {
    double speed;       ///< m/s
    Double3 direction;  ///< of unit length
    Double3 offset;     ///< of its path, m
    Motion motion = Motion::rigid;
};

void shoot(const Shot& shot, firn::Solver solver) {
    Parameters p = weightless();
    p.solver = solver;
    // At 300 m/s the joint solve squeezes snow out of the ball's way at twice that.
    p.dt_min = 5e-6f;
    Engine engine(p);
    const std::vector<Float3> wall = lattice_box(6, 12, 12, dx, {-0.03, -0.06, -0.06});
    engine.upload(snow_at(wall));
    // It begins so that it has left the wall when the frame ends: by 20 cm, or as far as it gets.
    const double way = shot.speed * frame, beyond = std::min(0.2, way - 0.15);
    const Double3 from = shot.offset - (way - beyond) * shot.direction, to = shot.offset + beyond * shot.direction;
    const Body body = ball(shot.motion, from);
    const firn::BodyId id = engine.add_body(body);
    send(engine, id, body, from, to);
    const FrameReport report = engine.advance(frame);
    Particles after;
    engine.download(after);
    EXPECT_TRUE(report.warnings.empty()) << report.warnings[0];

    double in_path = 0;
    size_t inside = 0, untouched = 0;
    for (size_t i = 0; i < after.count(); ++i) {
        const Double3 was = wide(wall[i]) - shot.offset, is = wide(after.position[i]);
        const double beside = length(was - dot(was, shot.direction) * shot.direction);
        inside += length(is - to) < radius - 0.75 * dx;
        if (beside > radius - 0.5 * dx) continue;
        ++in_path;
        untouched += length(is - wide(wall[i])) < dx;
    }
    const double mass = particle_mass(p);
    const Double3 gained = momentum(after, mass);
    Double3 lost, lost_spin;
    for (const firn::BodyImpulse& each : engine.body_impulses(id)) {
        lost = lost + Double3{each.impulse[0], each.impulse[1], each.impulse[2]};
        lost_spin = lost_spin + Double3{each.angular[0], each.angular[1], each.angular[2]};
    }
    ASSERT_GT(in_path, 50);
    EXPECT_EQ(inside, 0u);
    EXPECT_EQ(untouched, 0u) << "of " << in_path;
    // Snow that a smooth ball hits takes cos^2 of the ball's velocity along, which is half of it over the disc.
    EXPECT_GT(dot(gained, shot.direction), 0.4 * in_path * mass * shot.speed);
    // Both momenta. Beside a boundary the forces are in pairs as far as the shear solve's tolerance, 3e-4 a step.
    EXPECT_LT(length(gained + lost), 1e-2 * length(gained));
    // The body feels the snow at its boundary particles, up to a spacing away from where the snow is.
    const double arm = solver == firn::Solver::joint ? 0.6 * dx : 0.5 * dx;
    EXPECT_LT(length(angular_momentum(after, mass) + lost_spin), arm * length(gained));
    EXPECT_LT(largest_speed(after), 3 * shot.speed);
}

class FastBall : public ::testing::TestWithParam<std::tuple<firn::Solver, double, int>> {};

TEST_P(FastBall, TakesTheSnowInItsPathAlong) {
    const double along = std::sqrt(0.5), slope = std::sqrt(1.0 / 3);
    // Along the lattice, across it, and by fractions of a spacing beside it.
    const Shot shots[] = {{0, {1, 0, 0}, {}},
                          {0, {-1, 0, 0}, {0, 0.3 * dx, 0.5 * dx}},
                          {0, {along, along, 0}, {0, 0, 0.25 * dx}},
                          {0, {slope, -slope, slope}, {0.4 * dx, 0, 0}},
                          {0, {1, 0, 0}, {0.7 * dx, 0.1 * dx, 0}, Motion::deforming}};
    Shot shot = shots[std::get<2>(GetParam())];
    shot.speed = std::get<1>(GetParam());
    shoot(shot, std::get<0>(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Speeds, FastBall,
                         ::testing::Combine(::testing::ValuesIn(solvers),
                                            ::testing::Values(5.0, 12.0, 40.0, 120.0, 300.0), ::testing::Range(0, 5)));

/// A blade of 20 x 40 cm that turns about one of its ends.
TEST(FastBodies, ABladeHitsFallingFlakes) {
    Parameters p = weightless();
    p.spacing = 0.02f;
    Engine engine(p);
    Body blade = sheet_body({0, 0, -0.1}, {0.02, 0, 0}, 20, {0, 0, 0.02}, 10);
    blade.normal.clear();
    blade.name = "blade";
    blade.motion = Motion::rigid;
    const firn::BodyId id = engine.add_body(blade);
    // 22 m/s at a radius of 40 cm: 2.3 rad in a frame. Flakes lie along the way, out of each other's reach: the blade
    // touches none when it is about to hit the next.
    const double angle = 22 / 0.4 * frame;
    std::vector<Float3> flakes;
    for (int k = 1; k < 6; ++k) {
        const double a = angle * k / 6;
        flakes.push_back(narrow({0.35 * std::cos(a), 0.35 * std::sin(a), 0.013 * k}));
    }
    engine.upload(snow_at(flakes));
    // The blade turns about the end, which is not its pivot: by quarters of the frame, as a host would send it.
    for (int part = 1; part <= 4; ++part) {
        engine.move_body(id, turn({0, 0, angle * part / 4}));
        EXPECT_TRUE(engine.advance(frame / 4).warnings.empty());
    }
    Particles after;
    engine.download(after);
    size_t missed = 0;
    for (size_t i = 0; i < after.count(); ++i) missed += length(wide(after.velocity[i])) < 1;
    EXPECT_EQ(missed, 0u) << "of " << after.count();
}

/// Substeps of a frame of snow that rests on a floor while a ball flies by at 300 m/s, or none does.
size_t substeps_beside(const Double3* from, const Double3* to) {
    Parameters p = settings(dx);
    Engine engine(p);
    engine.add_body(floor_body(0.1, dx));
    Particles snow = snow_at(lattice_box(8, 4, 8, dx, {-0.04, 0, -0.04}));
    // A flake far off: the box of all snow is not where snow is.
    snow.position.push_back({5, 0.005f, 5});
    engine.upload(snow);
    if (from) {
        const Body body = ball(Motion::rigid, *from);
        send(engine, engine.add_body(body), body, *from, *to);
    }
    return engine.advance(frame).substeps.size();
}

TEST(FastBodies, WhatFliesFarFromSnowCostsNoSubstep) {
    const size_t alone = substeps_beside(nullptr, nullptr);
    const Double3 left = {-6, 0.5, 0}, right = {6.5, 0.5, 0}, corner = {0, 0.005, 6.25}, other = {6.25, 0.005, -6.25};
    EXPECT_EQ(substeps_beside(&left, &right), alone) << "half a metre above";
    EXPECT_EQ(substeps_beside(&corner, &other), alone) << "within the box of all snow";
    const Double3 low = {-6, 0.05, 0}, end = {6.5, 0.05, 0};
    EXPECT_GT(substeps_beside(&low, &end), alone + 20) << "through it";
}

TEST(FastBodies, SubstepsThatAreTooLongAreAWarning) {
    for (const bool fixed : {false, true}) {
        Parameters p = weightless();
        if (fixed) p.substeps = 10;
        if (!fixed) p.dt_min = 1e-3f;
        Engine engine(p);
        engine.upload(snow_at(lattice_box(6, 6, 6, dx, {-0.03, -0.03, -0.03})));
        const Double3 from = {-1, 0, 0}, to = {1, 0, 0};
        const Body body = ball(Motion::rigid, from);
        send(engine, engine.add_body(body), body, from, to);
        const FrameReport report = engine.advance(frame);
        // Beside it there may be one of grains that such steps throw off.
        const auto of_ball = std::find_if(
            report.warnings.begin(), report.warnings.end(),
            [](const std::string& warning) { return warning.find("body 'ball' moves") != std::string::npos; });
        ASSERT_NE(of_ball, report.warnings.end());
        EXPECT_NE(of_ball->find("48 m/s"), std::string::npos) << *of_ball;
        EXPECT_NE(of_ball->find(fixed ? "set substeps to" : "set dt_min to"), std::string::npos) << *of_ball;
    }
}

/// A wall of snow, and a ball that will be behind it when the frame ends.
Engine ball_before_wall(int threads) {
    Parameters p = weightless();
    p.threads = threads;
    Engine engine(p);
    engine.upload(snow_at(lattice_box(6, 8, 8, dx, {-0.03, -0.04, -0.04})));
    const Double3 from = {-1, 0.003, 0}, to = {0.1, -0.004, 0};
    const Body body = ball(Motion::rigid, from);
    send(engine, engine.add_body(body), body, from, to);
    return engine;
}

void expect_same(const Engine& one, const Engine& other) {
    Particles a, b;
    one.download(a);
    other.download(b);
    for (size_t i = 0; i < a.count(); ++i) {
        ASSERT_EQ(length(wide(a.position[i]) - wide(b.position[i])), 0);
        ASSERT_EQ(length(wide(a.velocity[i]) - wide(b.velocity[i])), 0);
    }
}

TEST(FastBodies, AreTheSameOnAnyNumberOfThreads) {
    Engine one = ball_before_wall(1), three = ball_before_wall(3);
    one.advance(frame);
    three.advance(frame);
    expect_same(one, three);
}

TEST(FastBodies, AreTheSameWhenAFrameIsResumed) {
    Engine whole = ball_before_wall(1), first = ball_before_wall(1), rest = ball_before_wall(1);
    const FrameReport report = whole.advance(frame);
    // Before it touches anything, and in the midst of it.
    for (const size_t stop : {size_t(1), report.substeps.size() / 2}) {
        const FrameReport done = first.advance(frame, [&](const firn::Progress& at) {
            return !(at.iteration == 0 && at.substep == static_cast<int>(stop));
        });
        ASSERT_EQ(done.substeps.size(), stop);
        Particles half;
        first.download(half);
        rest.upload(half);
        EXPECT_EQ(rest.advance(frame, {}, {done.time, static_cast<int>(stop)}).substeps.size(),
                  report.substeps.size() - stop);
        expect_same(whole, rest);
        first = ball_before_wall(1);
        rest = ball_before_wall(1);
    }
}

}  // namespace
