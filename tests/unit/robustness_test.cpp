// What a host can do to the engine by mistake or on purpose: nothing non-finite leaves it, and what it refuses it
// refuses in a sentence that says what and where.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "firn/engine.h"
#include "scenes/devices.h"
#include "scenes/scenes.h"

namespace {

using firn::Engine;
using firn::Float3;
using firn::Particles;

const double frame = 1.0 / 50;
const float nan_value = std::numeric_limits<float>::quiet_NaN();
const float infinite = std::numeric_limits<float>::infinity();

template <class Call>
std::string error_of(const Call& call) {
    try {
        call();
    } catch (const firn::Error& e) {
        return e.what();
    }
    return "";
}

void expect_says(const std::string& text, const std::vector<std::string>& words) {
    EXPECT_NE(text, "") << "nothing was refused";
    for (const std::string& word : words)
        EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' in: " << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << "one line";
}

Particles downloaded(const Engine& engine) {
    Particles out;
    engine.download(out);
    return out;
}

class Robustness : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        if (!scenes::device_exists(GetParam())) GTEST_SKIP() << "this machine has no " << GetParam();
    }

    /// Two frames, with or without a floor, in every solver and mode: finite, or an Error that leaves a finite state.
    static void expect_survives(const Particles& snow, firn::Parameters p = {}, bool may_fail = false) {
        p.threads = 1;
        for (const bool with_floor : {false, true})
            for (const firn::Mode mode : {firn::Mode::standard, firn::Mode::published})
                for (const firn::Solver solver : {firn::Solver::joint, firn::Solver::split, firn::Solver::combined}) {
                    p.mode = mode;
                    p.solver = solver;
                    Engine engine(p, GetParam());
                    if (with_floor) engine.add_body(scenes::floor_body(0.15, p.spacing));
                    engine.upload(snow);
                    const std::string error = error_of([&] {
                        engine.advance(frame);
                        engine.advance(frame);
                    });
                    if (!may_fail) {
                        EXPECT_EQ(error, "") << "floor " << with_floor << " mode " << static_cast<int>(mode)
                                             << " solver " << static_cast<int>(solver);
                    }
                    const Particles out = downloaded(engine);
                    EXPECT_EQ(out.count(), snow.count());
                    EXPECT_TRUE(scenes::finite(out)) << "floor " << with_floor << " mode " << static_cast<int>(mode)
                                                     << " solver " << static_cast<int>(solver) << " " << error;
                }
    }

    static firn::Parameters coarse() {
        firn::Parameters p;
        p.spacing = 0.02f;
        return p;
    }
    static Particles block(int n = 4) {
        return scenes::snow_at(scenes::lattice_box(n, n, n, 0.02, {-0.01 * n, 0, -0.01 * n}));
    }
};

TEST_P(Robustness, NoParticle) {
    Engine engine(coarse(), GetParam());
    engine.add_body(scenes::floor_body(0.1, 0.02));
    const firn::FrameReport without_upload = engine.advance(frame);
    EXPECT_DOUBLE_EQ(without_upload.time, frame);
    engine.upload({});
    EXPECT_DOUBLE_EQ(engine.advance(frame).time, frame);
    EXPECT_EQ(downloaded(engine).count(), 0u);
    EXPECT_EQ(engine.particle_count(), 0u);
}

TEST_P(Robustness, OneParticleFallsFreely) {
    expect_survives(scenes::snow_at({{0, 1, 0}}));
    // Ten roundings of 1 m and 1 m/s, either way.
    for (const firn::Mode mode : {firn::Mode::standard, firn::Mode::published}) {
        firn::Parameters p = coarse();
        p.substeps = 10;
        p.mode = mode;
        Engine engine(p, GetParam());
        engine.upload(scenes::snow_at({{0, 1, 0}}, {1, 0, 0}));
        engine.advance(0.1);
        const Particles out = downloaded(engine);
        EXPECT_NEAR(out.velocity[0].y, -0.981, 1e-6);
        EXPECT_NEAR(out.position[0].x, 0.1, 1e-6);
        // The parabola, or as published semi-implicit Euler: g dt^2 (1 + 2 + ... + 10).
        const double fall = mode == firn::Mode::standard ? 0.5 * 9.81 * 0.1 * 0.1 : 9.81 * 0.01 * 0.01 * 55;
        EXPECT_NEAR(out.position[0].y, 1 - fall, 1e-6);
    }
}

TEST_P(Robustness, OneParticleOnTheFloor) {
    expect_survives(scenes::snow_at({{0, 0.01f, 0}}));
}

TEST_P(Robustness, TwoCoincidentParticles) {
    expect_survives(scenes::snow_at({{0.003f, 0.05f, 0}, {0.003f, 0.05f, 0}}));
    expect_survives(scenes::snow_at({{0.003f, 0.05f, 0}, {0.003f, 0.05f, 1e-30f}}));
}

TEST_P(Robustness, ManyCoincidentParticles) {
    expect_survives(scenes::snow_at(std::vector<Float3>(50, Float3{0, 0.05f, 0})));
}

TEST_P(Robustness, EightInAPlane) {
    std::vector<Float3> flat = scenes::lattice_box(4, 1, 2, 0.02, {0, 0.03, 0});
    expect_survives(scenes::snow_at(flat));
    for (Float3& p : flat) p = {p.x, 0.05f + p.z, 0.3f * p.x};  // a tilted one
    expect_survives(scenes::snow_at(flat));
}

TEST_P(Robustness, EightInALine) {
    expect_survives(scenes::snow_at(scenes::lattice_box(8, 1, 1, 0.02, {-0.08, 0, 0})));
    std::vector<Float3> oblique;
    for (int i = 0; i < 8; ++i) oblique.push_back({0.01f * i, 0.02f + 0.008f * i, -0.005f * i});
    expect_survives(scenes::snow_at(oblique));
}

TEST_P(Robustness, ParticlesInsideABoundary) {
    // Below the floor, on its particles, and between its layers.
    std::vector<Float3> inside = {{0.01f, -0.01f, 0.01f}, {0, -0.01f, 0}, {0, -0.05f, 0}, {0.013f, -0.004f, 0.02f}};
    const Particles above = block();
    inside.insert(inside.end(), above.position.begin(), above.position.end());
    expect_survives(scenes::snow_at(inside));
}

TEST_P(Robustness, BlockDeepInsideASolid) {
    firn::Parameters p = coarse();
    firn::Body solid;
    solid.position = scenes::lattice_box(8, 8, 8, 0.02, {-0.08, -0.04, -0.08});
    for (const firn::Mode mode : {firn::Mode::standard, firn::Mode::published}) {
        p.mode = mode;
        Engine engine(p, GetParam());
        engine.add_body(solid);
        engine.upload(block());
        engine.advance(frame);
        EXPECT_TRUE(scenes::finite(downloaded(engine)));
    }
}

TEST_P(Robustness, TenKilometresASecond) {
    firn::Parameters p = coarse();
    p.dt_min = 5e-4f;  // five metres per substep: 250 spacings
    Particles snow = block();
    snow.velocity.assign(snow.count(), {1e4f, 0, 0});
    expect_survives(snow, p);
    snow.velocity.assign(snow.count(), {0, -1e4f, 0});
    expect_survives(snow, p);
    // And two halves against each other.
    for (size_t i = 0; i < snow.count(); ++i) snow.velocity[i] = {snow.position[i].x > 0 ? -1e4f : 1e4f, 0, 0};
    expect_survives(snow, p, true);
}

TEST_P(Robustness, TheStiffestSnow) {
    firn::Parameters p = coarse();
    p.young_modulus = 1e10f;
    p.dt_max = 2e-3f;
    expect_survives(block(), p);
}

TEST_P(Robustness, TheSoftestSnow) {
    firn::Parameters p = coarse();
    p.young_modulus = 1;
    expect_survives(block(), p);
}

TEST_P(Robustness, AbsurdHardening) {
    firn::Parameters p = coarse();
    p.hardening = 50;
    expect_survives(block(), p);
    // Packed to twice its density: e^24 times as stiff.
    expect_survives(scenes::snow_at(scenes::lattice_box(5, 5, 5, 0.016, {-0.04, 0, -0.04})), p);
}

TEST_P(Robustness, AlmostIncompressibleSnow) {
    firn::Parameters p = coarse();
    p.poisson_ratio = 0.49f;
    expect_survives(block(), p);
    p.poisson_ratio = 0;  // lambda = 0: no pressure at all
    expect_survives(block(), p);
}

TEST_P(Robustness, NoElasticRange) {
    firn::Parameters p = coarse();
    p.theta_c = 2e-4f;
    p.theta_s = 0;
    expect_survives(block(), p);
}

TEST_P(Robustness, EverythingAtItsLimits) {
    firn::Parameters p = coarse();
    p.young_modulus = 1e10f;
    p.poisson_ratio = 0.49f;
    p.hardening = 50;
    p.theta_c = p.theta_s = 0.9f;
    Particles snow = block();
    snow.velocity.assign(snow.count(), {0, -50, 0});
    expect_survives(snow, p, true);
}

TEST_P(Robustness, CrowdedParticles) {
    // Ten times as close as the spacing: a thousand times the density.
    expect_survives(scenes::snow_at(scenes::lattice_box(6, 6, 6, 0.002, {0, 0.01, 0})));
}

TEST_P(Robustness, ExtremeSpacings) {
    for (const float dx : {1e-3f, 10.0f}) {
        firn::Parameters p;
        p.spacing = dx;
        Engine engine(p, GetParam());
        engine.add_body(scenes::floor_body(5 * dx, dx));
        engine.upload(scenes::snow_at(scenes::lattice_box(4, 4, 4, dx, {-2 * dx, 0, -2 * dx})));
        engine.advance(frame);
        EXPECT_TRUE(scenes::finite(downloaded(engine))) << "spacing " << dx;
    }
}

TEST_P(Robustness, FlakesAtTheEndsOfTheWorld) {
    Particles snow = block();
    for (const float x : {-1e6f, 1e6f})
        for (const float y : {-1e6f, 1e6f})
            for (const float z : {-1e6f, 1e6f}) snow.position.push_back({x, y, z});
    expect_survives(snow);
}

TEST_P(Robustness, AFlakeAKilometreAwayCostsNothing) {
    // Memory, and the block's own motion, stay what they were.
    firn::Parameters p = coarse();
    p.substeps = 4;
    Engine near(p, GetParam()), far(p, GetParam());
    Particles snow = block(8);
    near.upload(snow);
    const uint64_t bytes_near = near.advance(frame).bytes;
    snow.position.push_back({1000, 300, -800});
    far.upload(snow);
    const uint64_t bytes_far = far.advance(frame).bytes;
    EXPECT_LT(bytes_far, bytes_near + bytes_near / 10);
    const Particles a = downloaded(near), b = downloaded(far);
    double most = 0;
    for (size_t i = 0; i < a.count(); ++i) {
        most = std::max(most, scenes::length(scenes::wide(a.position[i]) - scenes::wide(b.position[i])));
    }
    // Same sums in the same order, but the solves' mean residual counts one particle more.
    EXPECT_LT(most, 1e-5);
}

TEST_P(Robustness, ABodyThatWouldCrossTheSnowInOneStepHitsIt) {
    firn::Parameters p = coarse();
    p.gravity = {0, 0, 0};
    Engine engine(p, GetParam());
    firn::Body plate = scenes::wall_body(-0.3, 0.1, -0.1, 0.1, 0.02);
    plate.motion = firn::Motion::rigid;
    const firn::BodyId id = engine.add_body(plate);
    engine.upload(scenes::snow_at(scenes::lattice_box(2, 3, 3, 0.02, {0, -0.03, -0.03})));
    engine.move_body(id, scenes::turn({}, {0.45, 0, 0}));
    EXPECT_TRUE(engine.advance(0.01).warnings.empty());
    // The plate, at 45 m/s, is behind where the snow was.
    for (const firn::Float3& v : downloaded(engine).velocity) EXPECT_GT(v.x, 40);
}

TEST_P(Robustness, NeighbourCountsAgainstBruteForce) {
    std::vector<Float3> cloud = scenes::lattice_box(9, 9, 9, 0.018);
    scenes::jitter(cloud, 0.009);
    firn::Parameters p = coarse();
    p.substeps = 1;
    Engine engine(p, GetParam());
    engine.upload(scenes::snow_at(cloud));
    engine.advance(1e-6);
    const Particles out = downloaded(engine);
    for (size_t i = 0; i < cloud.size(); ++i) {
        int inside = 0, rim = 0;
        for (size_t j = 0; j < cloud.size(); ++j) {
            const double r = scenes::length(scenes::wide(cloud[i]) - scenes::wide(cloud[j])) / 0.04;
            inside += j != i && r < 1 - 1e-5;
            rim += std::abs(r - 1) <= 1e-5;
        }
        ASSERT_GE(out.neighbours[i], inside);
        ASSERT_LE(out.neighbours[i], inside + rim);
    }
}

TEST_P(Robustness, AFailingAdvanceLeavesTheLastGoodState) {
    // An acceleration that float can't hold, after a frame that went well.
    firn::Parameters p = coarse();
    p.substeps = 5;
    for (const firn::Solver solver :
         {firn::Solver::joint, firn::Solver::split, firn::Solver::combined, firn::Solver::explicit_step}) {
        p.solver = solver;
        Engine engine(p, GetParam());
        engine.add_body(scenes::floor_body(0.15, 0.02));
        engine.upload(block());
        engine.advance(1e-3);
        Particles good = downloaded(engine);
        good.id.clear();
        for (size_t i = 0; i < good.count(); ++i) good.id.push_back(static_cast<int64_t>(1000 + i));
        good.acceleration.assign(good.count(), {});
        good.acceleration[17] = {3e38f, 0, 0};
        engine.upload(good);
        const std::string error = error_of([&] { engine.advance(1.0); });
        expect_says(error, {"substep 1", "particle 10", "not finite", "dt"});
        const Particles after = downloaded(engine);
        EXPECT_TRUE(scenes::finite(after));
        ASSERT_EQ(after.count(), good.count());
        for (size_t i = 0; i < good.count(); ++i) {
            ASSERT_EQ(after.position[i].x, good.position[i].x);
            ASSERT_EQ(after.velocity[i].y, good.velocity[i].y);
            ASSERT_EQ(after.strain[i].yy, good.strain[i].yy);
            ASSERT_EQ(after.pressure[i], good.pressure[i]);
            ASSERT_EQ(after.shear_acceleration[i].y, good.shear_acceleration[i].y);
        }
        // And it goes on from there, once the cause is gone.
        Particles cured = after;
        cured.acceleration.clear();
        engine.upload(cured);
        engine.advance(1e-3);
        EXPECT_TRUE(scenes::finite(downloaded(engine)));
    }
}

INSTANTIATE_TEST_SUITE_P(Widths, Robustness, ::testing::ValuesIn(scenes::devices()), scenes::device_name);

// ---- what is refused

TEST(Refused, NonFiniteInputWithTheParticlesIdAndTheQuantity) {
    for (const float bad : {nan_value, infinite, -infinite}) {
        Particles snow;
        snow.position = scenes::lattice_box(3, 1, 1, 0.02);
        snow.id = {100, 200, 300};
        const auto refused = [&](Particles p) {
            Engine engine;
            return error_of([&] { engine.upload(p); });
        };
        Particles p = snow;
        p.position[1].z = bad;
        expect_says(refused(p), {"particle 200", "P"});
        p = snow;
        p.velocity.assign(3, {});
        p.velocity[2].y = bad;
        expect_says(refused(p), {"particle 300", " v "});
        p = snow;
        p.strain.assign(3, {});
        p.strain[0].yz = bad;
        expect_says(refused(p), {"particle 100", "strain"});
        p = snow;
        p.young_modulus.assign(3, 1e5f);
        p.young_modulus[1] = bad;
        expect_says(refused(p), {"particle 200", "young_modulus"});
        p = snow;
        p.acceleration.assign(3, {});
        p.acceleration[1].x = bad;
        expect_says(refused(p), {"particle 200", "acceleration"});
    }
}

TEST(Refused, WithoutIdsTheIndexIsNamed) {
    Particles p;
    p.position.assign(5, {});
    p.position[3].x = nan_value;
    Engine engine;
    expect_says(error_of([&] { engine.upload(p); }), {"particle 3"});
}

TEST(Refused, DuplicateIds) {
    Particles p;
    p.position = scenes::lattice_box(4, 1, 1, 0.02);
    p.id = {5, 9, 2, 9};
    Engine engine;
    expect_says(error_of([&] { engine.upload(p); }), {"same id", "9", "1", "3"});
}

TEST(Refused, ArraysOfAnotherLength) {
    for (const firn::ParticleArray& array : firn::particle_arrays()) {
        if (array.role == firn::ArrayRole::required) continue;
        Particles p;
        p.position = scenes::lattice_box(4, 1, 1, 0.02);
        array.resize(p, 3);
        Engine engine;
        const std::string error = error_of([&] { engine.upload(p); });
        if (array.role == firn::ArrayRole::result) {
            EXPECT_EQ(error, "") << "results are ignored: " << array.name;
        } else {
            expect_says(error, {"4", "3", array.name});
        }
    }
}

TEST(Refused, MaterialsOutOfRangePerParticle) {
    Particles p;
    p.position = scenes::lattice_box(2, 1, 1, 0.02);
    p.id = {77, 88};
    p.poisson_ratio = {0.2f, 0.6f};
    Engine engine;
    expect_says(error_of([&] { engine.upload(p); }), {"particle 88", "poisson_ratio", "0.6"});
    p.poisson_ratio.clear();
    p.rest_density = {400, -1};
    expect_says(error_of([&] { engine.upload(p); }), {"particle 88", "rest_density"});
}

TEST(Refused, LimitsThemselvesAreAllowedPerParticle) {
    // As floats: 0.49f is a little more than 0.49.
    for (const firn::ParticleArray& array : firn::particle_arrays()) {
        const firn::ParameterInfo* info =
            array.role == firn::ArrayRole::input ? firn::find_parameter(array.name) : nullptr;
        if (!info) continue;
        for (const double limit : {info->low, info->high}) {
            Particles p;
            p.position = {{0, 0, 0}};
            array.resize(p, 1);
            *array.data(p) = static_cast<float>(limit);
            Engine engine;
            EXPECT_EQ(error_of([&] { engine.upload(p); }), "") << array.name << " = " << limit;
        }
    }
}

TEST(Refused, AnUploadThatIsRefusedLeavesTheStateBefore) {
    Engine engine;
    engine.upload(scenes::snow_at({{1, 2, 3}, {4, 5, 6}}));
    Particles bad;
    bad.position = {{nan_value, 0, 0}};
    EXPECT_NE(error_of([&] { engine.upload(bad); }), "");
    bad.position = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    bad.id = {1, 1, 1};
    EXPECT_NE(error_of([&] { engine.upload(bad); }), "");
    const Particles out = downloaded(engine);
    ASSERT_EQ(out.count(), 2u);
    EXPECT_EQ(out.position[1].z, 6);
}

TEST(Refused, FramesOfNoOrNegativeOrNoFiniteLength) {
    Engine engine;
    for (const double seconds : {0.0, -1.0, double(nan_value), double(infinite)}) {
        expect_says(error_of([&] { engine.advance(seconds); }), {"frame"});
    }
}

TEST(Refused, MoreMemoryThanAllowedWithTheNumbers) {
    firn::Parameters p;
    p.memory_limit = 0.001f;  // GB
    Engine engine(p);
    Particles snow = scenes::snow_at(scenes::lattice_box(20, 20, 20, 0.02));
    const std::string error = error_of([&] { engine.upload(snow); });
    const firn::MemoryEstimate e = engine.estimate(8000, 0);
    expect_says(error, {"8000", "MB", "memory_limit", std::to_string((e.needed + 500000) / 1000000) + " MB", "1 MB"});
    EXPECT_EQ(engine.particle_count(), 0u);
    EXPECT_EQ(e.available, 1000000u);
    // What fits is taken.
    engine.upload(scenes::snow_at(scenes::lattice_box(3, 3, 3, 0.02)));
    engine.advance(1e-3);
    // A body that does not fit any more is refused too.
    expect_says(error_of([&] { engine.add_body(scenes::floor_body(2, 0.02)); }), {"boundary", "MB"});
}

TEST(Refused, TheEstimateCoversWhatIsHeld) {
    firn::Parameters p;
    p.substeps = 1;
    Engine engine(p);
    const firn::Body floor = scenes::floor_body(0.4, 0.02);
    engine.add_body(floor);
    engine.upload(scenes::snow_at(scenes::lattice_box(28, 28, 28, 0.02, {-0.28, 0, -0.28})));
    const uint64_t held = engine.advance(1e-4).bytes,
                   needed = engine.estimate(28 * 28 * 28, floor.position.size()).needed;
    // Buffers keep an eighth to grow; an estimate that is far too high would refuse scenes that fit.
    EXPECT_LT(held, needed + needed / 8);
    EXPECT_GT(held, needed / 2);
}

TEST(Refused, DevicesThatDoNotExist) {
    for (const char* name : {"gpu", "cpu:3", "", "CPU", "CUDA"}) {
        expect_says(error_of([&] { Engine engine({}, name); }), {name, "cpu:8", "cpu:4", "cpu:1", "auto"});
    }
}

TEST(Devices, SayWhatTheyAre) {
    firn::Parameters p;
    p.threads = 2;
    EXPECT_NE(Engine(p, "cpu:1").device().find("cpu, 1 lane, 2 threads"), std::string::npos);
    if (scenes::device_exists("cpu:4")) {
        EXPECT_NE(Engine(p, "cpu:4").device().find("4 lanes"), std::string::npos);
    }
    if (scenes::device_exists("cpu:8")) {
        EXPECT_NE(Engine(p, "cpu:8").device().find("8 lanes (AVX2, FMA), 2 threads"), std::string::npos);
        EXPECT_EQ(Engine(p, "auto").device(), Engine(p, "cpu:8").device());
    }
    p.threads = 1;
    EXPECT_NE(Engine(p, "cpu").device().find("1 thread"), std::string::npos);
}

TEST(Refused, ParametersOutOfRange) {
    firn::Parameters p;
    p.spacing = -1;
    expect_says(error_of([&] { Engine engine(p); }), {"spacing", "-1"});
    Engine engine;
    p = {};
    p.young_modulus = nan_value;
    expect_says(error_of([&] { engine.set_parameters(p); }), {"young_modulus"});
    EXPECT_EQ(engine.parameters().young_modulus, firn::Parameters().young_modulus) << "the old ones stay";
}

}  // namespace
