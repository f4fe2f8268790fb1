#include "cook_summary.h"

#include <algorithm>
#include <cstdio>

namespace firn {

CookSummary cook_summary(const EngineCache& cache, const FrameReport& report) {
    CookSummary summary;
    const Engine& engine = cache.engine();
    summary.device = engine.device();
    summary.notice = engine.notice();
    summary.snow_particles = engine.particle_count();
    summary.boundary_particles = cache.boundary_particles();
    summary.asleep = report.asleep;
    summary.bytes = engine.estimate(summary.snow_particles, summary.boundary_particles).needed;
    summary.substeps = static_cast<int>(report.substeps.size());
    summary.solves = report.solves();
    if (const std::vector<LimitSummary> limits = report.limits(); !limits.empty())
        summary.limit = std::to_string(limits.front().substeps) + " of " + std::to_string(summary.substeps) + " by " +
                        limit_text(limits.front().limit);
    for (const SubstepReport& substep : report.substeps) summary.speed = std::max(summary.speed, substep.speed);
    for (const std::string& warning : report.warnings)
        summary.warnings += (summary.warnings.empty() ? "" : "\n") + warning;
    return summary;
}

std::string substeps_and_iterations(const CookSummary& summary) {
    std::string text = std::to_string(summary.substeps) + " substeps";
    for (size_t k = 0; k < summary.solves.size(); ++k) {
        char part[64];
        std::snprintf(part, sizeof part, "%s%.1f %s", k ? " and " : "; ", summary.solves[k].iterations,
                      summary.solves[k].name);
        text += part;
    }
    return text + (summary.solves.empty() ? "" : " iterations each");
}

std::string particles_and_memory(const CookSummary& summary) {
    const std::string asleep = summary.asleep ? " (" + std::to_string(summary.asleep) + " asleep)" : "";
    char text[160];
    std::snprintf(text, sizeof text, "%llu snow%s and %llu boundary particles, about %.0f MB",
                  static_cast<unsigned long long>(summary.snow_particles), asleep.c_str(),
                  static_cast<unsigned long long>(summary.boundary_particles), double(summary.bytes) / 1e6);
    return text;
}

}  // namespace firn
