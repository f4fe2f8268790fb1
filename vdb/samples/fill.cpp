#include <tbb/parallel_for.h>

#include <algorithm>

#include "firn/error.h"
#include "firn/samples.h"
#include "samples/fill_lattice.h"
#include "samples/fill_relaxed.h"
#include "samples/limits.h"
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

Filling fill_mesh(const Mesh& mesh, const FillSettings& settings) {
    require_fill_settings(settings);
    Filling filling;
    const MeshFacts facts = examine(mesh);
    if (mesh.triangles.empty()) throw Error("filling: the mesh has no triangles");
    require_spacing("filling", settings.spacing, facts);
    const double worth = double(settings.spacing) * settings.spacing * settings.spacing;
    const Lattice lattice = lattice_in(facts, settings.spacing);
    const double places = double(lattice.count[0]) * double(lattice.count[1]) * double(lattice.count[2]);
    const double most = facts.closed ? std::abs(facts.volume) / worth : places;
    require_memory("filling", most, settings.relaxed ? bytes_per_relaxed_particle : bytes_per_particle,
                   settings.spacing);

    const bool inside_out = facts.volume < 0;
    if (facts.degenerate_triangles > 0) {
        filling.warnings.push_back(std::to_string(facts.degenerate_triangles) +
                                   " triangles have no area and were passed over");
    }
    if (inside_out) filling.warnings.push_back("the mesh is inside out; it was filled as if it were turned");
    if (!facts.closed) {
        filling.warnings.push_back("the mesh is not closed (" + std::to_string(facts.open_edges) + " open, " +
                                   std::to_string(facts.non_manifold_edges) + " non-manifold, " +
                                   std::to_string(facts.turned_edges) +
                                   " turned edges); it was filled where it winds about more than half");
    }
    filling.position = settings.relaxed ? relaxed_inside(mesh, facts, lattice, inside_out)
                                        : lattice_inside(mesh, facts, lattice, inside_out);
    if (settings.jitter > 0 && !settings.relaxed) {
        const Winding winding(mesh);
        shake(filling.position, settings, [&](const Float3& p) {
            const double turns = winding(wide(p));
            return (inside_out ? -turns : turns) > 0.5;
        });
    }
    const double filled = static_cast<double>(filling.position.size()) * worth / std::abs(facts.volume);
    if (settings.relaxed && facts.closed && filled > 1.15) {
        filling.warnings.push_back("the particles hold " + percent(filled) +
                                   " of the mesh's volume: parts thinner than the spacing got a whole sheet of them");
    }
    if (!settings.relaxed && facts.closed && filled < 0.9) {
        filling.warnings.push_back("the particles hold only " + percent(filled) +
                                   " of the mesh's volume: it has parts thinner than the spacing; use a relaxed "
                                   "filling or a smaller spacing");
    }
    return filling;
}

}  // namespace firn
