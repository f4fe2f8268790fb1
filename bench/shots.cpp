// The figures of docs/speed.md: speed per core, scaling, memory, and whole shots. Prints a table and writes JSON.
// Ratios are taken within one run; absolute times belong to the machine that is named beside them.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "firn/engine.h"

namespace {

using firn::Body;
using firn::Engine;
using firn::FrameReport;
using firn::Parameters;
using firn::Particles;

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Gissler 2020, 4.1.2: snow in a container under gravity, 3 cm, 1.5 ms. `side` particles along each edge of a square
/// column.
struct Compression {
    Compression(int side, int layers, int threads, const std::function<void(Parameters&)>& change = {})
        : engine(settings(threads, change), "cpu") {
        const float dx = spacing;
        Particles snow;
        for (int k = 0; k < side; ++k) {
            for (int j = 0; j < layers; ++j) {
                for (int i = 0; i < side; ++i) {
                    snow.position.push_back({(float(i) + 0.5f) * dx, (float(j) + 0.5f) * dx, (float(k) + 0.5f) * dx});
                }
            }
        }
        Body container;
        container.name = "container";
        for (int k = -2; k < side + 2; ++k) {
            for (int i = -2; i < side + 2; ++i) {
                container.position.push_back({(float(i) + 0.5f) * dx, -0.5f * dx, (float(k) + 0.5f) * dx});
            }
        }
        for (int j = 0; j < layers + 4; ++j) {
            for (int i = 0; i < side; ++i) {
                const float y = (float(j) + 0.5f) * dx, along = (float(i) + 0.5f) * dx;
                for (const float wall : {-0.5f * dx, (float(side) + 0.5f) * dx}) {
                    container.position.push_back({wall, y, along});
                    container.position.push_back({along, y, wall});
                }
            }
        }
        engine.add_body(container);
        engine.upload(snow);
        count = static_cast<double>(snow.count());
    }

    static Parameters settings(int threads, const std::function<void(Parameters&)>& change) {
        Parameters p;
        p.spacing = spacing;
        p.substeps = 1;
        p.threads = threads;
        if (change) change(p);
        return p;
    }

    /// Takes `steps` steps and adds up what they took.
    void run(int steps) {
        const double start = seconds_now();
        for (int step = 0; step < steps; ++step) {
            const FrameReport r = engine.advance(1.5e-3);
            phases.neighbours += r.seconds("neighbours");
            phases.properties += r.seconds("properties");
            phases.pressure += r.seconds("pressure");
            phases.shear += r.seconds("shear");
            phases.integrate += r.seconds("integrate");
            pressure_iterations += r.iterations("pressure");
            shear_iterations += r.iterations("shear");
            bytes = static_cast<double>(r.bytes);
        }
        seconds += seconds_now() - start;
        steps_taken += steps;
    }

    /// Rigid bodies that come nowhere near the snow: balls of 124 particles each, high above it.
    void add_far_bodies(int bodies) {
        const float dx = spacing;
        for (int b = 0; b < bodies; ++b) {
            Body ball;
            ball.name = "ball" + std::to_string(b);
            ball.motion = firn::Motion::rigid;
            for (int k = -3; k <= 3; ++k) {
                for (int j = -3; j <= 3; ++j) {
                    for (int i = -3; i <= 3; ++i) {
                        const int square = i * i + j * j + k * k;
                        if (square > 5 && square <= 10)
                            ball.position.push_back({float(i) * dx, float(j) * dx, float(k) * dx});
                    }
                }
            }
            ball.placement.translation[0] = 0.3 * (b % 20);
            ball.placement.translation[1] = 5 + 0.3 * (b / 20);
            engine.add_body(ball);
        }
    }

    double seconds_per_particle_step() const { return seconds / (count * steps_taken); }

    static constexpr float spacing = 0.03f;
    Engine engine;
    double count = 0, seconds = 0, steps_taken = 0, pressure_iterations = 0, shear_iterations = 0, bytes = 0;
    struct Phases {
        double neighbours = 0, properties = 0, pressure = 0, shear = 0, integrate = 0;
    } phases;
};

/// Shortest times of two scenes that take turns, so that both see the same weather: other work on the machine only ever
/// adds time.
std::pair<double, double> shortest(Compression& a, Compression& b, int rounds, int steps) {
    std::pair<double, double> best{1e30, 1e30};
    for (int round = 0; round < rounds; ++round) {
        const double a_before = a.seconds, b_before = b.seconds;
        a.run(steps);
        b.run(steps);
        best = {std::min(best.first, a.seconds - a_before), std::min(best.second, b.seconds - b_before)};
    }
    return best;
}

struct Shot {
    double seconds = 0;
    int substeps = 0;
};

/// A 1 m cube of 15,625 particles, its bottom at 2.5 m, dropped on a floor: 29 frames of 1/24 s.
Shot cube_drop(float stiffness, int threads) {
    Parameters p;
    p.spacing = 0.04f;
    p.threads = threads;
    p.young_modulus *= stiffness;
    Engine engine(p, "cpu");
    Particles snow;
    for (int k = 0; k < 25; ++k) {
        for (int j = 0; j < 25; ++j) {
            for (int i = 0; i < 25; ++i) {
                snow.position.push_back({(float(i) + 0.5f) * 0.04f - 0.5f, 2.5f + (float(j) + 0.5f) * 0.04f,
                                         (float(k) + 0.5f) * 0.04f - 0.5f});
            }
        }
    }
    Body floor;
    floor.name = "floor";
    for (int k = -50; k < 50; ++k) {
        for (int i = -50; i < 50; ++i)
            floor.position.push_back({(float(i) + 0.5f) * 0.04f, -0.02f, (float(k) + 0.5f) * 0.04f});
    }
    engine.add_body(floor);
    engine.upload(snow);
    Shot shot;
    const double start = seconds_now();
    for (int frame = 0; frame < 29; ++frame)
        shot.substeps += static_cast<int>(engine.advance(1.0 / 24).substeps.size());
    shot.seconds = seconds_now() - start;
    return shot;
}

struct Figures {
    std::vector<std::pair<std::string, double>> all;
    void add(const char* key, double value, const char* meaning) {
        std::printf("%-42s %12.4g   %s\n", key, value, meaning);
        std::fflush(stdout);
        all.emplace_back(key, value);
    }
    bool write(const char* path) const {
        const std::string temporary = std::string(path) + ".tmp";
        std::FILE* file = std::fopen(temporary.c_str(), "w");
        if (!file) return false;
        std::fprintf(file, "{\n");
        for (size_t k = 0; k < all.size(); ++k) {
            std::fprintf(file, "  \"%s\": %.6g%s\n", all[k].first.c_str(), all[k].second,
                         k + 1 < all.size() ? "," : "");
        }
        std::fprintf(file, "}\n");
        return std::fclose(file) == 0 && std::rename(temporary.c_str(), path) == 0;
    }
};

}  // namespace

int main(int argc, char** argv) try {
    const bool quick = argc > 2 && !std::strcmp(argv[2], "--quick");
    if (argc < 2 || argc > 3 || (argc == 3 && !quick)) {
        std::fprintf(stderr,
                     "usage: firn_shots OUT.json [--quick]   (--quick leaves out the five million particles)\n");
        return 1;
    }
    Figures figures;
    std::printf("device: %s\n\n", Engine({}, "cpu").device().c_str());

    {
        Compression c(46, 46, 1, [](Parameters& p) {
            // Exactly twenty iterations a step, so that the solve's fixed costs do not blur its speed.
            p.pressure_iterations_min = p.pressure_iterations_max = 20;
            p.pressure_warm_start = false;
        });
        c.run(1);
        c.phases = {};
        c.pressure_iterations = 0;
        c.run(5);
        figures.add("pressure_particle_iterations_per_s_core", c.count * c.pressure_iterations / c.phases.pressure,
                    "one core, 97,336 particles (goal 6e6)");
    }
    double cost_100k = 0;
    {
        Compression one(46, 46, 1), two(46, 46, 2);
        one.run(4);
        two.run(4);
        one.seconds = two.seconds = one.steps_taken = two.steps_taken = 0;
        one.phases = {};
        one.pressure_iterations = one.shear_iterations = 0;
        const auto [best_one, best_two] = shortest(one, two, 12, 2);
        cost_100k = one.seconds_per_particle_step();
        figures.add("step_particle_steps_per_s_core", 1 / cost_100k,
                    "one core, compression scene, 1.5 ms (goal 250e3)");
        figures.add("compression_pressure_iterations", one.pressure_iterations / one.steps_taken, "per step");
        figures.add("compression_shear_iterations", one.shear_iterations / one.steps_taken, "per step");
        const double total = one.seconds;
        figures.add("share_neighbours", one.phases.neighbours / total, "of the step's time");
        figures.add("share_properties", one.phases.properties / total, "");
        figures.add("share_pressure", one.phases.pressure / total, "");
        figures.add("share_shear", one.phases.shear / total, "");
        figures.add("share_integrate", one.phases.integrate / total, "");
        figures.add("threads_2_over_1", best_one / best_two, "times as fast (goal 1.9)");
        figures.add("bytes_per_particle", one.bytes / one.count, "all in, neighbour lists included (goal 800)");
    }
    {
        Compression none(46, 46, 1), many(46, 46, 1);
        many.add_far_bodies(300);
        none.run(3);
        many.run(3);
        const auto [best_none, best_many] = shortest(none, many, 10, 1);
        figures.add("bodies_300_cost", best_many / best_none, "300 bodies that touch nothing, over none (goal 1.05)");
    }
    if (!quick) {
        // As high as the small one, and both at the same steps of the scene, so that they take the same iterations.
        Compression large(330, 46, 1);
        std::vector<std::unique_ptr<Compression>> small;
        for (int k = 0; k < 10; ++k) small.push_back(std::make_unique<Compression>(46, 46, 1));
        const auto run_all = [&](int steps) {
            // Half of the small ones before the large one, half behind it: both see the same weather.
            for (int k = 0; k < 5; ++k) small[k]->run(steps);
            large.run(steps);
            for (int k = 5; k < 10; ++k) small[k]->run(steps);
        };
        run_all(3);  // the lists have grown to their size by then
        large.seconds = large.steps_taken = 0;
        for (const auto& each : small) each->seconds = each->steps_taken = 0;
        for (int round = 0; round < 3; ++round) run_all(1);
        double small_cost = 0;
        for (const auto& each : small) small_cost += each->seconds_per_particle_step() / 10;
        figures.add("cost_5m_over_100k", large.seconds_per_particle_step() / small_cost,
                    "per particle, one core (goal 1.2)");
    }
    {
        // In turns, the shorter of two each.
        Shot soft = cube_drop(1, 2), stiff = cube_drop(100, 2);
        soft.seconds = std::min(soft.seconds, cube_drop(1, 2).seconds);
        stiff.seconds = std::min(stiff.seconds, cube_drop(100, 2).seconds);
        figures.add("cube_drop_s", soft.seconds, "29 frames, two threads (goal 5)");
        figures.add("cube_drop_substeps", soft.substeps, "");
        figures.add("cube_drop_stiffness_x100_cost", stiff.seconds / soft.seconds, "times (goal 1.5; explicit: 10)");
    }
    if (!figures.write(argv[1])) {
        std::fprintf(stderr, "firn_shots: can't write %s\n", argv[1]);
        return 1;
    }
    std::printf("\nwritten to %s\n", argv[1]);
} catch (const firn::Error& error) {
    std::fprintf(stderr, "firn_shots: %s\n", error.what());
    return 1;
}
