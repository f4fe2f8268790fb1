// Google Benchmark: one step of the compression scene by size and lane width, and how fast particles go in and out.

#include <benchmark/benchmark.h>

#include <string>

#include "firn/engine.h"

namespace {

firn::Particles lattice(int side, float dx) {
    firn::Particles snow;
    for (int k = 0; k < side; ++k) {
        for (int j = 0; j < side; ++j) {
            for (int i = 0; i < side; ++i) snow.position.push_back({float(i) * dx, float(j) * dx, float(k) * dx});
        }
    }
    return snow;
}

void step(benchmark::State& state, const std::string& device, const char* solver) {
    firn::Parameters p;
    p.threads = 1;
    p.substeps = 1;
    firn::set_parameter(p, "solver", solver);
    try {
        firn::Engine engine(p, device);
        engine.upload(lattice(static_cast<int>(state.range(0)), p.spacing));
        for (auto _ : state) engine.advance(1e-3);
        state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(engine.particle_count()));
    } catch (const firn::Error& error) {
        state.SkipWithError(error.what());
    }
}

void transfer(benchmark::State& state) {
    firn::Engine engine;
    firn::Particles snow = lattice(static_cast<int>(state.range(0)), 0.02f);
    for (auto _ : state) {
        engine.upload(snow);
        engine.download(snow);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(snow.count()));
}

}  // namespace

BENCHMARK_CAPTURE(step, lanes8_split, "cpu:8", "split")->Arg(20)->Arg(46)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step, lanes8_combined, "cpu:8", "combined")->Arg(46)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step, lanes4_split, "cpu:4", "split")->Arg(46)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step, lanes1_split, "cpu:1", "split")->Arg(46)->Unit(benchmark::kMillisecond);
BENCHMARK(transfer)->Arg(46)->Unit(benchmark::kMillisecond);
