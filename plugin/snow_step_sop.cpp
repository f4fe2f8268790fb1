// firn::snow_step: one frame of snow. Stateless: what goes in says everything.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "air.h"
#include "appearing_snow.h"
#include "body_loads.h"
#include "body_transfer.h"
#include "cook_interrupt.h"
#include "cook_summary.h"
#include "engine_cache.h"
#include "firn/air.h"
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
        const double frame = real("frame"), start = real("start_frame");
        const double seconds = real("timestep") * real("timescale");
        limit_substeps(settings, seconds);
        cache_.prepare(settings, text("device"));
        complete_ids(*gdp);
        const size_t before = static_cast<size_t>(gdp->getNumPoints());
        if (frame > start && seconds > 0) advance(interrupt, settings, seconds, (frame - 1 - start) * seconds);
        const size_t appeared =
            hasInput(1) ? add_appearing_snow(*gdp, *inputGeo(1), frame, frame <= start, settings) : 0;
        // Radius and age, for whoever looks at the particles.
        const std::vector<PointBlock> blocks = point_blocks(*gdp);
        grow_older(blocks, before, frame > start ? seconds : 0);
        if (!gdp->findAttribute(GA_ATTRIB_POINT, "pscale") && before + appeared > 0)
            write_floats(*gdp, blocks, "pscale", 1,
                         std::vector<float>(before + appeared, 0.5f * settings.spacing).data());
        warn_of_spacing(settings);
    }

    /// `clock`: the time of the frame's beginning, s.
    void advance(CookInterrupt& interrupt, const Parameters& settings, double seconds, double clock) {
        const std::vector<PointBlock> blocks = point_blocks(*gdp);
        const Float3& wind = settings.wind;
        bool windy = wind.x != 0 || wind.y != 0 || wind.z != 0 || settings.gusts > 0;
        EngineCache::Forces forces;
        // An input that is wired and empty, as the asset's is when nobody uses it, is no input.
        const GU_Detail* field = hasInput(3) ? inputGeo(3) : nullptr;
        if (field && field->getNumPoints() + field->getNumPrimitives() > 0)
            forces = [&](Particles& particles) { windy |= add_wind_and_forces(particles, *field); };
        cache_.upload(*gdp, blocks, forces);
        if (windy && !has_air(settings)) warn("the wind does nothing while Drag Law is Linear and Air Resistance is 0");
        cache_.set_bodies(hasInput(2) ? read_bodies(*inputGeo(2)) : std::vector<MovingBody>());
        const FrameReport report = cache_.advance(seconds, clock, interrupt.observer());
        if (report.interrupted) throw Error("interrupted; cook again to simulate this frame");
        cache_.write(*gdp, blocks);
        write_loads(*gdp, cache_);
        // Forces are no state: the next frame has its own.
        if (forces) cache_.forget();
        for (const std::string& warning : report.warnings) warn(warning);
        tell(report);
    }

    void grow_older(const std::vector<PointBlock>& blocks, size_t before, double seconds) {
        std::vector<float> age(point_count(blocks), 0.0f);
        if (age.empty()) return;
        const bool known = read_floats(*gdp, blocks, "age", 1, age.data());
        if (known && seconds <= 0) return;
        for (size_t i = 0; i < before; ++i) age[i] += static_cast<float>(seconds);
        write_floats(*gdp, blocks, "age", 1, age.data());
    }

    void warn_of_spacing(const Parameters& settings) {
        const float own = spacing_of(*gdp);
        if (own > 0 && std::abs(own - settings.spacing) > 0.01f * settings.spacing)
            warn("the particles are " + std::to_string(own) +
                 " m apart (twice their pscale), but Particle Spacing is " + std::to_string(settings.spacing) + " m");
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

    void tell(const FrameReport& report) {
        const CookSummary summary = cook_summary(cache_, report);
        const uint64_t free = cache_.engine().estimate(summary.snow_particles, summary.boundary_particles).available;
        char text[64];
        std::string all = "Device: " + summary.device + "\n";
        if (!summary.notice.empty()) all += summary.notice + "\n";
        std::snprintf(text, sizeof text, " (%.0f MB free)\n", double(free) / 1e6);
        all += particles_and_memory(summary) + text;
        all += substeps_and_iterations(summary) + "\n";
        if (!summary.limit.empty()) all += "Substeps set: " + summary.limit + "\n";
        set_info(all + "Snow taken anew from the geometry: " + std::to_string(cache_.uploads()) + " times\n");
    }

    EngineCache cache_;
};

}  // namespace

void add_snow_step(OP_OperatorTable* operators) {
    VerbSop<snow_step_table, SnowStep, SOP_NodeVerb::COOK_DUPLICATE>::add(operators);
}

}  // namespace firn
