// Times a step of 1 M particles on this machine's card, for the GPU report. Without a card: says so, writes nothing.
// usage: gpu_measure OUT

#include <cstdio>

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
        firn::PhaseTimes total;
        constexpr int steps = 10;
        for (int k = 0; k < steps; ++k) {
            const firn::PhaseTimes t = engine.advance(gpu_scene::step_seconds).seconds;
            total.neighbours += t.neighbours;
            total.properties += t.properties;
            total.pressure += t.pressure;
            total.shear += t.shear;
            total.integrate += t.integrate;
        }
        const double to_ms = 1e3 / steps;
        const double all = total.neighbours + total.properties + total.pressure + total.shear + total.integrate;
        FILE* const out = std::fopen(argv[1], "w");
        if (!out) throw firn::Error(std::string("can't write ") + argv[1]);
        std::fprintf(out, "%zu %.4f %.4f %.4f %.4f %.4f %.4f\n%s\n", count, all * to_ms, total.neighbours * to_ms,
                     total.properties * to_ms, total.pressure * to_ms, total.shear * to_ms, total.integrate * to_ms,
                     engine.device().c_str());
        std::fclose(out);
    } catch (const firn::Error& error) {
        std::printf("No time on a card: %s\n", error.what());
    }
    return 0;
}
