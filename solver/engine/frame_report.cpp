#include "engine/frame_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace firn {

namespace {

/// To one digit.
double rounded_down(double value) {
    const double unit = std::pow(10.0, std::floor(std::log10(value)));
    return std::floor(value / unit) * unit;
}

}  // namespace

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

std::vector<LimitSummary> FrameReport::limits() const {
    std::vector<LimitSummary> all;
    for (const SubstepReport& s : substeps) {
        const auto same = [&](const LimitSummary& known) {
            return known.limit.kind == s.limit.kind && known.limit.body_name == s.limit.body_name;
        };
        auto known = std::find_if(all.begin(), all.end(), same);
        if (known == all.end()) known = all.insert(known, {0, s.dt, s.limit});
        ++known->substeps;
        if (s.dt < known->dt) {
            known->dt = s.dt;
            known->limit = s.limit;
        }
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const LimitSummary& a, const LimitSummary& b) { return a.substeps > b.substeps; });
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

void FrameReporter::add(double dt, const StepResult& result, const Speed& speed, StepLimit limit) {
    SubstepReport substep;
    substep.dt = dt;
    substep.speed = result.speed;
    substep.relative_speed = std::max(speed.between, speed.approach);
    substep.limit = std::move(limit);
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
    report.warnings.push_back("the " + name + " solve did not reach " + name + "_tolerance in " +
                              std::to_string(fell.substeps) + " of " + std::to_string(report.substeps.size()) +
                              " substeps, at worst with a residual of " + residual + "; shorten dt_max or raise " +
                              name + "_iterations_max");
}

void FrameReporter::check_haste(double dt, const Speed& speed, const Sweep& sweep,
                                const std::vector<KnownBody>& bodies) {
    const double dx = acting_.spacing;
    // A body that goes a spacing finds the snow half a spacing above it; snow meets surfaces in two spacings' reach.
    const double by_body = sweep.met && dt > 1.001 * sweep.longest ? dt * sweep.speed / dx : 0;
    if (by_body > std::max(1.0, body_.spacings))
        body_ = {by_body, sweep.speed, acting_.cfl_flight * dx / sweep.speed, dt,
                 "body '" + bodies[sweep.body].body.name + "'"};
    const double relative = std::max(speed.between, speed.approach), flight = bodies.empty() ? 0 : speed.largest / 1.5;
    const double by_particles = dt * std::max(relative, flight) / dx;
    if (by_particles <= std::max(1.0, particles_.spacings)) return;
    const std::string who = std::string("the ") + method_.name;
    if (relative >= flight)
        particles_ = {by_particles, relative, acting_.cfl * dx / relative, dt, who + ", seen from what is beside it,"};
    else
        particles_ = {by_particles, speed.largest, acting_.cfl_flight * dx / speed.largest, dt, who};
}

void FrameReporter::check_sound(double dt, double wave_speed) {
    if (acting_.solver != Solver::explicit_step || wave_speed <= 0) return;
    stable_dt_ = acting_.spacing / wave_speed;
    if (dt > stable_dt_) explicit_dt_ = std::max(explicit_dt_, dt);
}

std::string FrameReporter::text(const Haste& h, const std::string& endangered) const {
    char numbers[96], remedy[80];
    std::snprintf(numbers, sizeof numbers,
                  " moves %.2g spacings in a substep of %.2g s (%.3g m/s) and may pass through ",
                  h.dt * h.speed / acting_.spacing, h.dt, h.speed);
    if (acting_.substeps > 0)
        std::snprintf(remedy, sizeof remedy, "set substeps to 0 (automatic) or at least %.0f",
                      std::ceil(acting_.substeps * h.dt / h.needed));
    else
        std::snprintf(remedy, sizeof remedy, "set dt_min to %.1g s or less", rounded_down(h.needed));
    return h.who + numbers + endangered + "; " + remedy;
}

FrameReport FrameReporter::finish() {
    if (body_.spacings > 0) report.warnings.push_back(text(body_, std::string("the ") + method_.name));
    if (particles_.spacings > 0) report.warnings.push_back(text(particles_, "surfaces"));
    if (explicit_dt_ > 0) {
        char numbers[160];
        std::snprintf(
            numbers, sizeof numbers,
            "solver = explicit is unstable in substeps of %.2g s: sound takes %.2g s for a spacing; set cfl_wave "
            "to 0.5, or use another solver",
            explicit_dt_, stable_dt_);
        report.warnings.push_back(numbers);
    }
    if (waking_ > 0)
        report.warnings.push_back("sleeping " + std::string(method_.name) + " went on waking in " +
                                  std::to_string(waking_) + " of " + std::to_string(report.substeps.size()) +
                                  " substeps, however often they were made again: what moves there may be held back by "
                                  "what sleeps beside it; raise sleep_after, or set it to 0 so that nothing sleeps");
    for (size_t k = 0; k < method_.solves.size(); ++k) warn(method_.solves[k], shortfalls_[k]);
    for (size_t k = 0; k < method_.phases.size(); ++k) report.phases.push_back({method_.phases[k].name, seconds_[k]});
    return std::move(report);
}

}  // namespace firn
