// Grains that a fault throws off are named, on every device, whatever else is in the scene; grains that something near
// them threw off are not.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "scenes/devices.h"
#include "scenes/scenes.h"

#define FIRN_LANES lanes1
#define FIRN_LANE_WIDTH 1
#include "devices/cpu_execution.h"
#include "kicked.h"

namespace {

using firn::Engine;
using firn::Particles;
using scenes::Double3;

const double frame = 1.0 / 24;
const double dx = 0.025;

/// Adds the method when a test asks for it, not before main(): the other file adds one too.
void add_kicked() {
    static const bool added = (firn::add_method(firn::kicked_method()), true);
    (void)added;
}

const firn::ParticleArray& kick_array() {
    for (const firn::ParticleArray& each : firn::particle_arrays())
        if (!std::strcmp(each.name, "kick")) return each;
    throw firn::Error("there is no array kick");
}

firn::Parameters settings() {
    firn::Parameters p;
    p.spacing = static_cast<float>(dx);
    p.threads = 2;
    p.substeps = 4;
    return p;
}

Particles block(const Double3& corner, const firn::Float3& velocity = {}, int side = 12) {
    Particles grains = scenes::snow_at(scenes::lattice_box(side, side, side, dx, corner));
    grains.velocity.assign(grains.count(), velocity);
    return grains;
}

void add_kick(Particles& grains, size_t i, float speed) {
    kick_array().resize(grains, grains.count());
    kick_array().data(grains)[i] = speed;
}

class Thrown : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        add_kicked();
        if (!scenes::device_exists(GetParam())) GTEST_SKIP() << "this machine has no " << GetParam();
    }
    /// Of one frame, all joined.
    std::string said(Particles grains, const firn::Body* body = nullptr, const firn::Transform& to = {},
                     const firn::Parameters& p = settings()) const {
        Engine engine(p, GetParam(), "kicked");
        if (body) engine.move_body(engine.add_body(*body), to);
        // Ids that are not their places.
        for (size_t i = 0; i < grains.count(); ++i) grains.id.push_back(int64_t(7 * i + 5));
        engine.upload(grains);
        std::string all;
        for (const std::string& warning : engine.advance(frame).warnings) all += warning + "\n";
        return all;
    }
    static void expect_named(const std::string& text, const std::vector<std::string>& words) {
        for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
        EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
    }
};
INSTANTIATE_TEST_SUITE_P(, Thrown, ::testing::ValuesIn(scenes::devices()), scenes::device_name);

TEST_P(Thrown, AFewGrainsThatNothingThrewAreNamed) {
    Particles grains = block({0, 0, 0});
    EXPECT_EQ(said(grains), "");
    add_kick(grains, 300, 20);
    expect_named(said(grains), {"1 grain ", "19.6 m/s", "particle 2105", "artefact"});
    add_kick(grains, 4, 25);
    add_kick(grains, 700, 15);
    expect_named(said(grains), {"3 grains", "24.6 m/s", "particle 33"});
}

TEST_P(Thrown, WhateverElseMovesFarAway) {
    // Nine times the mass, 20 m to the side, and faster: the kick is 1 / 40,000 of the scene's energy.
    Particles grains = block({0, 0, 0});
    scenes::append(grains, block({20, 0, 0}, {0, 30, 0}, 25));
    EXPECT_EQ(said(grains), "");
    add_kick(grains, 300, 20);
    expect_named(said(grains), {"1 grain ", "particle 2105"});
}

TEST_P(Thrown, WhatIsNearExplainsIt) {
    // Fast grains beside it, a fast body, a force; and from far away, what comes by within the frame.
    const float kick = 20;
    Particles beside = block({0, 0, 0});
    for (size_t i = 0; i < 100; ++i) beside.velocity[i] = {0, 10, 0};
    add_kick(beside, 700, kick);
    EXPECT_EQ(said(beside), "");

    Particles far = block({0, 0, 0});
    scenes::append(far, scenes::snow_at({{-1.5f, 0.1f, 0.1f}}, {40, 0, 0}));  // 1.7 m in a frame
    add_kick(far, 700, kick);
    EXPECT_EQ(said(far), "");

    Particles pushed = block({0, 0, 0});
    add_kick(pushed, 700, kick);
    pushed.acceleration.assign(pushed.count(), {240, 0, 0});  // 10 m/s in a frame
    EXPECT_EQ(said(pushed), "");

    Particles struck = block({0, 0, 0});
    add_kick(struck, 700, kick);
    firn::Body plate = scenes::floor_body(0.2, dx);
    plate.motion = firn::Motion::rigid;
    firn::Parameters careful = settings();
    careful.substeps = 40;
    EXPECT_EQ(said(struck, &plate, scenes::turn({}, {0, 0.4, 0}), careful), "");
    expect_named(said(struck, &plate, scenes::turn({}, {0, 0.004, 0}), careful), {"1 grain "});

    firn::Parameters windy = settings();
    windy.wind = {20, 0, 0};
    Particles blown = block({0, 0, 0});
    add_kick(blown, 700, 18);
    windy.drag_law = firn::DragLaw::linear;
    windy.drag = 100;
    EXPECT_EQ(said(blown, nullptr, {}, windy), "");
}

TEST_P(Thrown, AFallIsExplained) {
    // 10 m/s are a fall of five metres, in as many frames as it takes: never more than g dt in one of them.
    Engine engine(settings(), GetParam(), "kicked");
    engine.upload(block({0, 0, 0}));
    for (int k = 0; k < 25; ++k) EXPECT_TRUE(engine.advance(frame).warnings.empty()) << k;
    // And in a single long frame.
    Engine slow(settings(), GetParam(), "kicked");
    slow.upload(block({0, 0, 0}));
    EXPECT_TRUE(slow.advance(1.0).warnings.empty());
}

TEST_P(Thrown, ThousandsOfCellsDoNotHideIt) {
    // A cloud of fast and slow grains, 27 m wide: cells that share places of the table.
    firn::Particles grains;
    for (int i = 0; i < 20000; ++i) {
        grains.position.push_back({float(i % 27), float(i / 27 % 27), float(i / 729) + 30.0f});
        grains.velocity.push_back({0, i % 2 ? 30.0f : 0.0f, 0});
    }
    scenes::append(grains, block({0, 0, -10}));
    int named = 0, tried = 0;
    for (size_t i = 20000; i < grains.count(); i += 250, ++tried) {
        Particles kicked = grains;
        add_kick(kicked, i, 20);
        named += said(kicked).find("1 grain ") != std::string::npos;
    }
    EXPECT_EQ(tried, 7);
    EXPECT_EQ(named, 7) << "about one in a hundred may be hidden by chance; these are not";
}

}  // namespace
