// What only an emulated card can show: that nothing depends on the order of blocks and threads or on what memory held
// before, what a step costs in launches and waits, that nothing leaks, and that every failure ends well.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "card_scene.h"
#include "cuda_on_cpu/control.h"

namespace {

using card::downloaded;
using card::Engine;
using card::Particles;
using card::Scene;
namespace emulated = firn::cuda_on_cpu;

class Emulated : public ::testing::Test {
protected:
    void SetUp() override { emulated::reset(); }
    void TearDown() override {
        for (const std::string& problem : emulated::take_problems()) ADD_FAILURE() << problem;
        for (const std::string& leak : emulated::leaks()) ADD_FAILURE() << "leak: " << leak;
        emulated::reset();
    }
};

std::string error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const firn::Error& e) {
        return e.what();
    }
    return "";
}

void expect_line(const std::string& text, const std::vector<std::string>& words) {
    for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_FALSE(text.empty());
}

// ---- results

TEST_F(Emulated, TheOrderOfBlocksAndThreadsDoesNotShow) {
    const Scene scene;
    const card::Outcome in_order = card::simulate(scene, 1, "cuda");
    for (const uint64_t seed : {1, 2, 3}) {
        emulated::run_shuffled(seed);
        const card::Outcome shuffled = card::simulate(scene, 1, "cuda");
        EXPECT_EQ(card::differences(in_order.out, shuffled.out), "") << "seed " << seed;
        for (int c = 0; c < 3; ++c) EXPECT_EQ(in_order.load.force[c], shuffled.load.force[c]);
    }
}

TEST_F(Emulated, WhatMemoryHeldBeforeDoesNotShow) {
    const Scene scene(0.05);
    emulated::set_poison(0);
    const Particles zero = card::simulate(scene, 1, "cuda").out;
    emulated::set_poison(0xff);
    EXPECT_EQ(card::differences(zero, card::simulate(scene, 1, "cuda").out), "");
}

// ---- cost

/// A frame of `substeps` steps in a scene that has come to its steady state.
emulated::Counters cost_of_steady_frame(Scene scene, firn::FrameReport& report) {
    Engine engine(scene.parameters, "cuda");
    const Scene::Bodies bodies = scene.add_bodies(engine);
    engine.upload(scene.snow);
    Particles host;
    for (int k = 0; k < 6; ++k) {
        scene.move_bodies(engine, bodies, k);
        engine.advance(card::frame);
        engine.download(host);
    }
    emulated::clear_counters();
    report = engine.advance(card::frame);
    return emulated::counters();
}

TEST_F(Emulated, ASteadyStepAllocatesNothing) {
    Scene scene;
    scene.snow.velocity.clear();
    scene.plate.placement = scenes::turn({}, {0, 0.1, 0});  // out of reach
    firn::FrameReport report;
    const emulated::Counters counters = cost_of_steady_frame(scene, report);
    EXPECT_EQ(counters.allocations, 0u);
    EXPECT_EQ(counters.frees, 0u);
    EXPECT_EQ(counters.host_allocations, 0u);
    EXPECT_LT(counters.bytes_to_device, 4096u) << "only where the bodies are";
    EXPECT_LT(counters.bytes_to_host, 16384u) << "only scalars";
}

TEST_F(Emulated, LaunchesAndWaitsOfAStepAreFew) {
    Scene scene;
    scene.parameters.solver = firn::Solver::split;
    scene.parameters.substeps = 4;
    scene.parameters.pressure_iterations_min = scene.parameters.pressure_iterations_max = 6;
    scene.parameters.shear_tolerance = 1e-7f;
    scene.parameters.shear_iterations_max = 4;
    firn::FrameReport report;
    const auto per_step = [&](const emulated::Counters& c, uint64_t emulated::Counters::*what) {
        return double(c.*what) / double(report.substeps.size());
    };
    const emulated::Counters six = cost_of_steady_frame(scene, report);
    ASSERT_EQ(report.substeps.size(), 4u);
    for (const firn::SubstepReport& s : report.substeps) {
        ASSERT_EQ(s.solve("pressure").iterations, 6);
        ASSERT_EQ(s.solve("shear").iterations, 4);
    }
    const double launches = per_step(six, &emulated::Counters::launches),
                 waits = per_step(six, &emulated::Counters::synchronisations);
    scene.parameters.pressure_iterations_min = scene.parameters.pressure_iterations_max = 16;
    const emulated::Counters sixteen = cost_of_steady_frame(scene, report);
    const double launches_per_pressure_iteration = (per_step(sixteen, &emulated::Counters::launches) - launches) / 10;
    const double waits_per_pressure_iteration = (per_step(sixteen, &emulated::Counters::synchronisations) - waits) / 10;
    scene.parameters.pressure_iterations_min = scene.parameters.pressure_iterations_max = 6;
    scene.parameters.shear_iterations_max = 14;
    const emulated::Counters fourteen = cost_of_steady_frame(scene, report);
    const double launches_per_shear_iteration = (per_step(fourteen, &emulated::Counters::launches) - launches) / 10;
    RecordProperty("launches_per_step", std::to_string(launches));
    RecordProperty("waits_per_step", std::to_string(waits));
    RecordProperty("launches_per_pressure_iteration", std::to_string(launches_per_pressure_iteration));
    RecordProperty("launches_per_shear_iteration", std::to_string(launches_per_shear_iteration));
    std::printf(
        "launches per step %.1f, waits %.1f; per pressure iteration %.1f launches, %.2f waits; per shear "
        "iteration %.1f launches\n",
        launches, waits, launches_per_pressure_iteration, waits_per_pressure_iteration, launches_per_shear_iteration);
    EXPECT_LE(launches, 110);
    EXPECT_LE(waits, 16);
    EXPECT_LE(launches_per_pressure_iteration, 2.01);
    EXPECT_LE(launches_per_shear_iteration, 4.01);
    EXPECT_LE(waits_per_pressure_iteration, 0.3) << "the host waits inside the iterations";
}

TEST_F(Emulated, AnUploadOfWhatWasDownloadedIsNone) {
    const Scene scene;
    Engine engine(scene.parameters, "cuda");
    scene.add_bodies(engine);
    engine.upload(scene.snow);
    engine.advance(card::frame);
    Particles host = downloaded(engine);
    emulated::clear_counters();
    engine.upload(host);
    EXPECT_EQ(emulated::counters().bytes_to_device, 0u);
    EXPECT_EQ(emulated::counters().launches, 0u);
    // A change of one bit is a change.
    host.velocity[7].y = std::nextafter(host.velocity[7].y, 10.0f);
    engine.upload(host);
    EXPECT_GT(emulated::counters().bytes_to_device, 0u);
    EXPECT_EQ(downloaded(engine).velocity[7].y, host.velocity[7].y);
    // So is one of the parameters that the state depends on.
    firn::Parameters p = scene.parameters;
    p.rest_density *= 2;
    engine.set_parameters(p);
    engine.advance(card::frame);
    EXPECT_EQ(card::differences(host, downloaded(engine), false).empty(), false);
}

/// On a card that holds nothing else.
void expect_bytes(firn::Solver solver, double most) {
    Scene scene;
    scene.snow = scenes::snow_at(scenes::lattice_box(24, 24, 24, 0.02));
    scene.parameters.solver = solver;
    scene.parameters.substeps = 1;
    scene.parameters.pressure_iterations_max = scene.parameters.pressure_iterations_min = 1;
    scene.parameters.shear_iterations_max = 1;
    Engine engine(scene.parameters, "cuda");
    engine.upload(scene.snow);
    const double count = double(scene.snow.count());
    const double bytes = double(engine.advance(1e-4).bytes) / count;
    const Particles out = downloaded(engine);
    double neighbours = 0;
    for (const float n : out.neighbours) neighbours += double(n) / count;
    // Two bytes for each neighbour that particles inside have more than those of this cube, at its surface.
    const double inside = bytes + 2 * (32 - neighbours) * 17 / 16;
    std::printf("%.0f bytes per particle with %.1f neighbours; %.0f with 32\n", bytes, neighbours, inside);
    EXPECT_LE(inside, most);
    EXPECT_LE(double(emulated::counters().peak_bytes) / count, 1.05 * bytes) << "and no more in the pool";
}

TEST_F(Emulated, AParticleOfTheSplitSolveTakesAtMost434Bytes) {
    expect_bytes(firn::Solver::split, 434);
}

TEST_F(Emulated, AParticleOfTheJointSolveTakesAtMost551Bytes) {
    expect_bytes(firn::Solver::joint, 551);  // 116 more for surfaces, lines, what acts on the particle itself
}

// ---- no card

TEST_F(Emulated, WithoutADriver) {
    emulated::set_driver(emulated::Driver::absent);
    Engine engine({}, "auto");
    EXPECT_EQ(engine.device().compare(0, 3, "cpu"), 0);
    expect_line(engine.notice(), {"CPU", "no NVIDIA driver"});
    expect_line(error_of([] { Engine({}, "cuda"); }), {"cuda", "no NVIDIA driver", "cpu"});
    engine.upload(Scene().snow);
    EXPECT_TRUE(engine.advance(1e-3).warnings.empty()) << "nobody misses a card that there never was";
    EXPECT_EQ(Engine({}, "cpu").notice(), "");
}

TEST_F(Emulated, WithAnOldDriver) {
    emulated::set_driver(emulated::Driver::too_old);
    Engine engine({}, "auto");
    EXPECT_EQ(engine.device().compare(0, 3, "cpu"), 0);
    expect_line(engine.notice(), {"CPU", "driver is too old", "update"});
    expect_line(error_of([] { Engine({}, "cuda:0"); }), {"cuda:0", "too old"});
    engine.upload(Scene().snow);
    const std::vector<std::string> warnings = engine.advance(1e-3).warnings;
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings[0], engine.notice());
    EXPECT_TRUE(engine.advance(1e-3).warnings.empty()) << "once is enough";
}

TEST_F(Emulated, WithoutADevice) {
    emulated::set_devices({});
    EXPECT_EQ(Engine({}, "auto").device().compare(0, 3, "cpu"), 0);
    expect_line(Engine({}, "auto").notice(), {"no CUDA device"});
    expect_line(error_of([] { Engine({}, "cuda"); }), {"cuda", "no CUDA device"});
}

TEST_F(Emulated, WithADeviceThatIsTooOld) {
    emulated::DeviceDescription old, good;
    old.name = "GeForce GTX 1080";
    old.major = 6;
    old.minor = 1;
    emulated::set_devices({old});
    Engine engine({}, "auto");
    EXPECT_EQ(engine.device().compare(0, 3, "cpu"), 0);
    expect_line(engine.notice(), {"GeForce GTX 1080", "sm_61", "sm_75"});
    expect_line(error_of([] { Engine({}, "cuda"); }), {"GeForce GTX 1080", "sm_61"});
    // Beside a good one it does not matter.
    emulated::set_devices({old, good});
    EXPECT_EQ(Engine({}, "auto").device().compare(0, 7, "cuda:1,"), 0);
    expect_line(error_of([] { Engine({}, "cuda:0"); }), {"sm_61"});
    expect_line(error_of([] { Engine({}, "cuda:2"); }), {"cuda:2", "cuda:1"});
}

TEST_F(Emulated, NamesThatAreNone) {
    for (const char* name : {"cuda:", "cuda:x", "cuda:-1", "cuda0", "cuda:99999"}) {
        expect_line(error_of([&] { Engine({}, name); }), {name});
    }
}

TEST_F(Emulated, WithADeviceThatIsTooSmall) {
    emulated::DeviceDescription small;
    small.memory = 8 << 20;
    emulated::set_devices({small});
    Scene scene;
    scene.snow = scenes::snow_at(scenes::lattice_box(30, 30, 30, 0.02));
    Engine engine(scene.parameters, "auto");
    EXPECT_EQ(engine.device().compare(0, 4, "cuda"), 0) << "it is good enough for small scenes";
    engine.upload(scene.snow);
    EXPECT_EQ(engine.device().compare(0, 3, "cpu"), 0);
    expect_line(engine.notice(), {"does not fit", "MB"});
    EXPECT_EQ(engine.advance(1e-4).warnings.size(), 1u);
    Engine explicitly(scene.parameters, "cuda");
    expect_line(error_of([&] { explicitly.upload(scene.snow); }), {"27000", "MB"});
    // Bodies count too.
    Engine grows(scene.parameters, "auto");
    grows.upload(Scene().snow);
    const Particles before = downloaded(grows);
    grows.add_body(scenes::floor_body(3, 0.02));
    EXPECT_EQ(grows.device().compare(0, 3, "cpu"), 0);
    EXPECT_EQ(card::differences(before, downloaded(grows), false), "");
    grows.advance(1e-4);
}

// ---- failures on the way

/// Runs frames until one fails; the states that the host may find then: what went in, or what a frame began with.
struct Attempt {
    std::string error;
    Particles expected;  ///< what the frame that failed began with
    Particles found;
};

Attempt attempt(Engine& engine, const Scene& scene, const std::function<void()>& break_it) {
    Attempt a;
    {  // as the host sees what it uploads
        Engine other(scene.parameters, "cpu");
        other.upload(scene.snow);
        a.expected = downloaded(other);
    }
    const auto run = [&] {
        const Scene::Bodies bodies = scene.add_bodies(engine);
        engine.upload(scene.snow);
        a.expected = downloaded(engine);
        for (int k = 0; k < 2; ++k) {
            scene.move_bodies(engine, bodies, k);
            engine.advance(card::frame);
            a.expected = downloaded(engine);
        }
    };
    break_it();
    a.error = error_of(run);
    a.found = downloaded(engine);
    return a;
}

TEST_F(Emulated, MemoryThatEndsHalfwayLeavesTheStateWhole) {
    Scene scene(0.05);
    scene.parameters.substeps = 1;
    int failures = 0;
    for (int n = 1;; ++n) {
        SCOPED_TRACE("allocation " + std::to_string(n));
        emulated::reset();
        emulated::fail_allocation(n);
        std::unique_ptr<Engine> engine;
        const std::string refused = error_of([&] { engine = std::make_unique<Engine>(scene.parameters, "cuda"); });
        if (engine) {
            const Attempt a = attempt(*engine, scene, [] {});
            if (a.error.empty()) break;
            expect_line(a.error, {"out of memory"});
            EXPECT_EQ(card::differences(a.expected, a.found, false), "");
        } else {
            expect_line(refused, {"cuda", "out of memory"});
        }
        ++failures;
        engine.reset();
        EXPECT_TRUE(emulated::leaks().empty()) << emulated::leaks()[0];
    }
    EXPECT_GT(failures, 40);
}

TEST_F(Emulated, LaunchesThatFailStopTheRunWithTheStateOfTheFramesStart) {
    Scene scene(0.05);
    scene.parameters.substeps = 1;
    int failures = 0;
    for (const bool refused : {true, false}) {
        for (int n = 1; n < 400; n += 17) {
            SCOPED_TRACE((refused ? "refused launch " : "failed launch ") + std::to_string(n));
            emulated::reset();
            auto engine = std::make_unique<Engine>(scene.parameters, "cuda");
            const Attempt a = attempt(*engine, scene, [&] {
                if (refused) {
                    emulated::refuse_launch(n);
                } else {
                    emulated::fail_launch(n);
                }
            });
            if (a.error.empty()) break;
            ++failures;
            expect_line(a.error, {"CUDA device failed"});
            EXPECT_EQ(card::differences(a.expected, a.found, false), "");
            expect_line(error_of([&] { engine->advance(1e-3); }), {"CUDA device failed"});
            engine.reset();
            // After a kernel that crashed, memory goes with the device.
            if (refused) {
                EXPECT_TRUE(emulated::leaks().empty()) << emulated::leaks()[0];
            }
        }
    }
    EXPECT_GT(failures, 10);
    emulated::reset();
}

TEST_F(Emulated, ALostDeviceStopsTheRunAndTheCpuCanGoOn) {
    Scene scene(0.05);
    scene.parameters.substeps = 1;
    int failures = 0;
    for (int calls = 150; calls < 1200; calls += 97) {
        SCOPED_TRACE("lost after " + std::to_string(calls) + " calls");
        emulated::reset();
        {
            Engine engine(scene.parameters, "auto");
            ASSERT_EQ(engine.device().compare(0, 4, "cuda"), 0);
            const Attempt a = attempt(engine, scene, [&] { emulated::lose_device(calls); });
            if (a.error.empty()) continue;
            ++failures;
            expect_line(a.error, {"CUDA device failed", "kept"});
            EXPECT_EQ(card::differences(a.expected, a.found, false), "");
            // On the CPU, from where it was.
            const firn::FrameReport report = engine.advance(card::frame);
            EXPECT_EQ(engine.device().compare(0, 3, "cpu"), 0);
            ASSERT_EQ(report.warnings.size(), 1u);
            expect_line(report.warnings[0], {"CPU", "CUDA device failed"});
            EXPECT_TRUE(scenes::finite(downloaded(engine)));
        }
        emulated::reset();  // what was on a lost card is nobody's leak
    }
    EXPECT_GT(failures, 3);
}

/// A strip that sleeps on a floor, and a block that falls on its middle: most of the strip is left out until then.
struct SleepingScene {
    static constexpr double dx = 0.05, frame = 1.0 / 50;
    firn::Parameters parameters;
    Particles snow;

    SleepingScene() {
        parameters.spacing = static_cast<float>(dx);
        parameters.sleep_after = 0.1f;
        parameters.threads = 1;
        snow = scenes::snow_at(scenes::lattice_box(200, 2, 3, dx, {-100 * dx, 0, -1.5 * dx}));
        scenes::append(snow,
                       scenes::snow_at(scenes::lattice_box(3, 3, 3, dx, {-1.5 * dx, 20 * dx, -1.5 * dx}), {0, -2, 0}));
        for (size_t i = 0; i < snow.count(); ++i) snow.id.push_back(static_cast<int64_t>(3 * i + 1));
    }
    uint64_t asleep(const Particles& p) const {
        return static_cast<uint64_t>(
            std::count_if(p.calm.begin(), p.calm.end(), [&](float calm) { return calm >= parameters.sleep_after; }));
    }
    std::unique_ptr<Engine> engine(const char* device) const {
        auto made = std::make_unique<Engine>(parameters, device);
        firn::Body floor = scenes::floor_body(4 * dx, dx);
        for (firn::Float3& x : floor.position) x.x -= static_cast<float>(100 * dx);
        for (int k = 0; k <= 25; ++k) {
            made->add_body(floor);
            for (firn::Float3& x : floor.position) x.x += static_cast<float>(8 * dx);
        }
        made->upload(snow);
        return made;
    }
};

/// What goes into the frame in which the block wakes the strip, and the calls of the card that it takes.
Particles before_sleepers_wake(const SleepingScene& scene, uint64_t& calls) {
    const auto engine = scene.engine("cuda");
    for (int k = 0; k < 60; ++k) {
        const Particles before = downloaded(*engine);
        emulated::clear_counters();
        if (engine->advance(scene.frame).asleep < scene.asleep(before)) {
            calls = emulated::counters().calls;
            return before;
        }
    }
    ADD_FAILURE() << "none woke";
    return {};
}

TEST_F(Emulated, SleepersThatWakeOnACardThatIsFullGoOnOnTheCpu) {
    const SleepingScene scene;
    uint64_t calls = 0;
    const Particles before = before_sleepers_wake(scene, calls);
    int changes = 0, losses = 0;
    for (const bool may_change : {true, false}) {
        for (int n = 1; n < 10; ++n) {
            SCOPED_TRACE(std::to_string(n) + (may_change ? " auto" : " cuda"));
            emulated::reset();
            const auto engine = scene.engine(may_change ? "auto" : "cuda");
            engine->upload(before);
            bool begun = false;
            firn::FrameReport report;
            const std::string error = error_of([&] {
                report = engine->advance(scene.frame, [&](const firn::Progress&) {
                    if (!begun) emulated::fail_allocation(n);
                    begun = true;
                    return true;
                });
            });
            const std::string device = engine->device();
            const Particles after = downloaded(*engine);
            EXPECT_EQ(after.count(), before.count());
            EXPECT_TRUE(scenes::finite(after));
            if (!error.empty()) expect_line(error, {"memory"});
            if (device.compare(0, 4, "none") == 0) {
                ++losses;
                EXPECT_EQ(card::differences(before, after, false), "") << error;
            }
            if (device.compare(0, 3, "cpu") == 0) {
                ++changes;
                ASSERT_EQ(report.warnings.size(), 1u);
                expect_line(report.warnings[0], {"CPU", "memory"});
                EXPECT_TRUE(engine->advance(scene.frame).warnings.empty());
            }
        }
    }
    EXPECT_GT(changes, 0);
    EXPECT_GT(losses, 0);
}

TEST_F(Emulated, ACardThatIsLostWhenSleepersWakeLeavesTheStateOfTheFramesStart) {
    const SleepingScene scene;
    uint64_t calls = 0;
    const Particles before = before_sleepers_wake(scene, calls);
    int failures = 0;
    for (uint64_t part = 1; part < 12; ++part) {
        SCOPED_TRACE(part);
        emulated::reset();
        auto engine = scene.engine("auto");
        engine->upload(before);
        emulated::lose_device(static_cast<int>(calls * part / 12));
        const std::string error = error_of([&] { engine->advance(scene.frame); });
        EXPECT_EQ(engine->particle_count(), before.count());
        if (error.empty()) {
            // It was about to be given others: the host had all that there is.
            EXPECT_EQ(engine->device().compare(0, 3, "cpu"), 0);
        } else {
            ++failures;
            expect_line(error, {"CUDA device failed", "kept"});
            EXPECT_EQ(card::differences(before, downloaded(*engine), false), "");
        }
        engine->advance(scene.frame);
        EXPECT_EQ(engine->device().compare(0, 3, "cpu"), 0);
        EXPECT_EQ(downloaded(*engine).count(), before.count());
        engine.reset();
        emulated::reset();  // what was on a lost card is nobody's leak
    }
    EXPECT_GT(failures, 5);
}

}  // namespace
