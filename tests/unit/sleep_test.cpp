// Who sleeps is part of the state: the host may save, edit and bring it back, and nothing depends on what the device
// happens to hold.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "firn/engine.h"
#include "scenes/devices.h"
#include "scenes/scenes.h"

namespace {

using namespace scenes;
using firn::Engine;
using firn::Parameters;

const double dx = 0.05, frame = 1.0 / 50;

Parameters quick() {
    Parameters p;
    p.spacing = static_cast<float>(dx);
    p.sleep_after = 0.1f;
    return p;
}

/// A block that rests, and far from it one that falls beside a third.
Particles two_places() {
    Particles snow = snow_at(lattice_box(4, 3, 4, dx, {-2 * dx, 0, -2 * dx}));
    append(snow, snow_at(lattice_box(4, 3, 4, dx, {58 * dx, 0, -2 * dx})));
    append(snow, snow_at(lattice_box(3, 3, 3, dx, {58.5 * dx, 12 * dx, -1.5 * dx}), {0, -1, 0}));
    for (size_t i = 0; i < snow.count(); ++i) snow.id.push_back(static_cast<int64_t>(3 * i + 1));
    return snow;
}

void add_floor(Engine& engine) {
    Body floor = floor_body(4 * dx, dx);
    engine.add_body(floor);
    for (Float3& x : floor.position) x.x += static_cast<float>(60 * dx);
    floor.name = "other";
    engine.add_body(floor);
}

Particles state_of(const Engine& engine) {
    Particles p;
    engine.download(p);
    return p;
}

/// The names of the arrays that are not bit-identical.
std::string differences(const Particles& a, const Particles& b) {
    std::string names;
    for (const firn::ParticleArray& array : firn::particle_arrays()) {
        const size_t bytes = array.size(a) * static_cast<size_t>(array.components) * sizeof(float);
        if (array.size(a) != array.size(b) || (bytes && std::memcmp(array.data(a), array.data(b), bytes)))
            names += std::string(array.name) + " ";
    }
    return names;
}

size_t asleep(const Particles& snow) {
    return static_cast<size_t>(
        std::count_if(snow.calm.begin(), snow.calm.end(), [](float calm) { return calm >= quick().sleep_after; }));
}

class Sleep : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        if (!device_exists(GetParam())) GTEST_SKIP() << "this machine has no " << GetParam();
    }
};

TEST_P(Sleep, NothingDependsOnWhatTheDeviceHolds) {
    Engine engine(quick(), GetParam());
    add_floor(engine);
    engine.upload(two_places());
    size_t most = 0;
    for (int k = 0; k < 30; ++k) {
        const Particles before = state_of(engine);
        most = std::max(most, asleep(before));
        const firn::FrameReport report = engine.advance(frame);
        if (k % 5) continue;
        // All of it, sent anew.
        Engine other(quick(), GetParam());
        add_floor(other);
        other.upload(before);
        EXPECT_EQ(other.advance(frame).asleep, report.asleep);
        EXPECT_EQ(differences(state_of(engine), state_of(other)), "") << "frame " << k;
        for (uint32_t body : {0u, 1u})
            EXPECT_NEAR(engine.body_load(body).force[1], other.body_load(body).force[1], 1e-3);
    }
    EXPECT_EQ(engine.particle_count(), two_places().count());
    EXPECT_GE(most, 48u);  // the first block did sleep
}

TEST_P(Sleep, AFrameThatWasStoppedGoesOnToTheSameBits) {
    Engine engine(quick(), GetParam());
    add_floor(engine);
    engine.upload(two_places());
    for (int k = 0; k < 12; ++k) engine.advance(frame);
    ASSERT_GT(asleep(state_of(engine)), 0u);
    const Particles before = state_of(engine);
    engine.advance(frame);
    const Particles whole = state_of(engine);

    Engine stopped(quick(), GetParam());
    add_floor(stopped);
    stopped.upload(before);
    int seen = 0;
    const firn::FrameReport part =
        stopped.advance(frame, [&](const firn::Progress& at) { return at.iteration > 0 || ++seen < 2; });
    ASSERT_TRUE(part.interrupted);
    Engine resumed(quick(), GetParam());
    add_floor(resumed);
    resumed.upload(state_of(stopped));
    resumed.advance(frame, {}, {part.time, static_cast<int>(part.substeps.size()), 0});
    EXPECT_EQ(differences(whole, state_of(resumed)), "");
}

TEST_P(Sleep, TheHostWakesByVelocityForceAndRemoval) {
    for (const int way : {0, 1, 2, 3}) {
        Engine engine(quick(), GetParam());
        add_floor(engine);
        engine.upload(snow_at(lattice_box(4, 4, 4, dx, {-2 * dx, 0, -2 * dx})));
        for (int k = 0; k < 40; ++k) engine.advance(frame);
        Particles snow = state_of(engine);
        ASSERT_EQ(asleep(snow), snow.count());
        if (way == 0) snow.velocity.back() = {0, 1, 0};
        if (way == 1) snow.acceleration.assign(snow.count(), {0, 20, 0});
        if (way == 2) snow.calm.assign(snow.count(), 0);
        if (way == 3) {
            // The bottom layer goes.
            Particles upper;
            for (size_t i = 0; i < snow.count(); ++i) {
                if (snow.position[i].y < dx) continue;
                upper.position.push_back(snow.position[i]);
                upper.id.push_back(snow.id[i]);
                upper.strain.push_back(snow.strain[i]);
                upper.filling.push_back(snow.filling[i]);
                upper.calm.push_back(snow.calm[i]);
            }
            snow = upper;
        }
        engine.upload(snow);
        engine.advance(frame);
        EXPECT_LT(asleep(state_of(engine)), snow.count()) << "way " << way;
        engine.advance(frame);
        if (way == 1 || way == 3) {
            EXPECT_GT(largest_speed(state_of(engine)), 0.1) << "way " << way;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Widths, Sleep, testing::ValuesIn(devices()), device_name);

}  // namespace
