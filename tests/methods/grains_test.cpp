// The second method, on every device: what it does is known in closed form, and its own state goes in and out.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "scenes/devices.h"
#include "scenes/scenes.h"

#define FIRN_LANES lanes1
#define FIRN_LANE_WIDTH 1
#include "devices/cpu_execution.h"
#include "grains.h"

namespace {

using firn::Engine;
using firn::Float3;
using firn::Particles;

const bool added = (firn::add_method(firn::grains_method()), true);

const firn::ParticleArray& array(const char* name) {
    for (const firn::ParticleArray& each : firn::particle_arrays())
        if (!std::strcmp(each.name, name)) return each;
    throw firn::Error(std::string("there is no array ") + name);
}

firn::Parameters settings() {
    firn::Parameters p;
    p.spacing = 0.02f;
    p.threads = 1;
    p.substeps = 10;
    return p;
}

Particles some_grains(int n, float height) {
    Particles grains;
    for (int i = 0; i < n; ++i) {
        // Two in one place now and then: grains do not see each other.
        grains.position.push_back({0.05f * static_cast<float>(i % 10), height + 0.1f * static_cast<float>(i / 10), 0});
        grains.velocity.push_back({1, 0, 0.1f * static_cast<float>(i % 3)});
        grains.id.push_back(1000 - 3 * i);
    }
    return grains;
}

class Grains : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        if (!scenes::device_exists(GetParam())) GTEST_SKIP() << "this machine has no " << GetParam();
    }
};
INSTANTIATE_TEST_SUITE_P(, Grains, ::testing::ValuesIn(scenes::devices()), scenes::device_name);

TEST_P(Grains, FallAgainstTheAirAsTheImplicitStepsSay) {
    Engine engine(settings(), GetParam(), "grains");
    EXPECT_STREQ(engine.method().name, "grains");
    Particles grains = some_grains(100, 2);
    const Particles before = grains;
    engine.upload(grains);
    const double frame = 0.05, dt = frame / 10;
    const firn::FrameReport report = engine.advance(frame);
    engine.download(grains);
    double fallen = 0, v = 0, along = 0, u = 1;
    for (int step = 0; step < 10; ++step) {
        v = (v - 9.81 * dt) / (1 + 0.5 * dt);
        u /= 1 + 0.5 * dt;
        fallen += dt * v;
        along += dt * u;
    }
    for (size_t i = 0; i < grains.count(); ++i) {
        EXPECT_NEAR(grains.velocity[i].y, v, 1e-5);
        EXPECT_NEAR(grains.position[i].y - before.position[i].y, fallen, 2e-6);
        EXPECT_NEAR(grains.position[i].x - before.position[i].x, along, 2e-6);
        EXPECT_EQ(grains.id[i], before.id[i]);
    }
    // Reports follow from the method's tables.
    ASSERT_EQ(report.substeps.size(), 10u);
    EXPECT_EQ(report.substeps[0].solves.size(), 1u);
    EXPECT_GE(report.substeps[0].solve("air").iterations, 1);
    EXPECT_TRUE(report.substeps[0].solve("air").converged);
    EXPECT_EQ(report.substeps[0].solve("shear").iterations, 0) << "that is another method's";
    ASSERT_EQ(report.phases.size(), 3u);
    EXPECT_GT(report.seconds("air"), 0);
}

TEST_P(Grains, BounceTurnAndPushTheFloorWithTheImpulseThatTheyLose) {
    Engine engine(settings(), GetParam(), "grains");
    firn::Body floor = scenes::floor_body(1.0, 0.02);
    floor.bounce = 0.5f;
    floor.friction = 0.3f;
    const firn::BodyId id = engine.add_body(floor);
    Particles grains = some_grains(40, 0.05f);
    for (Float3& v : grains.velocity) v.y = -2;
    engine.upload(grains);
    const double mass = 400 * 0.02 * 0.02 * 0.02;
    double before = 0, after = 0, pushed = 0;
    for (const Float3& v : grains.velocity) before += mass * v.y;
    const firn::FrameReport report = engine.advance(0.05);
    engine.download(grains);
    for (const Float3& v : grains.velocity) after += mass * v.y;
    ASSERT_EQ(engine.body_impulses(id).size(), report.substeps.size()) << "one for each substep";
    for (const firn::BodyImpulse& each : engine.body_impulses(id)) pushed += each.impulse[1];
    // Gravity's share, less what the air takes: 40 grains, 0.05 s, to the air's few per cent.
    EXPECT_NEAR(-pushed, after - before + 40 * mass * 9.81 * 0.05, 0.05 * 40 * mass * 2);
    EXPECT_LT(pushed, 0);
    EXPECT_NEAR(engine.body_load(id).force[1], pushed / 0.05, 1e-9);

    const float* spin = array("spin").data(grains);
    const float* hits = array("hits").data(grains);
    const float* impact = array("impact").data(grains);
    ASSERT_TRUE(spin && hits && impact);
    int turned = 0;
    for (size_t i = 0; i < grains.count(); ++i) {
        if (hits[i] == 0) {
            EXPECT_EQ(spin[3 * i + 2], 0);
            continue;
        }
        ++turned;
        EXPECT_LT(spin[3 * i + 2], 0) << "a ball that flies along x and rubs below turns clockwise";
    }
    EXPECT_GE(turned, 10);
}

TEST_P(Grains, StateThatGoesOutAndInGivesTheSameBits) {
    const auto fly = [&](bool out_and_in) {
        firn::Parameters p = settings();
        p.substeps = 0;
        Engine engine(p, GetParam(), "grains");
        firn::Body floor = scenes::floor_body(1.0, 0.02);
        floor.bounce = 0.7f;
        engine.add_body(floor);
        Particles grains = some_grains(60, 0.04f);
        for (Float3& v : grains.velocity) v.y = -1;
        engine.upload(grains);
        for (int frame = 0; frame < 6; ++frame) {
            engine.advance(1.0 / 24);
            if (!out_and_in || frame == 5) continue;
            engine.download(grains);
            Engine other(p, GetParam(), "grains");
            other.add_body(floor);
            other.upload(grains);
            engine = std::move(other);
        }
        engine.download(grains);
        return grains;
    };
    const Particles a = fly(false), b = fly(true);
    for (const firn::ParticleArray& each : firn::grains_method().info.arrays) {
        if (!each.components) continue;
        ASSERT_EQ(each.size(a), each.size(b)) << each.name;
        const size_t bytes = each.size(a) * static_cast<size_t>(each.components) * sizeof(float);
        EXPECT_EQ(bytes ? std::memcmp(each.data(a), each.data(b), bytes) : 0, 0) << each.name;
    }
    EXPECT_GT(array("hits").size(a), 0u);
}

TEST(Methods, AreNamedAndCheckedWhenTheyAreAdded) {
    EXPECT_EQ(firn::method_table().size(), 2u);
    EXPECT_STREQ(firn::find_method("snow").label, "Snow");
    EXPECT_THROW(firn::find_method("sand"), firn::Error);
    EXPECT_THROW(Engine(firn::Parameters(), "cpu", "sand"), firn::Error);
    EXPECT_THROW(firn::add_method(firn::grains_method()), firn::Error) << "twice";
    firn::Method wrong = firn::grains_method();
    wrong.info.name = "wrong";
    wrong.info.arrays.push_back(firn::other_array("strain", "", firn::ArrayRole::state, 1, ""));
    EXPECT_THROW(firn::add_method(wrong), firn::Error) << "snow's strain has six numbers";
    EXPECT_EQ(firn::method_table().size(), 2u) << "nothing of it stayed";
}

TEST(Methods, ADeviceWithOtherArraysThanTheTableIsAnError) {
    static firn::Method forgetful = firn::grains_method();
    forgetful.info.name = "forgetful";
    forgetful.info.arrays.erase(forgetful.info.arrays.end() - 2);
    firn::add_method(forgetful);
    try {
        Engine engine(firn::Parameters(), "cpu", "forgetful");
        FAIL();
    } catch (const firn::Error& error) {
        EXPECT_NE(std::string(error.what()).find("forgetful"), std::string::npos) << error.what();
    }
}

TEST(Methods, SnowHasNoneOfTheOthersArrays) {
    Engine engine(settings(), "cpu");
    Particles snow = some_grains(20, 1);
    engine.upload(snow);
    engine.advance(0.01);
    engine.download(snow);
    EXPECT_TRUE(snow.other.empty());
    EXPECT_EQ(snow.strain.size(), 20u);
}

}  // namespace
