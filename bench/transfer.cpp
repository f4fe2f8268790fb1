// firn_transfer: how long a million particles take into and out of a Houdini detail, beside one step of the engine. The
// detail is that of the fake (tests/hdk), whose attributes are pages as Houdini's are.
// usage: firn_transfer [PARTICLES ALONG ONE EDGE = 100]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "firn/engine.h"
#include "particle_transfer.h"

namespace {

double seconds(const std::function<void()>& work) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    work();
    return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
    const int edge = argc > 1 ? std::atoi(argv[1]) : 100;
    firn::Parameters parameters;
    parameters.substeps = 1;
    firn::Particles snow;
    for (int z = 0; z < edge; ++z)
        for (int y = 0; y < edge; ++y)
            for (int x = 0; x < edge; ++x)
                snow.position.push_back(
                    {0.02f * static_cast<float>(x), 0.02f * static_cast<float>(y), 0.02f * static_cast<float>(z)});
    firn::Engine engine(parameters, "cpu");
    engine.upload(snow);
    // The first step sorts; a later one is like all others.
    engine.advance(1e-3);
    const double step = seconds([&] { engine.advance(1e-3); });
    engine.download(snow);

    GU_Detail detail;
    detail.appendPointBlock(static_cast<GA_Size>(snow.count()));
    const std::vector<firn::PointBlock> blocks = firn::point_blocks(detail);
    using firn::ArrayRole;
    double in = 1e9, out = 1e9;
    firn::Particles back;
    for (int k = 0; k < 5; ++k) {
        out = std::min(out, seconds([&] {
                           firn::write_particles(detail, blocks, snow, parameters,
                                                 {ArrayRole::required, ArrayRole::state, ArrayRole::result});
                       }));
        in = std::min(in, seconds([&] { firn::read_particles(detail, blocks, back); }));
    }
    std::printf("%zu particles: in %.1f ms, out %.1f ms; one step of one substep %.0f ms; in and out are %.3f of it\n",
                snow.count(), 1e3 * in, 1e3 * out, 1e3 * step, (in + out) / step);
    return 0;
}
