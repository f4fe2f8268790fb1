// firn::snow_step: one frame of snow. Stateless: what goes in says everything.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cook_interrupt.h"
#include "engine_cache.h"
#include "firn/error.h"
#include "snow_sop.h"

namespace firn {

namespace {

class SnowStep : public SnowSopCache {
public:
    SnowStep() : SnowSopCache(snow_step_table()) {}

    int64 getMemoryUsage(bool inclusive) const override {
        return (inclusive ? static_cast<int64>(sizeof *this) : 0) + static_cast<int64>(cache_.bytes());
    }

private:
    void cook_snow() override {
        CookInterrupt interrupt("Simulating snow");
        Parameters settings = engine_settings(table(), *this);
        const double seconds = real("timestep") * real("timescale");
        limit_substeps(settings, seconds);
        cache_.prepare(settings, text("device"));
        std::vector<PointBlock> blocks = point_blocks(*gdp);
        if (real("frame") <= real("start_frame") || seconds <= 0) return;
        cache_.upload(*gdp, blocks);
        const FrameReport report = cache_.advance(seconds, interrupt.observer());
        if (report.interrupted) throw Error("interrupted; cook again to simulate this frame");
        cache_.write(*gdp, blocks);
        for (const std::string& warning : report.warnings) warn(warning);
        tell(report, settings);
    }

    void limit_substeps(Parameters& settings, double seconds) const {
        if (settings.substeps > 0 || seconds <= 0) return;
        const auto fewest = static_cast<double>(integer("substeps_min")),
                   most = static_cast<double>(integer("substeps_max"));
        if (fewest > 0 && most > 0 && fewest > most)
            throw Error("substeps_min = " + std::to_string(integer("substeps_min")) +
                        " is more than substeps_max = " + std::to_string(integer("substeps_max")));
        if (fewest > 0) settings.dt_max = std::min(settings.dt_max, static_cast<float>(seconds / fewest));
        if (most > 0) settings.dt_min = std::max(settings.dt_min, static_cast<float>(seconds / most));
        settings.dt_min = std::min(settings.dt_min, settings.dt_max);
    }

    void tell(const FrameReport& report, const Parameters&) {
        const Engine& engine = cache_.engine();
        const MemoryEstimate memory = engine.estimate(engine.particle_count(), cache_.boundary_particles());
        char text[256];
        std::snprintf(text, sizeof text, "%llu snow and %llu boundary particles, about %.0f MB (%.0f MB free)\n",
                      static_cast<unsigned long long>(engine.particle_count()),
                      static_cast<unsigned long long>(cache_.boundary_particles()), double(memory.needed) / 1e6,
                      double(memory.available) / 1e6);
        std::string all = "Device: " + engine.device() + "\n";
        if (!engine.notice().empty()) all += engine.notice() + "\n";
        all += text;
        std::snprintf(text, sizeof text, "%d substeps; %.1f pressure and %.1f shear iterations each\n",
                      static_cast<int>(report.substeps.size()), report.pressure_iterations(),
                      report.shear_iterations());
        set_info(all + text);
    }

    EngineCache cache_;
};

}  // namespace

void add_snow_step(OP_OperatorTable* operators) {
    VerbSop<snow_step_table, SnowStep, SOP_NodeVerb::COOK_DUPLICATE>::add(operators);
}

}  // namespace firn
