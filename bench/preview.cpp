// How long a picture of a million particles takes, 1280 x 720: a layer of loose snow, each particle off its place by up
// to a quarter of a spacing, and some thousands of them thrown up.
//
//     firn_preview [THREADS [PICTURE.png]]
//
// Seconds on the clock, and seconds of all cores together: those say what a machine needs that does something else as
// well.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

#include "picture.h"
#include "preview.h"

namespace {

using firn::Float3;
using firn::PreviewFrame;

constexpr float spacing = 0.02f;

PreviewFrame layer() {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> off(-0.25f * spacing, 0.25f * spacing), unit(0, 1);
    PreviewFrame frame;
    frame.spacing = spacing;
    for (int i = 0; i < 200; ++i)
        for (int j = 0; j < 25; ++j)
            for (int k = 0; k < 200; ++k) {
                const Float3 rest{spacing * (static_cast<float>(i) - 100), spacing * (static_cast<float>(j) + 0.5f),
                                  spacing * (static_cast<float>(k) - 100)};
                Float3 p{rest.x + off(random), rest.y + off(random), rest.z + off(random)};
                if (j == 24 && unit(random) < 0.15f) p.y += unit(random) * unit(random);
                frame.births.rest.push_back(rest);
                frame.id.push_back(static_cast<int64_t>(frame.snow.size()));
                frame.snow.push_back(p);
            }
    frame.camera = firn::fit_camera({-2, 0, -2}, {2, 1, 2}, 1280.0f / 720);
    return frame;
}

}  // namespace

int main(int argc, char** argv) {
    const PreviewFrame frame = layer();
    firn::PreviewSettings settings;
    settings.threads = argc > 1 ? std::atoi(argv[1]) : 2;
    std::printf("%zu particles, 1280 x 720, %d threads\n", frame.snow.size(), settings.threads);
    for (const bool draft : {true, false}) {
        settings.quality = draft ? firn::PreviewQuality::draft : firn::PreviewQuality::usual;
        const auto start = std::chrono::steady_clock::now();
        const std::clock_t used = std::clock();
        const firn::Picture picture = firn::render_preview(frame, settings);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const double cores = static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC;
        std::printf("%-6s %5.2f s, %5.2f s of all cores\n", draft ? "draft" : "usual", seconds, cores);
        std::fflush(stdout);
        if (argc > 2) firn::write_png(draft ? std::string("draft_") + argv[2] : argv[2], picture);
    }
    return 0;
}
