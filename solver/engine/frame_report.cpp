#include "engine/frame_report.h"

#include <algorithm>
#include <cstdio>

namespace firn {

const SolveReport& SubstepReport::solve(const std::string& name) const {
    static const SolveReport none;
    for (const SolveReport& each : solves)
        if (name == each.name) return each;
    return none;
}

std::vector<SolveSummary> FrameReport::solves() const {
    std::vector<SolveSummary> all(substeps.empty() ? 0 : substeps.front().solves.size());
    for (const SubstepReport& s : substeps) {
        for (size_t k = 0; k < all.size(); ++k) {
            const SolveReport& solve = s.solves[k];
            all[k].name = solve.name;
            all[k].iterations += solve.iterations;
            all[k].iterations_most = std::max(all[k].iterations_most, solve.iterations);
            all[k].residual = std::max(all[k].residual, solve.residual);
        }
    }
    for (SolveSummary& solve : all) solve.iterations /= static_cast<double>(substeps.size());
    return all;
}

double FrameReport::iterations(const std::string& solve) const {
    double sum = 0;
    for (const SubstepReport& s : substeps) sum += s.solve(solve).iterations;
    return substeps.empty() ? 0 : sum / static_cast<double>(substeps.size());
}

double FrameReport::seconds(const std::string& phase) const {
    for (const PhaseTime& each : phases)
        if (phase == each.name) return each.seconds;
    return 0;
}

FrameReporter::FrameReporter(const MethodInfo& method, const Parameters& acting)
    : method_(method), acting_(acting), seconds_(method.phases.size(), 0.0), shortfalls_(method.solves.size()) {}

void FrameReporter::add(double dt, const StepResult& result, const Speed& speed) {
    SubstepReport substep;
    substep.dt = dt;
    substep.speed = result.speed;
    substep.relative_speed = std::max(speed.between, speed.approach);
    for (size_t k = 0; k < method_.solves.size(); ++k) {
        SolveReport solve = result.solves[k];
        solve.name = method_.solves[k].name;
        if (!solve.converged) {
            ++shortfalls_[k].substeps;
            shortfalls_[k].worst = std::max(shortfalls_[k].worst, solve.residual);
        }
        substep.solves.push_back(solve);
    }
    report.substeps.push_back(std::move(substep));
}

/// A solve that ended within ten times its tolerance moved the snow by nothing that shows: the report has its residual,
/// and the user no warning.
void FrameReporter::warn(const SolveInfo& solve, const Shortfall& fell) {
    if (!fell.substeps || fell.worst <= 10 * double(acting_.*solve.tolerance)) return;
    char residual[32];
    std::snprintf(residual, sizeof residual, "%.2g", fell.worst);
    const std::string name = solve.name;
    report.warnings.push_back("the " + name + " solve stopped at " + name + "_iterations_max in " +
                              std::to_string(fell.substeps) + " of " + std::to_string(report.substeps.size()) +
                              " substeps, at worst with a residual of " + residual +
                              "; shorten dt_max or allow more iterations");
}

FrameReport FrameReporter::finish() {
    for (size_t k = 0; k < method_.solves.size(); ++k) warn(method_.solves[k], shortfalls_[k]);
    for (size_t k = 0; k < method_.phases.size(); ++k) report.phases.push_back({method_.phases[k].name, seconds_[k]});
    return std::move(report);
}

}  // namespace firn
