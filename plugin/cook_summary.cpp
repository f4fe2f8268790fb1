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
    summary.bytes = engine.estimate(summary.snow_particles, summary.boundary_particles).needed;
    summary.substeps = static_cast<int>(report.substeps.size());
    summary.pressure_iterations = report.pressure_iterations();
    summary.shear_iterations = report.shear_iterations();
    for (const SubstepReport& substep : report.substeps) {
        summary.pressure_iterations_most = std::max(summary.pressure_iterations_most, substep.pressure.iterations);
        summary.shear_iterations_most = std::max(summary.shear_iterations_most, substep.shear.iterations);
        summary.pressure_residual = std::max(summary.pressure_residual, substep.pressure.residual);
        summary.shear_residual = std::max(summary.shear_residual, substep.shear.residual);
        summary.speed = std::max(summary.speed, substep.speed);
    }
    for (const std::string& warning : report.warnings)
        summary.warnings += (summary.warnings.empty() ? "" : "\n") + warning;
    return summary;
}

std::string particles_and_memory(const CookSummary& summary) {
    char text[128];
    std::snprintf(text, sizeof text, "%llu snow and %llu boundary particles, about %.0f MB",
                  static_cast<unsigned long long>(summary.snow_particles),
                  static_cast<unsigned long long>(summary.boundary_particles), double(summary.bytes) / 1e6);
    return text;
}

}  // namespace firn
