// Times a step of 1 M particles on this machine's card, for the GPU report. Without a card: says so, writes nothing.
// usage: gpu_measure OUT

#include <cstdio>
#include <numeric>
#include <vector>

#include "firn/error.h"
#include "gpu_scene.h"

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: gpu_measure OUT\n");
        return 2;
    }
    std::remove(argv[1]);
    try {
        firn::Engine engine(gpu_scene::parameters({}), "cuda");
        const size_t count = gpu_scene::fill(engine, 100);
        for (int k = 0; k < 3; ++k) engine.advance(gpu_scene::step_seconds);
        std::vector<double> seconds(engine.method().phases.size());
        constexpr int steps = 10;
        for (int step = 0; step < steps; ++step) {
            const firn::FrameReport report = engine.advance(gpu_scene::step_seconds);
            for (size_t k = 0; k < seconds.size(); ++k) seconds[k] += report.phases[k].seconds;
        }
        const double to_ms = 1e3 / steps;
        const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
        FILE* const out = std::fopen(argv[1], "w");
        if (!out) throw firn::Error(std::string("can't write ") + argv[1]);
        std::fprintf(out, "%zu %.4f", count, all * to_ms);
        for (const double each : seconds) std::fprintf(out, " %.4f", each * to_ms);
        std::fprintf(out, "\n%s\n", engine.device().c_str());
        std::fclose(out);
    } catch (const firn::Error& error) {
        std::printf("No time on a card: %s\n", error.what());
    }
    return 0;
}
