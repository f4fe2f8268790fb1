// What a shot pays for what is there but far away: ground that the snow never reaches, bodies that touch nothing; and
// what it takes to sample a mesh and to check a scene. Ratios are taken in one run, each simulation in a process of its
// own, in turns. Prints a table and merges its figures into a JSON file (bench/run.sh).

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "colliders.h"
#include "figures.h"
#include "firn/engine.h"
#include "firn/error.h"
#include "firn/samples.h"
#include "firn/surface_sources.h"
#include "scene.h"
#include "snow.h"

namespace {

namespace fs = std::filesystem;
using firn::Engine;
using firn::Particles;

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// What a process says of the simulation that it has run.
struct Outcome {
    double seconds = 0;  ///< CPU time of the frames: other work on the machine does not count
    double bytes = 0;    ///< the most that it held
    double substeps = 0;
    double iterations = 0;  ///< of all substeps
    double place[9] = {};   ///< 5th, 50th and 95th percentile of x, y and z at the end, m
};

double cpu_seconds() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double peak_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

void take_percentiles(const Particles& snow, double place[9]) {
    for (int axis = 0; axis < 3; ++axis) {
        std::vector<float> values;
        for (const firn::Float3& p : snow.position) values.push_back(axis == 0 ? p.x : axis == 1 ? p.y : p.z);
        std::sort(values.begin(), values.end());
        const double last = static_cast<double>(values.size() - 1);
        const double shares[3] = {0.05, 0.5, 0.95};
        for (int k = 0; k < 3; ++k) place[3 * axis + k] = values[static_cast<size_t>(std::lround(shares[k] * last))];
    }
}

/// How much the places of two runs differ, as a share of how far the snow is spread.
double shift(const Outcome& a, const Outcome& b) {
    double most = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double spread = a.place[3 * axis + 2] - a.place[3 * axis];
        for (int k = 0; k < 3; ++k)
            most = std::max(most, std::abs(a.place[3 * axis + k] - b.place[3 * axis + k]) / spread);
    }
    return most;
}

/// A ball of 124 particles, out of everything's reach.
firn::Body far_ball(int number, float dx) {
    firn::Body ball;
    ball.name = "ball" + std::to_string(number);
    ball.motion = firn::Motion::rigid;
    for (int k = -3; k <= 3; ++k) {
        for (int j = -3; j <= 3; ++j) {
            for (int i = -3; i <= 3; ++i) {
                const int square = i * i + j * j + k * k;
                if (square > 5 && square <= 10) ball.position.push_back({float(i) * dx, float(j) * dx, float(k) * dx});
            }
        }
    }
    ball.placement.translation[0] = 0.3 * (number % 30);
    ball.placement.translation[1] = 6 + 0.3 * (number / 30);
    return ball;
}

/// A scene's frames up to `last`, as `firn sim` runs them, without files; what it takes counts from frame `from` on.
Outcome simulate(const std::string& text, const std::string& path, const std::vector<std::string>& changes, int from,
                 int last, int far_bodies) {
    const firn::Scene scene = firn::parse_scene(text, path, changes);
    firn::SnowPlacer placer(scene);
    Particles snow;
    int64_t next_id = 0;
    placer.place(scene.first_frame, snow, next_id);
    Engine engine(scene.parameters, "cpu");
    double start = cpu_seconds();
    std::vector<firn::CollidingBody> colliders;
    std::vector<firn::BodyId> ids;
    colliders.reserve(scene.colliders.size());
    for (size_t k = 0; k < scene.colliders.size(); ++k) {
        colliders.emplace_back(scene, k);
        ids.push_back(engine.add_body(colliders[k].body_at(scene.first_frame)));
    }
    for (int k = 0; k < far_bodies; ++k) engine.add_body(far_ball(k, scene.parameters.spacing));
    engine.upload(snow);
    Outcome outcome;
    for (int frame = scene.first_frame + 1; frame <= last; ++frame) {
        if (frame == from) start = cpu_seconds(), outcome.substeps = outcome.iterations = 0;
        for (size_t k = 0; k < colliders.size(); ++k)
            if (colliders[k].motion() == firn::Motion::rigid) engine.move_body(ids[k], colliders[k].placement(frame));
        const firn::FrameReport report = engine.advance(1 / scene.fps);
        outcome.substeps += static_cast<double>(report.substeps.size());
        outcome.iterations += report.iterations("shear") * static_cast<double>(report.substeps.size());
    }
    outcome.seconds = cpu_seconds() - start;
    engine.download(snow);
    take_percentiles(snow, outcome.place);
    outcome.bytes = peak_bytes();
    return outcome;
}

/// In a process of its own: what another run has left behind does not count.
Outcome alone(const std::function<Outcome()>& run) {
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0) throw firn::Error("can't make a pipe");
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) throw firn::Error("can't start a process");
    if (child == 0) {
        int code = 1;
        try {
            const Outcome outcome = run();
            code = write(pipe_ends[1], &outcome, sizeof outcome) == static_cast<ssize_t>(sizeof outcome) ? 0 : 1;
        } catch (const std::exception& error) {
            std::fprintf(stderr, "firn_scale: %s\n", error.what());
        }
        _exit(code);
    }
    close(pipe_ends[1]);
    Outcome outcome;
    const bool whole = read(pipe_ends[0], &outcome, sizeof outcome) == static_cast<ssize_t>(sizeof outcome);
    close(pipe_ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!whole || status != 0) throw firn::Error("a simulation failed");
    return outcome;
}

/// Each in turns; of the rounds the shortest time and the least memory: other work only ever adds.
std::vector<Outcome> best_of(int rounds, const std::vector<std::function<Outcome()>>& runs) {
    std::vector<Outcome> best(runs.size());
    for (int round = 0; round < rounds; ++round) {
        for (size_t k = 0; k < runs.size(); ++k) {
            const Outcome now = alone(runs[k]);
            const Outcome before = best[k];
            best[k] = now;
            if (round == 0) continue;
            best[k].seconds = std::min(now.seconds, before.seconds);
            best[k].bytes = std::min(now.bytes, before.bytes);
        }
    }
    return best;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    if (at == std::string::npos) throw firn::Error("the demo's scene no longer has '" + from + "'");
    return text.replace(at, from.size(), to);
}

void measure_ground(Figures& figures, const fs::path& examples, const fs::path& scratch) {
    const std::string path = (examples / "wall_smash.toml").string();
    std::ifstream in(path);
    const std::string demo{std::istreambuf_iterator<char>(in), {}};
    const fs::path heights = scratch / "flat_1km.txt";
    {
        std::ofstream out(heights);
        for (int row = 0; row < 501; ++row) {
            for (int column = 0; column < 501; ++column) out << (column ? " 0" : "0");
            out << "\n";
        }
    }
    const std::string ground = "shape = \"plane\"\nsize = [6, 1, 14]";
    const std::string wide = replaced(demo, ground, "shape = \"plane\"\nsize = [1000, 1, 1000]"),
                      endless = replaced(demo, ground, "shape = \"plane\""),
                      field = replaced(demo, ground,
                                       "shape = \"heightfield\"\nfile = \"" + heights.string() + "\"\ncell = 2");
    constexpr int last = 12, rounds = 3;
    const auto run = [&](const std::string& text, int bodies) {
        return [text, path, bodies] { return simulate(text, path, {"scene.resolution=0.5"}, 0, last, bodies); };
    };
    // Memory is that of the demo as it is, which two frames tell.
    const auto start = [&](const std::string& text, int bodies) {
        return [text, path, bodies] { return simulate(text, path, {"scene.resolution=1"}, 0, 3, bodies); };
    };
    const std::vector<Outcome> of =
        best_of(rounds, {run(demo, 0), run(wide, 0), run(endless, 0), run(field, 0), run(demo, 1000)});
    const std::vector<Outcome> begun =
        best_of(1, {start(demo, 0), start(wide, 0), start(endless, 0), start(field, 0), start(demo, 1000)});
    const auto add = [&](const std::string& key, size_t k, const char* meaning) {
        const Outcome& with = of[k];
        figures.add(key, with.seconds / of[0].seconds, meaning);
        figures.add(key + "_memory", begun[k].bytes / begun[0].bytes,
                    "the most that the process held at resolution 1 (goal 1.05)");
        figures.add(key + "_shift", shift(of[0], with),
                    "5th, 50th, 95th percentile of the snow's place, of its spread (goal 0.03)");
        figures.add(key + "_substeps", with.substeps / of[0].substeps, "");
    };
    figures.add("demo_ground_14m_s", of[0].seconds, "CPU time of the demo's frames 2 to 12 at resolution 0.5");
    add("ground_1km_cost", 1, "the demo on a plane of 1 km, over its 14 m plane (goal 1.05)");
    add("ground_endless_cost", 2, "on a plane without end (goal 1.05)");
    add("ground_1km_field_cost", 3, "on a height field of 1 km (goal 1.05)");
    add("bodies_1000_cost", 4, "a thousand moving bodies that touch nothing, over none (goal 1.05)");
}

/// How the cost of the demo's wall grows with resolution and stiffness, and how the joint solve compares with the split
/// one. Half an hour on two cores: only on request.
void measure_wall(Figures& figures, const fs::path& examples) {
    const std::string path = (examples / "wall_smash.toml").string();
    std::ifstream in(path);
    const std::string demo{std::istreambuf_iterator<char>(in), {}};
    constexpr int from = 8, last = 16;
    const auto run = [&](std::vector<std::string> changes) {
        return alone([&] { return simulate(demo, path, changes, from, last, 0); });
    };
    const auto per_step = [](const Outcome& of) { return of.iterations / of.substeps; };
    const Outcome coarse = run({"scene.resolution=0.7"}), one = run({"scene.resolution=1"}),
                  stiff = run({"scene.resolution=1", "young_modulus=6e7"});
    figures.add("wall_iterations", per_step(one),
                "shear iterations a substep, wall_smash at resolution 1, frames 8 to 16");
    figures.add("stiffness_growth", per_step(stiff) / per_step(one), "the same with E x 100, over E (goal 1.5)");
    const Outcome joint = run({"scene.resolution=2"}), split = run({"scene.resolution=2", "solver.solver=split"});
    figures.add("iterations_growth", per_step(joint) / per_step(coarse), "resolution 2 over 0.7 (goal 1.3)");
    figures.add("wall_2x_speedup", split.seconds / joint.seconds,
                "CPU time at resolution 2, split solve over the joint one (goal 4)");
    figures.add("wall_2x_shift", shift(split, joint),
                "of the snow's place; the split solve's strength depends on the step");
}

Particles lattice(int nx, int ny, int nz, double dx, const double corner[3]) {
    Particles snow;
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i)
                snow.position.push_back({static_cast<float>(corner[0] + (i + 0.5) * dx),
                                         static_cast<float>(corner[1] + (j + 0.5) * dx),
                                         static_cast<float>(corner[2] + (k + 0.5) * dx)});
    return snow;
}

firn::Body ground(float spacing) {
    firn::Body body;
    body.name = "ground";
    body.friction = 0.6f;
    firn::BoundarySettings settings;
    settings.spacing = spacing;
    body.source = firn::plane_source(0, 0, firn::Transform(), settings);
    return body;
}

/// Snow that falls some centimetres and comes to rest: a frame in motion, and one when all of it sleeps.
void measure_rest(Figures& figures) {
    const double dx = 0.05, corner[3] = {-2.8, 0.04, -2.8};
    const Particles snow = lattice(112, 20, 112, dx, corner);
    firn::Parameters p;
    p.spacing = static_cast<float>(dx);
    Engine engine(p, "cpu");
    engine.add_body(ground(p.spacing));
    engine.upload(snow);
    double moving = 0, resting = 0, bytes_awake = 0, bytes_asleep = 0;
    int frames = 0;
    for (int rests = 0; frames < 120 && rests < 2; ++frames) {
        const double start = cpu_seconds();
        const firn::FrameReport report = engine.advance(1.0 / 24);
        const double took = cpu_seconds() - start;
        // The first ones fall; then they land.
        if (frames == 3) moving = took, bytes_awake = static_cast<double>(report.bytes);
        if (report.asleep < snow.count()) continue;
        resting = took, bytes_asleep = static_cast<double>(report.bytes);
        ++rests;
    }
    const double count = static_cast<double>(snow.count());
    figures.add("rest_cost", resting / moving,
                "a frame of 250,880 particles that sleep, over one in motion (goal 0.05)");
    figures.add("rest_frames", frames, "frames until all slept, and one more");
    figures.add("bytes_per_particle_awake", bytes_awake / count, "(goal 560)");
    figures.add("bytes_per_particle_asleep", bytes_asleep / count, "(goal 200)");
}

/// A plough in 40 m of street, with Auto Sleep and without, from the same state.
void measure_street(Figures& figures) {
    const double dx = 0.035, corner[3] = {-20, 0, -1.225};
    firn::Parameters p;
    p.spacing = static_cast<float>(dx);
    const Particles fresh = lattice(1143, 6, 70, dx, corner);
    Particles settled;
    {
        Engine engine(p, "cpu");
        engine.add_body(ground(p.spacing));
        engine.upload(fresh);
        for (int frame = 0; frame < 72; ++frame)
            if (engine.advance(1.0 / 24).asleep == fresh.count()) break;
        engine.download(settled);
    }
    const auto drive = [&](bool sleeps) {
        firn::Parameters q = p;
        if (!sleeps) q.sleep_after = 0;
        Engine engine(q, "cpu");
        engine.add_body(ground(p.spacing));
        firn::Body blade;
        blade.name = "blade";
        blade.motion = firn::Motion::rigid;
        blade.friction = 0.1f;
        for (int j = 1; j < 20; ++j)
            for (int k = -24; k <= 24; ++k)
                blade.position.push_back(
                    {static_cast<float>(-0.02 * std::abs(k)), static_cast<float>(j * dx), static_cast<float>(k * dx)});
        blade.placement.translation[0] = -10;
        const firn::BodyId id = engine.add_body(blade);
        engine.upload(settled);
        Outcome outcome;
        double asleep = 0;
        const int frames = 6;
        for (int frame = 1; frame <= frames; ++frame) {
            firn::Transform to = blade.placement;
            to.translation[0] = -10 + 5.0 / 24 * frame;
            engine.move_body(id, to);
            const double start = cpu_seconds();
            const firn::FrameReport report = engine.advance(1.0 / 24);
            outcome.seconds += cpu_seconds() - start;
            asleep += static_cast<double>(report.asleep) / frames;
        }
        Particles snow;
        engine.download(snow);
        // Where the blade went.
        Particles near;
        for (size_t i = 0; i < snow.count(); ++i)
            if (std::abs(settled.position[i].x + 9.4f) < 1.0f) near.position.push_back(snow.position[i]);
        take_percentiles(near, outcome.place);
        outcome.substeps = asleep / static_cast<double>(snow.count());
        return outcome;
    };
    const Outcome awake = drive(false), slept = drive(true);
    figures.add("street_speedup", awake.seconds / slept.seconds,
                "480,060 particles, a plough at 5 m/s, all awake over Auto Sleep (goal 8)");
    figures.add("street_asleep", slept.substeps, "share of the particles that slept (0.9 or more)");
    figures.add("street_shift", shift(awake, slept),
                "5th, 50th, 95th percentile of the place of the snow near the blade (goal 0.03)");
}

/// A sphere of triangles as fine as the samples.
void measure_sampling(Figures& figures) {
    const float spacing = 0.01f;
    const double radius = std::sqrt(1e6 * double(spacing) * spacing / (4 * 3.14159265358979323846));
    const firn::Mesh sphere = firn::sphere_mesh(static_cast<float>(radius));
    firn::SurfaceSettings settings;
    settings.spacing = spacing;
    const double start = cpu_seconds(), wall = seconds_now();
    const size_t count = firn::sample_surface(sphere, settings).position.size();
    figures.add("sample_1m_s", (cpu_seconds() - start) * 1e6 / static_cast<double>(count),
                "CPU time for a million boundary samples of a sphere (goal 6)");
    figures.add("sample_1m_wall_s", (seconds_now() - wall) * 1e6 / static_cast<double>(count), "");
}

void measure_check(Figures& figures, const fs::path& examples, const fs::path& firn) {
    double slowest = 0;
    std::string which;
    for (const fs::directory_entry& entry : fs::directory_iterator(examples)) {
        if (entry.path().extension() != ".toml") continue;
        rusage before{}, after{};
        getrusage(RUSAGE_CHILDREN, &before);
        const std::string command = "'" + firn.string() + "' check '" + entry.path().string() + "' > /dev/null";
        if (std::system(command.c_str()) != 0) throw firn::Error(command + " failed");
        getrusage(RUSAGE_CHILDREN, &after);
        const auto seconds = [](const timeval& t) {
            return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
        };
        const double took =
            seconds(after.ru_utime) + seconds(after.ru_stime) - seconds(before.ru_utime) - seconds(before.ru_stime);
        if (took <= slowest) continue;
        slowest = took;
        which = entry.path().stem().string();
    }
    figures.add("check_s", slowest, ("CPU time of `firn check`, slowest example: " + which + " (goal 1)").c_str());
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 3) {
        std::fprintf(stderr,
                     "usage: firn_scale FIGURES.json EXAMPLES [ground|wall|rest|street|sampling|check]...\n"
                     "  the file is made, or added to; all but wall unless some are named\n");
        return 1;
    }
    const std::vector<std::string> wanted(argv + 3, argv + argc);
    const auto wants = [&](const char* part) {
        return wanted.empty() || std::find(wanted.begin(), wanted.end(), part) != wanted.end();
    };
    Figures figures(argv[1]);
    const fs::path examples = argv[2], firn = fs::read_symlink("/proc/self/exe").parent_path() / "firn";
    const fs::path scratch = fs::temp_directory_path() / ("firn_scale." + std::to_string(getpid()));
    fs::create_directories(scratch);
    // Before anything starts threads here: it forks.
    if (wants("ground")) measure_ground(figures, examples, scratch);
    if (!wanted.empty() && wants("wall")) measure_wall(figures, examples);
    if (wants("rest")) measure_rest(figures);
    if (wants("street")) measure_street(figures);
    if (wants("sampling")) measure_sampling(figures);
    if (wants("check")) measure_check(figures, examples, firn);
    fs::remove_all(scratch);
    if (!figures.write()) {
        std::fprintf(stderr, "firn_scale: can't write %s\n", argv[1]);
        return 1;
    }
    std::printf("\nwritten to %s\n", argv[1]);
} catch (const std::exception& error) {
    std::fprintf(stderr, "firn_scale: %s\n", error.what());
    return 1;
}
