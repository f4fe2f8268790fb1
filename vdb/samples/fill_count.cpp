#include <algorithm>
#include <cmath>

#include "firn/counts.h"
#include "samples/fill_plan.h"
#include "samples/fill_relaxed.h"
#include "samples/surface_sampling.h"

namespace firn {

namespace {

/// So few are placed, all but their relaxation.
constexpr double most_samples = 1500, most_places = 1e5;

InsideCount count_relaxed(const Mesh& mesh, const FillPlan& plan, const FillSettings& settings) {
    const MeshFacts& facts = plan.facts;
    const double volume = std::abs(facts.volume) / plan.worth, samples = expected_samples(facts, settings.spacing);
    if (facts.closed && samples < most_samples && volume < most_places)
        return {static_cast<double>(relaxed_count(mesh, facts, plan.lattice, plan.inside_out)), true};
    if (!facts.closed) return {count_inside(mesh, facts, plan.lattice, plan.inside_out).places, false};
    // What is thinner than a spacing gets one sheet: half of the samples that its two sides have.
    return {std::max(volume, 0.5 * samples), false};
}

}  // namespace

Count count_filling(const Mesh& mesh, const FillSettings& settings) {
    FillPlan plan = fill_plan(mesh, settings);
    const InsideCount inside = settings.relaxed ? count_relaxed(mesh, plan, settings)
                                                : count_inside(mesh, plan.facts, plan.lattice, plan.inside_out);
    Count count;
    count.particles = std::round(inside.places);
    count.exact = inside.exact;
    count.bytes = fill_bytes(plan, settings, most_particles(plan));
    count.warnings = std::move(plan.warnings);
    warn_of_volume(plan, settings, count.particles, count.warnings);
    return count;
}

}  // namespace firn
