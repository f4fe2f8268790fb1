#include <tbb/parallel_for.h>

#include <algorithm>

#include "firn/error.h"
#include "firn/samples.h"
#include "samples/fill_plan.h"
#include "samples/fill_relaxed.h"
#include "samples/limits.h"
#include "samples/surface_sampling.h"
#include "samples/vec3.h"

namespace firn {

namespace {

constexpr double bytes_per_particle = 40, bytes_per_relaxed_particle = 160;  ///< while the filling is made

/// A number in [-1, 1) that depends on the particle, the axis and the seed alone.
float dice(uint64_t particle, uint64_t axis, uint64_t seed) {
    uint64_t x = (particle * 3 + axis + 1) * 0x9e3779b97f4a7c15ull ^ seed * 0xbf58476d1ce4e5b9ull;
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ull;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebull;
    x ^= x >> 31;
    return static_cast<float>(static_cast<double>(x >> 40) * (2.0 / 16777216) - 1);
}

void require_fill_settings(const FillSettings& settings) {
    if (!(settings.jitter >= 0 && settings.jitter <= 1)) {
        throw Error("filling: jitter must be 0 to 1, not " + std::to_string(settings.jitter));
    }
}

/// Moves every particle by up to `jitter` half spacings along each axis, unless that would leave the shape.
template <class Inside>
void shake(std::vector<Float3>& position, const FillSettings& settings, const Inside& inside) {
    if (settings.jitter == 0) return;
    const float reach = 0.5f * settings.jitter * settings.spacing;
    tbb::parallel_for(size_t(0), position.size(), [&](size_t i) {
        Float3 p = position[i];
        p.x += reach * dice(i, 0, settings.seed);
        p.y += reach * dice(i, 1, settings.seed);
        p.z += reach * dice(i, 2, settings.seed);
        if (inside(p)) position[i] = p;
    });
}

std::string percent(double share) {
    return std::to_string(static_cast<int>(std::lround(100 * share))) + " %";
}

}  // namespace

FillPlan fill_plan(const MeshFacts& facts, const FillSettings& settings) {
    require_fill_settings(settings);
    FillPlan plan;
    plan.facts = facts;
    if (!(facts.area > 0) && facts.degenerate_triangles == 0) throw Error("filling: the mesh has no triangles");
    require_spacing("filling", settings.spacing, facts);
    plan.lattice = lattice_in(facts, settings.spacing, !settings.relaxed);
    plan.worth = plan.lattice.cell();
    plan.inside_out = facts.volume < 0;
    if (facts.degenerate_triangles > 0) {
        plan.warnings.push_back(std::to_string(facts.degenerate_triangles) +
                                " triangles have no area and were passed over");
    }
    if (plan.inside_out) plan.warnings.push_back("the mesh is inside out; it was filled as if it were turned");
    if (!facts.closed) {
        const uint64_t counted = facts.open_edges + facts.non_manifold_edges + facts.turned_edges;
        plan.warnings.push_back("the mesh is not closed" +
                                (counted == 0 ? std::string()
                                              : " (" + std::to_string(facts.open_edges) + " open, " +
                                                    std::to_string(facts.non_manifold_edges) + " non-manifold, " +
                                                    std::to_string(facts.turned_edges) + " turned edges)") +
                                "; it was filled where it winds about more than half");
    }
    return plan;
}

double most_particles(const FillPlan& plan) {
    const auto& count = plan.lattice.count;
    const double places = double(count[0]) * double(count[1]) * double(count[2]);
    return std::max(1.0, plan.facts.closed ? std::abs(plan.facts.volume) / plan.worth : places);
}

double fill_bytes(const FillPlan& plan, const FillSettings& settings, double particles) {
    if (!settings.relaxed) return bytes_per_particle * particles;
    return bytes_per_relaxed_particle * particles + bytes_per_sample * expected_samples(plan.facts, settings.spacing);
}

void warn_of_volume(const FillPlan& plan, const FillSettings& settings, double particles,
                    std::vector<std::string>& warnings) {
    if (!plan.facts.closed) return;
    const double filled = particles * plan.worth / std::abs(plan.facts.volume);
    if (settings.relaxed && filled > 1.15) {
        warnings.push_back("the particles hold " + percent(filled) +
                           " of the mesh's volume: parts thinner than the spacing got a whole sheet of them");
    }
    if (!settings.relaxed && filled < 0.9) {
        warnings.push_back("the particles hold only " + percent(filled) +
                           " of the mesh's volume: it has parts thinner than the spacing; use a relaxed "
                           "filling or a smaller spacing");
    }
}

Filling fill_mesh(const Mesh& mesh, const FillSettings& settings) {
    FillPlan plan = fill_plan(examine(mesh), settings);
    const MeshFacts& facts = plan.facts;
    const Lattice& lattice = plan.lattice;
    const double most = most_particles(plan);
    require_memory("filling", most, fill_bytes(plan, settings, most) / most, settings.spacing, settings.memory_limit);

    Filling filling;
    filling.warnings = std::move(plan.warnings);
    filling.position = settings.relaxed ? relaxed_inside(mesh, facts, lattice, plan.inside_out, settings.memory_limit)
                                        : lattice_inside(mesh, facts, lattice, plan.inside_out, settings.memory_limit);
    if (settings.jitter > 0 && !settings.relaxed) {
        const Winding winding(mesh);
        shake(filling.position, settings, [&](const Float3& p) {
            const double turns = winding(wide(p));
            return (plan.inside_out ? -turns : turns) > 0.5;
        });
    }
    const double count = static_cast<double>(filling.position.size());
    filling.worth = worth_of_each(volume_inside(mesh, facts, lattice, plan.inside_out), count, settings.spacing);
    warn_of_volume(plan, settings, count, filling.warnings);
    return filling;
}

}  // namespace firn
