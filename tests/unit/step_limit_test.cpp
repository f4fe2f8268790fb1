// Who sets the length of a substep: compared with a search over all pairs in double precision.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "firn/engine.h"
#include "scenes/scenes.h"

namespace {

using firn::Engine;
using firn::FrameReport;
using firn::Parameters;
using firn::Particles;
using firn::StepLimit;

constexpr double frame = 1.0 / 24;

Parameters parameters() {
    Parameters p;
    p.spacing = 0.02f;
    p.gravity = {0, 0, 0};
    return p;
}

/// The first substep's limit.
StepLimit first_limit(Engine& engine, double seconds = frame) {
    const FrameReport report = engine.advance(seconds);
    return report.substeps.at(0).limit;
}

/// A jittered block whose particles move at random, with ids that are not their places.
Particles restless(int seed, float speed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    std::uniform_real_distribution<float> any(-1, 1);
    Particles snow = scenes::snow_at(scenes::lattice_box(12, 12, 12, 0.02, {0, 0.5, 0}), {0, 0, 0});
    snow.velocity.resize(snow.count());
    for (size_t i = 0; i < snow.count(); ++i) {
        snow.velocity[i] = {speed * any(random), speed * any(random), speed * any(random)};
        snow.position[i].x += 0.004f * any(random);
    }
    snow.id.resize(snow.count());
    for (size_t i = 0; i < snow.count(); ++i) snow.id[i] = static_cast<int64_t>(10 * (snow.count() - i));
    return snow;
}

double component(const firn::Float3& a, int axis) {
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

TEST(StepLimit, NamesAParticleOfThePairThatMeetsFastest) {
    for (const int seed : {1, 2, 3}) {
        const Particles snow = restless(seed, 2);
        double fastest = 0;
        int64_t one = -1, other = -1;
        for (size_t i = 0; i < snow.count(); ++i) {
            for (size_t j = 0; j < i; ++j) {
                double square = 0, closing = 0;
                for (int c = 0; c < 3; ++c) {
                    const double d = component(snow.position[i], c) - component(snow.position[j], c);
                    square += d * d;
                    closing += d * (component(snow.velocity[i], c) - component(snow.velocity[j], c));
                }
                if (square >= 0.04 * 0.04 || std::abs(closing) / std::sqrt(square) <= fastest) continue;
                fastest = std::abs(closing) / std::sqrt(square);
                one = snow.id[i];
                other = snow.id[j];
            }
        }
        Parameters p = parameters();
        p.cfl = 0.1f;
        Engine engine(p);
        engine.upload(snow);
        const StepLimit limit = first_limit(engine, 0.002);
        EXPECT_EQ(limit.kind, StepLimit::neighbours) << firn::limit_text(limit);
        EXPECT_NEAR(limit.speed, fastest, 1e-4 * fastest);
        EXPECT_TRUE(limit.particle == one || limit.particle == other)
            << limit.particle << ", not " << one << " or " << other;
        const size_t at = snow.count() - static_cast<size_t>(limit.particle / 10);
        EXPECT_EQ(limit.place.x, snow.position[at].x);
        EXPECT_EQ(limit.place.y, snow.position[at].y);
        EXPECT_EQ(limit.place.z, snow.position[at].z);
    }
}

TEST(StepLimit, DoesNotDependOnThreadsOrLanes) {
    const Particles snow = restless(4, 3);
    std::string first;
    for (const char* device : {"cpu:1", "cpu:4", "cpu"}) {
        for (const int threads : {1, 2}) {
            Parameters p = parameters();
            p.threads = threads;
            Engine engine(p, device);
            engine.upload(snow);
            const std::string text = firn::limit_text(first_limit(engine, 0.004));
            if (first.empty()) first = text;
            EXPECT_EQ(text, first) << device << ", " << threads << " threads";
        }
    }
}

TEST(StepLimit, NamesTheFastestFlakeInFlight) {
    Particles snow = restless(5, 0);
    snow.position[100] = {3, 3, 3};
    snow.velocity[100] = {30, 0, 0};
    Engine engine(parameters());
    engine.upload(snow);
    const StepLimit limit = first_limit(engine);
    EXPECT_EQ(limit.kind, StepLimit::flight);
    EXPECT_EQ(limit.particle, snow.id[100]);
    EXPECT_NEAR(limit.speed, 30, 1e-4);
    EXPECT_EQ(firn::limit_text(limit),
              "cfl_flight: particle " + std::to_string(snow.id[100]) + " at (3, 3, 3) flies at 30 m/s");
}

TEST(StepLimit, NamesTheBodyThatSnowMeets) {
    Engine engine(parameters());
    firn::Body far = scenes::floor_body(0.3, 0.02), near = far;
    far.name = "far";
    for (firn::Float3& p : far.position) p.y -= 1;
    near.name = "near";
    engine.add_body(far);
    engine.add_body(near);
    engine.upload(scenes::snow_at(scenes::lattice_box(5, 5, 5, 0.02, {-0.05, 0.01, -0.05}), {0, -3, 0}));
    const StepLimit limit = first_limit(engine);
    EXPECT_EQ(limit.kind, StepLimit::surface) << firn::limit_text(limit);
    EXPECT_EQ(limit.body_name, "near");
    // Straight below it there is no boundary particle.
    EXPECT_GT(limit.speed, 2.5);
    EXPECT_LE(limit.speed, 3.0001);
    EXPECT_LT(limit.place.y, 0.05);
}

TEST(StepLimit, NamesTheBodyThatIsOnItsWay) {
    Engine engine(parameters());
    firn::Body ram = scenes::floor_body(0.1, 0.02);
    ram.name = "ram";
    ram.motion = firn::Motion::rigid;
    ram.placement.translation[1] = -0.5;
    const firn::BodyId id = engine.add_body(ram);
    engine.upload(scenes::snow_at(scenes::lattice_box(5, 5, 5, 0.02, {-0.05, 0.3, -0.05})));
    firn::Transform end = ram.placement;
    end.translation[1] = 1.5;
    engine.move_body(id, end);
    const FrameReport report = engine.advance(frame);
    bool named = false;
    for (const firn::SubstepReport& s : report.substeps)
        named |= s.limit.kind == StepLimit::body && s.limit.body_name == "ram" && std::abs(s.limit.speed - 48) < 0.5;
    EXPECT_TRUE(named);
}

TEST(StepLimit, NamesParameters) {
    const auto limit_with = [](const std::function<void(Parameters&)>& change, float speed) {
        Parameters p = parameters();
        change(p);
        Engine engine(p);
        engine.add_body(scenes::floor_body(0.3, 0.02));
        Particles snow = scenes::snow_at(scenes::lattice_box(5, 5, 5, 0.02, {-0.05, 0.01, -0.05}), {0, -speed, 0});
        engine.upload(snow);
        return first_limit(engine);
    };
    EXPECT_EQ(limit_with([](Parameters& p) { p.substeps = 7; }, 3).kind, StepLimit::fixed);
    EXPECT_EQ(limit_with([](Parameters& p) { p.dt_max = 0.001f; }, 0).kind, StepLimit::dt_max);
    EXPECT_EQ(limit_with([](Parameters& p) { p.dt_max = 1, p.young_modulus = 1e8f; }, 0).kind, StepLimit::stiffness);
    EXPECT_EQ(limit_with([](Parameters& p) { p.cfl_wave = 0.01f; }, 0).kind, StepLimit::wave);
    const StepLimit held = limit_with([](Parameters& p) { p.dt_min = p.dt_max = 0.01f; }, 3);
    EXPECT_EQ(held.kind, StepLimit::surface);
    EXPECT_TRUE(held.at_dt_min);
    EXPECT_EQ(firn::limit_text(held).rfind("dt_min, cfl asks for less: particle ", 0), 0u) << firn::limit_text(held);
}

TEST(StepLimit, SumsUpAFrame) {
    Engine engine(parameters());
    engine.add_body(scenes::floor_body(0.3, 0.02));
    engine.upload(scenes::snow_at(scenes::lattice_box(5, 5, 5, 0.02, {-0.05, 0.01, -0.05}), {0, -3, 0}));
    const FrameReport report = engine.advance(frame);
    int substeps = 0;
    double shortest = 1;
    for (const firn::LimitSummary& each : report.limits()) {
        substeps += each.substeps;
        shortest = std::min(shortest, each.dt);
    }
    EXPECT_EQ(substeps, static_cast<int>(report.substeps.size()));
    double expected = 1;
    for (const firn::SubstepReport& s : report.substeps) expected = std::min(expected, s.dt);
    EXPECT_EQ(shortest, expected);
}

}  // namespace
