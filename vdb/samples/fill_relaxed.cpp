#include "samples/fill_relaxed.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "samples/cell_order.h"
#include "samples/surface_sampling.h"

namespace firn {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr int most_iterations = 40;
constexpr double cohesion = 4, adhesion = 0.2;  ///< beta and gamma of Kugelstadt 2021, section 9
constexpr double damping = 0.5;                 ///< all particles move at once: half of what each wants alone
constexpr double longest_move = 0.2;            ///< spacings in one iteration
constexpr int narrowest_gap = 11;               ///< twentieths of a spacing; particles nearer than that stay uneven
constexpr double gap_distance = 0.9;            ///< spacings between particles in gaps
constexpr double at_rest = 0.01;                ///< spacings; the mean move that ends the iterations

/// Particles sorted by cell.
struct ParticleCells {
    double size = 0;
    CellTable table;
    std::vector<uint32_t> begin;

    Cell cell(const Vec3& p) const {
        return {static_cast<int32_t>(p.x / size) + 2, static_cast<int32_t>(p.y / size) + 2,
                static_cast<int32_t>(p.z / size) + 2};
    }
    template <class Visit>
    void near(const Vec3& p, Visit&& visit) const {
        const Cell at = cell(p);
        for (int dz = -1; dz <= 1; ++dz) {
            for (int dy = -1; dy <= 1; ++dy) {
                for (int dx = -1; dx <= 1; ++dx) {
                    const uint32_t other = table.find(cell_key({at[0] + dx, at[1] + dy, at[2] + dz}));
                    if (other == CellTable::none) continue;
                    for (uint32_t i = begin[other]; i < begin[other + 1]; ++i) visit(i);
                }
            }
        }
    }
};

/// Sorts the particles themselves; `order` tells which was where.
ParticleCells sort_into_cells(std::vector<Vec3>& position, double size, std::vector<uint32_t>* order = nullptr) {
    ParticleCells cells;
    cells.size = size;
    std::vector<uint64_t> key(position.size());
    for (size_t i = 0; i < position.size(); ++i) key[i] = cell_key(cells.cell(position[i]));
    CellOrder sorted = order_by_cell(key);
    std::vector<Vec3> moved(position.size());
    for (size_t i = 0; i < position.size(); ++i) moved[i] = position[sorted.item[i]];
    position = std::move(moved);
    cells.begin = std::move(sorted.begin);
    cells.table = std::move(sorted.table);
    if (order) *order = std::move(sorted.item);
    return cells;
}

/// How deep a place lies below the surface, where it is within reach of it.
struct Depth {
    bool known = false;
    double depth = 0;    ///< m; negative = outside
    double allowed = 0;  ///< m; how deep the outermost particles lie here
    Vec3 normal;
};

/// The surface's cloud, and for each of its points how deep the outermost particles lie there, m.
struct Skin {
    const SurfaceCloud& cloud;
    std::vector<float> depth;
};

Skin skin_of(const SampledSurface& surface) {
    const std::vector<uint32_t> owner = owners(surface.cloud, surface.sites);
    Skin skin{surface.cloud, std::vector<float>(owner.size(), 0)};
    for (size_t i = 0; i < owner.size(); ++i) {
        if (owner[i] != SurfaceSites::nobody) skin.depth[i] = surface.depth[owner[i]];
    }
    return skin;
}

Depth depth_at(const Skin& skin, const Vec3& p) {
    const SurfaceCloud& cloud = skin.cloud;
    const Cell at = cloud.cell(p);
    const Float3 here = narrow(p);
    float best = std::numeric_limits<float>::max();
    uint32_t nearest = 0;
    for (int dz = -1; dz <= 1; ++dz) {
        for (int dy = -1; dy <= 1; ++dy) {
            for (int dx = -1; dx <= 1; ++dx) {
                const uint32_t cell = cloud.table.find(cell_key({at[0] + dx, at[1] + dy, at[2] + dz}));
                if (cell == CellTable::none) continue;
                for (uint32_t i = cloud.cell_begin[cell]; i < cloud.cell_begin[cell + 1]; ++i) {
                    const Float3& q = cloud.position[i];
                    const float d = (q.x - here.x) * (q.x - here.x) + (q.y - here.y) * (q.y - here.y) +
                                    (q.z - here.z) * (q.z - here.z);
                    if (d < best) {
                        best = d;
                        nearest = i;
                    }
                }
            }
        }
    }
    Depth found;
    if (best == std::numeric_limits<float>::max()) return found;
    found.known = true;
    found.normal = wide(cloud.normal(nearest));
    found.depth = dot(wide(cloud.position[nearest]) - p, found.normal);
    // Beside a re-entrant edge the plane of a face goes on where the face has ended: the distance counts there.
    const double gap = 0.25 * cloud.spacing;
    if (found.depth >= 0) found.depth = std::max(found.depth, std::sqrt(double(best)) - gap);
    found.allowed = skin.depth[nearest];
    return found;
}

/// Walls that are no whole number of spacings thick have room between their sheets, but not for one more. Adds
/// particles where the others are farthest, nearer to them than they will stay: the iterations make the room.
void fill_gaps(const Skin& skin, const std::vector<Float3>& lattice, double spacing, size_t wanted,
               std::vector<Vec3>& all) {
    const ParticleCells cells = sort_into_cells(all, spacing);
    struct Gap {
        int width = 0;       ///< from the nearest particle, twentieths of a spacing
        uint64_t order = 0;  ///< gaps of one width are taken here and there, not from one side
        Vec3 place;
        bool operator<(const Gap& other) const {
            return width != other.width ? width > other.width : order < other.order;
        }
    };
    // Eight places around each of the lattice's.
    std::vector<Gap> gaps(8 * lattice.size());
    tbb::parallel_for(size_t(0), gaps.size(), [&](size_t i) {
        const double aside = 0.25 * spacing;
        const Vec3 p = wide(lattice[i / 8]) - skin.cloud.low +
                       Vec3{i & 1 ? aside : -aside, i & 2 ? aside : -aside, i & 4 ? aside : -aside};
        const Depth here = depth_at(skin, p);
        double nearest = spacing;
        if (here.known && here.depth < 0.7 * here.allowed) nearest = 0;
        cells.near(p, [&](uint32_t other) { nearest = std::min(nearest, length(all[other] - p)); });
        gaps[i] = {static_cast<int>(20 * nearest / spacing), i * 0x9e3779b97f4a7c15ull, p};
    });
    gaps.erase(std::remove_if(gaps.begin(), gaps.end(), [](const Gap& gap) { return gap.width < narrowest_gap; }),
               gaps.end());
    tbb::parallel_sort(gaps.begin(), gaps.end());
    std::unordered_map<uint64_t, std::vector<Vec3>> added;
    for (const Gap& gap : gaps) {
        if (all.size() >= wanted) break;
        const Cell at = cells.cell(gap.place);
        bool free = true;
        for (int n = 0; n < 27 && free; ++n) {
            const auto found = added.find(cell_key({at[0] + n % 3 - 1, at[1] + n / 3 % 3 - 1, at[2] + n / 9 - 1}));
            if (found == added.end()) continue;
            for (const Vec3& other : found->second) free &= length(other - gap.place) > gap_distance * spacing;
        }
        if (!free) continue;
        added[cell_key(at)].push_back(gap.place);
        all.push_back(gap.place);
    }
}

/// The surface's samples, thinned where two sheets of them meet, and the lattice behind them: `wanted` in all, if it
/// can be.
std::vector<Vec3> seeds(const SampledSurface& surface, const Skin& skin, const std::vector<Float3>& lattice,
                        double spacing, double wanted) {
    const Vec3 low = surface.cloud.low;
    std::vector<Vec3> layer;
    for (size_t i = 0; i < surface.samples.position.size(); ++i) {
        layer.push_back(wide(surface.samples.position[i]) - low);
    }
    std::vector<uint32_t> order;
    const ParticleCells cells = sort_into_cells(layer, spacing, &order);
    // Where two sheets are one, one of them is enough; where they are up to a spacing apart, some of both.
    std::vector<char> kept(layer.size(), 1);
    for (uint32_t i = 0; i < layer.size(); ++i) {
        const bool thin = surface.depth[order[i]] < 0.49 * spacing;
        const double least = (thin ? 0.75 : 0.68) * spacing;
        cells.near(layer[i], [&](uint32_t other) {
            if (other < i && kept[other] && length(layer[other] - layer[i]) < least) kept[i] = 0;
        });
    }
    // Behind them the deepest places of the lattice, as many as the volume asks for. Places equally deep are taken here
    // and there, not from one side.
    struct Place {
        double depth;
        uint32_t number;
        bool operator<(const Place& other) const {
            return depth != other.depth ? depth > other.depth : number < other.number;
        }
    };
    std::vector<Place> places(lattice.size());
    tbb::parallel_for(size_t(0), lattice.size(), [&](size_t i) {
        const Vec3 p = wide(lattice[i]) - low;
        const Depth here = depth_at(skin, p);
        bool free = true;
        cells.near(p, [&](uint32_t other) { free &= !kept[other] || length(layer[other] - p) > 0.7 * spacing; });
        const double dither = double(i * 0x9e3779b97f4a7c15ull >> 11) / 9007199254740992.0;
        const double depth = here.known ? here.depth / spacing : 10;
        places[i] = {free ? depth + 0.15 * dither : -10, static_cast<uint32_t>(i)};
    });
    tbb::parallel_sort(places.begin(), places.end());
    const auto deeper = [&](double than) {
        return double(std::lower_bound(places.begin(), places.end(), Place{than, 0}) - places.begin());
    };
    std::vector<Vec3> all;
    for (uint32_t i = 0; i < layer.size(); ++i) {
        if (kept[i]) all.push_back(layer[i]);
    }
    const size_t inner = static_cast<size_t>(std::clamp(wanted - double(all.size()), deeper(1.4), deeper(0.8)));
    for (size_t i = 0; i < inner; ++i) all.push_back(wide(lattice[places[i].number]) - low);
    if (double(all.size()) < wanted) fill_gaps(skin, lattice, spacing, static_cast<size_t>(wanted), all);
    return all;
}

/// The cubic spline of the engine: support 2 spacings, lengths in spacings, so that V = 1 and rho0 = 1.
double kernel(double r) {
    const double q = 0.5 * r, outer = std::max(1 - q, 0.0), inner = std::max(0.5 - q, 0.0);
    return 1 / pi * (2 * outer * outer * outer - 8 * inner * inner * inner);
}
/// W'(r)
double kernel_slope(double r) {
    const double q = 0.5 * r, outer = std::max(1 - q, 0.0), inner = std::max(0.5 - q, 0.0);
    return 0.5 / pi * (-6 * outer * outer + 24 * inner * inner);
}

/// One iteration; the mean move in spacings.
double relax_once(const Skin& skin, std::vector<Vec3>& position, double spacing) {
    const ParticleCells cells = sort_into_cells(position, 2 * spacing);
    const size_t count = position.size();
    std::vector<double> stiffness(count);  // kappa / rho
    tbb::parallel_for(size_t(0), count, [&](size_t i) {
        double density = 0, squares = 0;
        Vec3 sum;
        cells.near(position[i], [&](uint32_t j) {
            const Vec3 x = (1 / spacing) * (position[i] - position[j]);
            const double r = length(x);
            if (r >= 2) return;
            density += kernel(r);  // Kugelstadt 2021, Eq. 32
            if (r == 0) return;
            const Vec3 gradient = kernel_slope(r) / r * x;
            sum = sum + gradient;
            squares += dot(gradient, gradient);
        });
        const double scale = dot(sum, sum) + squares;
        stiffness[i] = density > 1 && scale > 1e-6 ? (density - 1) / scale : 0;  // Eq. 34
    });
    std::vector<Vec3> moved(count);
    std::vector<double> way(count);
    tbb::parallel_for(size_t(0), count, [&](size_t i) {
        Vec3 move;  // Eq. 31
        cells.near(position[i], [&](uint32_t j) {
            const Vec3 x = (1 / spacing) * (position[i] - position[j]);
            const double r = length(x);
            if (r >= 2 || r == 0) return;
            const double pressure = -(stiffness[i] + stiffness[j]) * kernel_slope(r);  // Eq. 33
            move = move + (pressure - cohesion * (r - 1) * kernel(r)) / r * x;         // and Eq. 35
        });
        const Depth before = depth_at(skin, position[i]);
        if (before.known && before.depth > before.allowed) {
            // The surface that pulls is the one where the outermost particles lie. Eq. 36
            const double away = (before.depth - before.allowed) / spacing;
            move = move + adhesion * away * kernel(away) * before.normal;
        }
        move = damping * move;
        const double far = length(move);
        if (far > longest_move) move = longest_move / far * move;
        Vec3 place = position[i] + spacing * move;
        for (int corner = 0; corner < 3; ++corner) {  // up to three faces meet at most corners
            const Depth now = depth_at(skin, place);
            if (!now.known || now.depth >= now.allowed) break;
            place = place - (now.allowed - now.depth) * now.normal;
        }
        moved[i] = place;
        way[i] = length(place - position[i]) / spacing;
    });
    position = std::move(moved);
    double sum = 0;
    for (const double w : way) sum += w;
    return sum / static_cast<double>(count);
}

/// Where the particles begin, and the surface that holds them.
struct Start {
    SampledSurface surface;
    std::vector<float> skin_depth;
    std::vector<Vec3> position;
};

Start relaxation_start(const Mesh& mesh, const MeshFacts& facts, const Lattice& lattice, bool inside_out,
                       double memory_limit) {
    const float spacing = static_cast<float>(lattice.spacing);
    Start start;
    start.surface = sampled_surface(mesh, facts, spacing, 0.5 * lattice.spacing, inside_out);
    Skin skin = skin_of(start.surface);
    const std::vector<Float3> regular = lattice_inside(mesh, facts, lattice, inside_out, memory_limit);
    const double wanted =
        facts.closed ? std::abs(facts.volume) / std::pow(lattice.spacing, 3) : static_cast<double>(regular.size());
    start.position = seeds(start.surface, skin, regular, lattice.spacing, wanted);
    start.skin_depth = std::move(skin.depth);
    return start;
}

}  // namespace

std::vector<Float3> relaxed_inside(const Mesh& mesh, const MeshFacts& facts, const Lattice& lattice, bool inside_out,
                                   double memory_limit) {
    Start start = relaxation_start(mesh, facts, lattice, inside_out, memory_limit);
    const Skin skin{start.surface.cloud, std::move(start.skin_depth)};
    std::vector<Vec3>& position = start.position;
    for (int i = 0; i < most_iterations; ++i) {
        if (relax_once(skin, position, lattice.spacing) < at_rest) break;
    }
    std::vector<Float3> filled(position.size());
    for (size_t i = 0; i < filled.size(); ++i) filled[i] = narrow(skin.cloud.low + position[i]);
    return filled;
}

size_t relaxed_count(const Mesh& mesh, const MeshFacts& facts, const Lattice& lattice, bool inside_out) {
    return relaxation_start(mesh, facts, lattice, inside_out, 0).position.size();
}

}  // namespace firn
