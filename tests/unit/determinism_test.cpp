// The same bits: for every number of threads, from run to run, in whatever order the host holds the particles, and when
// the state goes out to the host and back between frames.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "firn/engine.h"
#include "scenes/devices.h"
#include "scenes/scenes.h"

namespace {

using firn::Engine;
using firn::Float3;
using firn::Particles;

const double frame = 1.0 / 100;

/// The names of the arrays that are not bit-identical.
std::string differences(const Particles& a_in, const Particles& b_in) {
    Particles a = a_in, b = b_in;
    std::string names;
    for (const firn::ParticleArray& array : firn::particle_arrays()) {
        const size_t bytes = array.size(a) * static_cast<size_t>(array.components) * sizeof(float);
        const bool same =
            array.size(a) == array.size(b) && (bytes == 0 || std::memcmp(array.data(a), array.data(b), bytes) == 0);
        if (!same) names += std::string(array.name) + " ";
    }
    if (a.id != b.id) names += "id ";
    return names;
}

/// A snowball with layers of different snow that flies into a floor, a wall that comes towards it and a sheet that
/// buckles: everything that a step can meet.
struct Scene {
    firn::Parameters parameters;
    Particles snow;
    firn::Body floor, wall, sheet;

    explicit Scene(double radius = 0.14) {
        const double dx = 0.02;
        parameters.spacing = static_cast<float>(dx);
        snow.position = scenes::lattice_ball(radius, dx, {0, radius + 0.01, 0});
        scenes::jitter(snow.position, 0.1 * dx);
        snow.velocity.assign(snow.count(), {-1, -3, 0.5f});
        for (size_t i = 0; i < snow.count(); ++i) {
            snow.id.push_back(static_cast<int64_t>(7 * i + 3));
            const bool upper = snow.position[i].y > radius;
            snow.young_modulus.push_back(upper ? 1e6f : 50e3f);
            snow.rest_density.push_back(upper ? 500.0f : 300.0f);
            snow.theta_c.push_back(0.02f + 0.001f * static_cast<float>(i % 7));
            snow.acceleration.push_back({0.1f, 0, 0.01f * static_cast<float>(i % 3)});
        }
        floor = scenes::floor_body(0.3, dx);
        wall = scenes::wall_body(-radius - 0.05, 0.2, 0, 0.3, dx);
        wall.motion = firn::Motion::rigid;
        sheet = scenes::sheet_body({0.16, 0, -0.2}, {0, dx, 0}, 10, {0, 0, dx}, 20);
        sheet.motion = firn::Motion::deforming;
        sheet.adhesion = 1;
    }

    struct Ids {
        firn::BodyId wall, sheet;
    };
    Ids add_bodies(Engine& engine) const {
        engine.add_body(floor);
        const firn::BodyId wall_id = engine.add_body(wall);
        return {wall_id, engine.add_body(sheet)};
    }
    /// The bodies' motion in frame k = 0, 1, ...
    void move_bodies(Engine& engine, const Ids& ids, int k) const {
        engine.move_body(ids.wall, scenes::turn({0, 0.1 * (k + 1), 0}, {0.02 * (k + 1), 0, 0}));
        std::vector<Float3> to = sheet.position;
        for (Float3& p : to) p.x -= static_cast<float>(0.01 * (k + 1) * std::cos(8 * p.z));
        engine.move_body(ids.sheet, to);
    }
};

struct Outcome {
    Particles out;
    std::vector<double> steps;
    firn::BodyLoad wall_load;
};

Outcome simulate(const Scene& scene, const Particles& snow, int frames, const std::string& device = "auto",
                 bool through_the_host = false) {
    Outcome r;
    Engine engine(scene.parameters, device);
    const Scene::Ids ids = scene.add_bodies(engine);
    engine.upload(snow);
    for (int k = 0; k < frames; ++k) {
        scene.move_bodies(engine, ids, k);
        for (const firn::SubstepReport& s : engine.advance(frame).substeps) r.steps.push_back(s.dt);
        if (through_the_host) {
            Particles host;
            engine.download(host);
            engine.upload(host);
        }
    }
    engine.download(r.out);
    r.wall_load = engine.body_load(ids.wall);
    return r;
}

class Determinism : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        if (!scenes::device_exists(GetParam())) GTEST_SKIP() << "this machine has no " << GetParam();
    }
    /// Smaller on a card, which may be an emulated one: fifty particles are more than a warp, and enough to mix up.
    static double radius(double on_the_cpu) { return GetParam() == "cuda" ? 0.05 : on_the_cpu; }
};

TEST_P(Determinism, SameBitsForEveryNumberOfThreadsAndEveryRun) {
    Scene scene(radius(0.14));
    if (GetParam() != "cuda") {
        ASSERT_GT(scene.snow.count(), 1200u) << "too few particles for more than one range of work";
    }
    scene.parameters.threads = 1;
    const Outcome one = simulate(scene, scene.snow, 1, GetParam());
    ASSERT_TRUE(scenes::finite(one.out));
    ASSERT_GT(one.steps.size(), 2u);
    for (const int threads : {1, 2, 4}) {
        scene.parameters.threads = threads;
        const Outcome other = simulate(scene, scene.snow, 1, GetParam());
        EXPECT_EQ(differences(one.out, other.out), "") << threads << " threads";
        EXPECT_EQ(one.steps, other.steps);
        for (int c = 0; c < 3; ++c) {
            EXPECT_EQ(one.wall_load.force[c], other.wall_load.force[c]);
            EXPECT_EQ(one.wall_load.torque[c], other.wall_load.torque[c]);
        }
    }
}

TEST_P(Determinism, TheHostsOrderDoesNotMatter) {
    const Scene scene(radius(0.1));
    const Outcome straight = simulate(scene, scene.snow, 2, GetParam());
    std::vector<uint32_t> order(scene.snow.count());
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), std::mt19937(5));
    const auto shuffle = [&](auto& array) {
        auto copy = array;
        for (size_t i = 0; i < copy.size(); ++i) array[i] = copy[order[i]];
    };
    Particles snow = scene.snow;
    shuffle(snow.position);
    shuffle(snow.velocity);
    shuffle(snow.id);
    shuffle(snow.young_modulus);
    shuffle(snow.rest_density);
    shuffle(snow.theta_c);
    shuffle(snow.acceleration);
    const Outcome shuffled = simulate(scene, snow, 2, GetParam());
    EXPECT_EQ(shuffled.out.id, snow.id) << "particles come out in the order in which they went in";
    // The straight answer, put into the shuffled order.
    Particles expected = straight.out;
    shuffle(expected.position);
    shuffle(expected.velocity);
    shuffle(expected.id);
    shuffle(expected.strain);
    shuffle(expected.pressure);
    shuffle(expected.shear_acceleration);
    shuffle(expected.filling);
    shuffle(expected.misfit);
    shuffle(expected.damage);
    shuffle(expected.calm);
    shuffle(expected.support);
    shuffle(expected.bearer);
    shuffle(expected.young_modulus);
    shuffle(expected.rest_density);
    shuffle(expected.theta_c);
    shuffle(expected.acceleration);
    shuffle(expected.density);
    shuffle(expected.compaction);
    shuffle(expected.neighbours);
    EXPECT_EQ(differences(expected, shuffled.out), "");
}

TEST_P(Determinism, OutToTheHostAndBackChangesNoBit) {
    Scene scene(radius(0.1));
    const Outcome straight = simulate(scene, scene.snow, 3, GetParam());
    const Outcome through = simulate(scene, scene.snow, 3, GetParam(), true);
    // What download() gives after upload() has no results of a step yet; the last frame has.
    EXPECT_EQ(straight.steps, through.steps);
    Particles a = straight.out, b = through.out;
    for (Particles* p : {&a, &b}) {
        p->density.clear();
        p->compaction.clear();
        p->neighbours.clear();
    }
    EXPECT_EQ(differences(a, b), "");
}

TEST_P(Determinism, AShorterUploadLeavesNoTraceOfALongerOne) {
    // Whole blocks of lanes, so that what fills up short neighbour lists lies where a particle was before.
    const auto snow = [](size_t count) {
        Particles p = scenes::snow_at(scenes::lattice_box(4, 4, 4, 0.02, {-0.04, 0, -0.04}), {0.3f, -1, 0});
        p.position.resize(count);
        p.velocity.resize(count);
        return p;
    };
    firn::Parameters parameters;
    parameters.spacing = 0.02f;
    const auto run = [&](Engine& engine) {
        engine.upload(snow(40));
        engine.advance(frame);
        Particles out;
        engine.download(out);
        return out;
    };
    Engine used(parameters, GetParam()), fresh(parameters, GetParam());
    for (Engine* engine : {&used, &fresh}) engine->add_body(scenes::floor_body(0.1, 0.02));
    used.upload(snow(64));
    used.advance(frame);
    EXPECT_EQ(differences(run(used), run(fresh)), "");
}

TEST_P(Determinism, ACheckpointInANewEngineGoesOnWithTheSameBits) {
    for (const firn::Solver solver : {firn::Solver::joint, firn::Solver::split, firn::Solver::combined}) {
        Scene scene(radius(0.08));
        scene.parameters.solver = solver;
        const Outcome straight = simulate(scene, scene.snow, 2, GetParam());
        const Outcome first = simulate(scene, scene.snow, 1, GetParam());

        Engine engine(scene.parameters, GetParam());
        Scene later = scene;
        // The host knows where its bodies are: it adds them as they stand after the first frame.
        later.wall.placement = scenes::turn({0, 0.1, 0}, {0.02, 0, 0});
        for (Float3& p : later.sheet.position) p.x -= static_cast<float>(0.01 * std::cos(8 * p.z));
        const Scene::Ids ids = later.add_bodies(engine);
        scene.move_bodies(engine, ids, 1);
        engine.upload(first.out);
        engine.advance(frame);
        Particles out;
        engine.download(out);
        EXPECT_EQ(differences(straight.out, out), "");
    }
}

TEST_P(Determinism, AnInterruptedFrameGoesOnInANewEngineWithTheSameBits) {
    for (const int fixed_substeps : {0, 7}) {
        Scene scene(0.1);
        scene.parameters.substeps = fixed_substeps;
        const Outcome straight = simulate(scene, scene.snow, 1, GetParam());
        const int last = static_cast<int>(straight.steps.size()) - 1;
        ASSERT_GT(last, 2);
        for (const int stop : {1, last / 2, last}) {
            firn::FrameStart start;
            Particles state;
            {
                Engine engine(scene.parameters, GetParam());
                const Scene::Ids ids = scene.add_bodies(engine);
                engine.upload(scene.snow);
                scene.move_bodies(engine, ids, 0);
                const firn::FrameReport report = engine.advance(
                    frame, [&](const firn::Progress& p) { return p.iteration != 0 || p.substep < stop; });
                ASSERT_TRUE(report.interrupted);
                ASSERT_EQ(static_cast<int>(report.substeps.size()), stop);
                start = {report.time, stop};
                engine.download(state);
            }
            Engine engine(scene.parameters, GetParam());
            const Scene::Ids ids = scene.add_bodies(engine);
            engine.upload(state);
            scene.move_bodies(engine, ids, 0);
            const firn::FrameReport report = engine.advance(frame, {}, start);
            EXPECT_EQ(report.time, frame);
            EXPECT_EQ(report.substeps.size() + static_cast<size_t>(stop), straight.steps.size());
            Particles out;
            engine.download(out);
            EXPECT_EQ(differences(straight.out, out), "") << "stopped after substep " << stop;
        }
    }
}

TEST(HostState, AFrameCanNotGoOnAfterItsEnd) {
    Engine engine;
    EXPECT_THROW(engine.advance(frame, {}, {frame, 1}), firn::Error);
    EXPECT_THROW(engine.advance(frame, {}, {-1e-3, 1}), firn::Error);
}

TEST_P(Determinism, ChangingTheNumberOfThreadsBetweenFramesChangesNoBit) {
    Scene scene(radius(0.1));
    scene.parameters.threads = 1;
    const Outcome straight = simulate(scene, scene.snow, 2, GetParam());
    Engine engine(scene.parameters, GetParam());
    const Scene::Ids ids = scene.add_bodies(engine);
    engine.upload(scene.snow);
    scene.move_bodies(engine, ids, 0);
    engine.advance(frame);
    scene.parameters.threads = 2;
    engine.set_parameters(scene.parameters);
    scene.move_bodies(engine, ids, 1);
    engine.advance(frame);
    Particles out;
    engine.download(out);
    EXPECT_EQ(differences(straight.out, out), "");
}

INSTANTIATE_TEST_SUITE_P(Widths, Determinism, ::testing::ValuesIn(scenes::devices()), scenes::device_name);

// ---- the host edits its particles between frames

TEST(HostState, DownloadGivesBackWhatWasUploaded) {
    const Scene scene(0.06);
    Engine engine(scene.parameters);
    Particles snow = scene.snow;
    snow.strain.assign(snow.count(), {0.001f, 0.002f, 0.003f, 0.004f, 0.005f, 0.006f});
    snow.pressure.assign(snow.count(), 7);
    snow.shear_acceleration.assign(snow.count(), {1, 2, 3});
    snow.filling.assign(snow.count(), 1.1f);
    snow.misfit.assign(snow.count(), {1e-6f, -2e-6f, 0});
    snow.damage.assign(snow.count(), 0.3f);
    snow.calm.assign(snow.count(), 3);
    snow.support.assign(snow.count(), {0, 2, 0});
    snow.bearer.assign(snow.count(), 1);
    engine.upload(snow);
    EXPECT_EQ(engine.particle_count(), snow.count());
    Particles out;
    engine.download(out);
    snow.density = out.density;
    snow.compaction = out.compaction;
    snow.neighbours = out.neighbours;
    EXPECT_EQ(differences(snow, out), "");
}

TEST(HostState, WithoutIdsTheyAreNumbered) {
    Engine engine;
    Particles snow;
    snow.position = scenes::lattice_box(3, 3, 3, 0.02);
    engine.upload(snow);
    engine.advance(1e-3);
    Particles out;
    engine.download(out);
    for (size_t i = 0; i < out.count(); ++i) EXPECT_EQ(out.id[i], static_cast<int64_t>(i));
    EXPECT_TRUE(out.young_modulus.empty()) << "what was not given per particle does not come back per particle";
}

TEST(HostState, ParticlesAddedAndRemovedBetweenFrames) {
    Scene scene(0.08);
    Engine engine(scene.parameters);
    engine.upload(scene.snow);
    engine.advance(frame);
    Particles host;
    engine.download(host);
    const Particles before = host;

    // Every third goes, ten new ones come in front, far away.
    std::vector<size_t> kept;
    for (size_t i = 0; i < host.count(); ++i) {
        if (i % 3) kept.push_back(i);
    }
    Particles edited;
    const auto fill = [&](auto& to, const auto& from, auto fresh) {
        to.assign(10, fresh);
        for (size_t i : kept) to.push_back(from[i]);
    };
    fill(edited.position, host.position, Float3{});
    fill(edited.velocity, host.velocity, Float3{1, 0, 0});
    fill(edited.id, host.id, int64_t(0));
    fill(edited.strain, host.strain, firn::Sym3{});
    fill(edited.pressure, host.pressure, 0.0f);
    fill(edited.shear_acceleration, host.shear_acceleration, Float3{});
    for (size_t k = 0; k < 10; ++k) {
        edited.position[k] = {5, static_cast<float>(k), 5};
        edited.id[k] = -1 - static_cast<int64_t>(k);
    }
    engine.upload(edited);
    EXPECT_EQ(engine.particle_count(), kept.size() + 10);
    firn::Parameters free = scene.parameters;
    free.substeps = 1;
    engine.set_parameters(free);
    engine.advance(1e-3);
    Particles out;
    engine.download(out);
    ASSERT_EQ(out.count(), kept.size() + 10);
    EXPECT_EQ(out.id, edited.id);
    // The new ones fall freely: v = v0 + g dt, x = x0 + v dt (semi-implicit Euler), to float rounding.
    for (size_t k = 0; k < 10; ++k) {
        EXPECT_NEAR(out.velocity[k].y, -9.81e-3, 1e-8);
        EXPECT_NEAR(out.position[k].x, 5 + 1e-3, 1e-6);
        EXPECT_EQ(out.neighbours[k], 0);
    }
    for (size_t k = 0; k < kept.size(); ++k) {
        EXPECT_NEAR(out.position[10 + k].x, before.position[kept[k]].x, 0.02);
    }
}

TEST(HostState, EditedVelocityActsAtOnce) {
    Engine engine;
    Particles snow;
    snow.position = {{0, 0, 0}};
    engine.upload(snow);
    engine.advance(0.01);
    engine.download(snow);
    snow.velocity[0] = {3, 0, 0};
    engine.upload(snow);
    engine.advance(0.01);
    const float x0 = snow.position[0].x;
    engine.download(snow);
    EXPECT_NEAR(snow.position[0].x - x0, 0.03, 1e-6);
}

TEST(HostState, FewerThenMoreThenNoParticles) {
    // Buffers grow and stay: nothing of the earlier particles may shine through.
    firn::Parameters p;
    p.substeps = 1;
    const auto fresh = [&](int n) {
        Engine engine(p);
        Particles snow;
        snow.position = scenes::lattice_box(n, n, n, 0.019);
        engine.upload(snow);
        engine.advance(1e-3);
        engine.download(snow);
        return snow;
    };
    Engine engine(p);
    for (const int n : {4, 7, 2, 0, 1, 5}) {
        Particles snow;
        snow.position = scenes::lattice_box(n, n, n, 0.019);
        engine.upload(snow);
        engine.advance(1e-3);
        engine.download(snow);
        EXPECT_EQ(differences(snow, fresh(n)), "") << n << "^3 particles";
    }
}

TEST(HostState, EnginesMove) {
    Engine a;
    Particles snow;
    snow.position = {{1, 2, 3}};
    a.upload(snow);
    Engine b = std::move(a);
    EXPECT_EQ(b.particle_count(), 1u);
    EXPECT_EQ(a.particle_count(), 0u) << "an engine that was moved away holds nothing";
    Engine c;
    c = std::move(b);
    Particles out;
    c.download(out);
    EXPECT_EQ(out.position.at(0).y, 2);
}

}  // namespace
