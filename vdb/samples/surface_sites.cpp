// Darts on a dense cloud of the surface's points, then relaxation after Lloyd, in which every site moves to the middle
// of what lies nearer to it than to any other. That alone leaves areas up to 40 % off: where cells with five and
// seven neighbours meet, round cells can't be equal ones. So sites also move along the gradient of the sum of the
// squares of what their areas differ by. Of a border of length L between the cells of x_i and x_j, with its middle at
// c,
//     dA_i / dx_i = L (c - x_i) / |x_i - x_j| = - dA_j / dx_i

#include "samples/surface_sites.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace firn {

namespace {

constexpr uint32_t nobody = SurfaceSites::nobody;
constexpr float dart_distance = 0.82f;  ///< spacings; leaves one site for every spacing^2 of a plane
constexpr float hole_distance = 0.9f;   ///< spacings; what is farther from all sites gets one
constexpr float nowhere = 1e30f;
constexpr uint32_t coarse = 3;  ///< of the cloud's points every third is enough while sites are far from their places

float square_distance(const Float3& a, const Float3& b) {
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return x * x + y * y + z * z;
}

/// Sites by cell of the cloud.
struct SitesByCell {
    std::vector<uint32_t> begin;  ///< cells + 1
    std::vector<uint32_t> site;
};
SitesByCell sorted_by_cell(const SurfaceCloud& cloud, const SurfaceSites& sites) {
    SitesByCell sorted;
    sorted.begin.assign(cloud.cells() + 1, 0);
    for (const uint32_t cell : sites.cell) ++sorted.begin[cell];
    uint32_t sum = 0;
    for (uint32_t& end : sorted.begin) end = sum += end;
    sorted.site.resize(sites.count());
    for (uint32_t i = static_cast<uint32_t>(sites.count()); i-- > 0;) sorted.site[--sorted.begin[sites.cell[i]]] = i;
    return sorted;
}

/// Adds points of the cloud as sites until none is farther than `distance` from all sites of its sheet; only every
/// `step`-th point is looked at. Cells of one colour don't see each other, so that they can be filled at the same time.
void throw_darts(const SurfaceCloud& cloud, SurfaceSites& sites, float distance, uint32_t step) {
    const SitesByCell sorted = sorted_by_cell(cloud, sites);
    constexpr int colours = 27;
    std::vector<uint32_t> coloured[colours];
    for (uint32_t cell = 0; cell < cloud.cells(); ++cell) {
        const auto& [x, y, z] = cloud.cell_at[cell];
        coloured[x % 3 + 3 * (y % 3) + 9 * (z % 3)].push_back(cell);
    }
    const float reach = distance * distance;
    std::vector<std::vector<uint32_t>> darts(cloud.cells());
    for (const std::vector<uint32_t>& cells : coloured) {
        tbb::parallel_for(
            tbb::blocked_range<size_t>(0, cells.size(), 64), [&](const tbb::blocked_range<size_t>& range) {
                std::vector<Float3> position, normal;
                for (size_t n = range.begin(); n < range.end(); ++n) {
                    const uint32_t cell = cells[n];
                    position.clear();
                    normal.clear();
                    for (uint32_t k = cloud.neighbour_begin[cell]; k < cloud.neighbour_begin[cell + 1]; ++k) {
                        const uint32_t other = cloud.neighbour[k];
                        for (const uint32_t dart : darts[other]) {
                            position.push_back(cloud.position[dart]);
                            normal.push_back(cloud.normal(dart));
                        }
                        for (uint32_t i = sorted.begin[other]; i < sorted.begin[other + 1]; ++i) {
                            position.push_back(sites.position[sorted.site[i]]);
                            normal.push_back(sites.normal[sorted.site[i]]);
                        }
                    }
                    for (uint32_t point = cloud.cell_begin[cell]; point < cloud.cell_begin[cell + 1]; point += step) {
                        const Float3 at = cloud.position[point], facing = cloud.normal(point);
                        bool free = true;
                        for (size_t i = 0; i < position.size() && free; ++i) {
                            free = square_distance(at, position[i]) >= reach || !same_sheet(facing, normal[i]);
                        }
                        if (!free) continue;
                        darts[cell].push_back(point);
                        position.push_back(at);
                        normal.push_back(facing);
                    }
                }
            });
    }
    for (uint32_t cell = 0; cell < cloud.cells(); ++cell) {
        for (const uint32_t dart : darts[cell]) {
            sites.position.push_back(cloud.position[dart]);
            sites.normal.push_back(cloud.normal(dart));
            sites.ground.push_back(dart);
            sites.cell.push_back(cell);
            sites.area.push_back(0);
        }
    }
}

/// What a site has of the points of one cell.
struct Share {
    uint32_t site = nobody;
    uint32_t point = nobody;  ///< the nearest
    float nearest = nowhere;  ///< its square distance
    float area = 0;           ///< m^2
    Float3 moment;            ///< m^3: the area times its middle, from the site
    Float3 push;
};

void add(Share& share, float area, const Float3& from_site) {
    share.area += area;
    share.moment = {share.moment.x + area * from_site.x, share.moment.y + area * from_site.y,
                    share.moment.z + area * from_site.z};
}

/// The shares of cells: lists, and for each cell where in which list its own are.
struct Shares {
    static constexpr uint32_t chunk = 256;  ///< cells, one after the other on one thread, with one list
    struct Place {
        uint32_t list, begin, end;
    };
    std::vector<std::vector<Share>> lists;
    std::vector<Place> of_cell;
};

/// A part of the surface, or all of it.
struct Region {
    std::vector<uint32_t> cells;
    std::vector<uint32_t> sites;  ///< all that they have lies in these cells
};

/// The sites of a cell and its surroundings.
struct NearSites {
    std::vector<uint32_t> site;
    std::vector<Float3> position;
    std::vector<Float3> normal;  ///< only where there is more than one sheet
    std::vector<float> area;

    void gather(const SurfaceCloud& cloud, const SurfaceSites& sites, const SitesByCell& sorted, uint32_t cell) {
        site.clear();
        for (uint32_t n = cloud.neighbour_begin[cell]; n < cloud.neighbour_begin[cell + 1]; ++n) {
            const uint32_t other = cloud.neighbour[n];
            site.insert(site.end(), sorted.site.begin() + sorted.begin[other],
                        sorted.site.begin() + sorted.begin[other + 1]);
        }
        const size_t count = site.size();
        position.resize(count);
        area.resize(count);
        for (size_t i = 0; i < count; ++i) {
            position[i] = sites.position[site[i]];
            area[i] = sites.area[site[i]];
        }
        if (cloud.one_sheet(cell)) return;
        normal.resize(count);
        for (size_t i = 0; i < count; ++i) normal[i] = sites.normal[site[i]];
    }
};

// Four at once, on every processor that has such registers.
using Four = float __attribute__((vector_size(16)));
using FourInts = int32_t __attribute__((vector_size(16)));

/// For each point of a cell the two nearest sites of its sheet. A square distance carries the number of its site in its
/// lowest bits, so that the smallest two are found without a branch.
class NearestTwo {
public:
    /// Points `from`, `from + step`, ... below `to`.
    void find(const SurfaceCloud& cloud, const NearSites& near, uint32_t cell, uint32_t step) {
        const uint32_t from = cloud.cell_begin[cell], to = cloud.cell_begin[cell + 1];
        count_ = (to - from + step - 1) / step;
        groups_ = (count_ + 3) / 4;
        if (x_.size() < groups_) {
            for (std::vector<Four>* list : {&x_, &y_, &z_, &first_, &second_}) list->resize(groups_);
        }
        float *const x = as_floats(x_), *const y = as_floats(y_), *const z = as_floats(z_);
        for (uint32_t p = 0; p < 4 * groups_; ++p) {
            const Float3& at = cloud.position[from + std::min(p, count_ - 1) * step];
            x[p] = at.x;
            y[p] = at.y;
            z[p] = at.z;
        }
        mask_ = 15;
        while (static_cast<size_t>(mask_) + 1 < near.site.size()) mask_ = 2 * mask_ + 1;
        for (uint32_t g = 0; g < groups_; ++g) first_[g] = second_[g] = Four{nowhere, nowhere, nowhere, nowhere};
        if (cloud.one_sheet(cell)) {
            compare(near, [](uint32_t, uint32_t, Four distance) { return distance; });
            return;
        }
        facing_.resize(3 * groups_);
        float* const facing = as_floats(facing_);
        for (uint32_t p = 0; p < 4 * groups_; ++p) {
            const Float3& n = cloud.normal(from + std::min(p, count_ - 1) * step);
            facing[12 * (p / 4) + p % 4] = n.x;
            facing[12 * (p / 4) + 4 + p % 4] = n.y;
            facing[12 * (p / 4) + 8 + p % 4] = n.z;
        }
        compare(near, [&](uint32_t s, uint32_t g, Four distance) {
            const Float3& n = near.normal[s];
            const Four turned = facing_[3 * g] * n.x + facing_[3 * g + 1] * n.y + facing_[3 * g + 2] * n.z;
            const Four far = {nowhere, nowhere, nowhere, nowhere};
            return turned > -0.5f ? distance : far;
        });
    }
    uint32_t count() const { return count_; }
    float x(uint32_t p) const { return x_[p / 4][p % 4]; }
    float y(uint32_t p) const { return y_[p / 4][p % 4]; }
    float z(uint32_t p) const { return z_[p / 4][p % 4]; }
    /// Square distances, m^2; `nowhere` or more if there is none.
    float first(uint32_t p) const { return first_[p / 4][p % 4]; }
    float second(uint32_t p) const { return second_[p / 4][p % 4]; }
    /// The site's number in the list, from its distance.
    uint32_t number(float distance) const {
        int32_t bits;
        std::memcpy(&bits, &distance, sizeof bits);
        return static_cast<uint32_t>(bits & mask_);
    }

private:
    static float* as_floats(std::vector<Four>& list) { return reinterpret_cast<float*>(list.data()); }

    template <class Allowed>
    void compare(const NearSites& near, const Allowed& allowed) {
        for (uint32_t s = 0; s < near.site.size(); ++s) {
            const Float3 at = near.position[s];
            const int32_t number = static_cast<int32_t>(s), mask = mask_;
            for (uint32_t g = 0; g < groups_; ++g) {
                const Four dx = x_[g] - at.x, dy = y_[g] - at.y, dz = z_[g] - at.z;
                const Four d = allowed(s, g, dx * dx + dy * dy + dz * dz);
                const Four tagged = reinterpret_cast<Four>((reinterpret_cast<FourInts>(d) & ~mask) | number);
                const Four nearest = first_[g], later = tagged > nearest ? tagged : nearest;
                second_[g] = later < second_[g] ? later : second_[g];
                first_[g] = tagged < nearest ? tagged : nearest;
            }
        }
    }

    std::vector<Four> x_, y_, z_, first_, second_, facing_;
    uint32_t count_ = 0, groups_ = 0;
    int32_t mask_ = 0;
};

/// `step`: every point of the cloud, or every second, third, ... which then stand for the others.
void find_shares(const SurfaceCloud& cloud, const SurfaceSites& sites, const SitesByCell& sorted, const Region& region,
                 uint32_t step, Shares& shares) {
    const uint32_t cells = static_cast<uint32_t>(region.cells.size()),
                   chunks = (cells + Shares::chunk - 1) / Shares::chunk;
    if (shares.lists.size() < chunks) shares.lists.resize(chunks);
    shares.of_cell.resize(cloud.cells());
    const float limit = 0.5f * nowhere;
    tbb::parallel_for(uint32_t(0), chunks, [&](uint32_t chunk) {
        std::vector<Share>& list = shares.lists[chunk];
        list.clear();
        NearSites near;
        NearestTwo two;
        std::vector<Share> local;
        for (uint32_t n = chunk * Shares::chunk; n < std::min(cells, (chunk + 1) * Shares::chunk); ++n) {
            const uint32_t cell = region.cells[n];
            near.gather(cloud, sites, sorted, cell);
            const uint32_t from = cloud.cell_begin[cell], to = cloud.cell_begin[cell + 1];
            two.find(cloud, near, cell, step);
            const float stands_for = static_cast<float>(to - from) / static_cast<float>(two.count());
            local.assign(near.site.size(), Share{});
            for (uint32_t p = 0; p < two.count(); ++p) {
                const float first = two.first(p), second = two.second(p);
                if (!(first < limit)) continue;
                const float weight = stands_for * cloud.weight[from + p * step];
                const uint32_t a = two.number(first);
                const Float3 to_a{two.x(p) - near.position[a].x, two.y(p) - near.position[a].y,
                                  two.z(p) - near.position[a].z};
                Share& mine = local[a];
                if (first < mine.nearest) {
                    mine.nearest = first;
                    mine.point = from + p * step;
                }
                float kept = weight;
                if (second < limit) {
                    // A point stands for a patch. The border between two sites cuts it where it passes.
                    const uint32_t b = two.number(second);
                    const float square = square_distance(near.position[a], near.position[b]), nearer = second - first;
                    if (nearer * nearer < square * weight) {
                        Share& other = local[b];
                        const Float3 to_b{two.x(p) - near.position[b].x, two.y(p) - near.position[b].y,
                                          two.z(p) - near.position[b].z};
                        // border / width, and width / apart
                        const float share = 0.5f * nearer / std::sqrt(square * weight),
                                    steepness = std::sqrt(weight / square);
                        kept = weight * (0.5f + share);
                        const float given = weight - kept;
                        add(other, given, to_b);
                        // What the larger of two gains where the border moves.
                        const float slope = (near.area[a] - near.area[b]) * steepness;
                        mine.push = {mine.push.x - slope * to_a.x, mine.push.y - slope * to_a.y,
                                     mine.push.z - slope * to_a.z};
                        other.push = {other.push.x + slope * to_b.x, other.push.y + slope * to_b.y,
                                      other.push.z + slope * to_b.z};
                    }
                }
                add(mine, kept, to_a);
            }
            const uint32_t begin = static_cast<uint32_t>(list.size());
            for (uint32_t s = 0; s < local.size(); ++s) {
                if (!(local[s].area > 0)) continue;
                local[s].site = near.site[s];
                list.push_back(local[s]);
            }
            shares.of_cell[cell] = {chunk, begin, static_cast<uint32_t>(list.size())};
        }
    });
}

/// All that a site has, in the order of the cells.
Share whole_share(const SurfaceCloud& cloud, const Shares& shares, uint32_t site, uint32_t cell) {
    Share sum;
    sum.site = site;
    for (uint32_t n = cloud.neighbour_begin[cell]; n < cloud.neighbour_begin[cell + 1]; ++n) {
        const Shares::Place& place = shares.of_cell[cloud.neighbour[n]];
        for (uint32_t i = place.begin; i < place.end; ++i) {
            const Share& part = shares.lists[place.list][i];
            if (part.site != site) continue;
            sum.area += part.area;
            sum.moment.x += part.moment.x;
            sum.moment.y += part.moment.y;
            sum.moment.z += part.moment.z;
            sum.push.x += part.push.x;
            sum.push.y += part.push.y;
            sum.push.z += part.push.z;
            if (part.nearest < sum.nearest) {
                sum.nearest = part.nearest;
                sum.point = part.point;
            }
        }
    }
    return sum;
}

/// One pass of relaxation.
struct Relaxation {
    float stride;   ///< of the way to the middle of what is nearest
    float push;     ///< of the way along which areas become equal fastest; 0.5 is still stable
    uint32_t step;  ///< through the cloud's points
};

/// First quickly and roughly into place; then for equal areas rather than for round cells.
constexpr Relaxation settling{1.3f, 0.3f, coarse}, evening{0.15f, 0.4f, 1};
constexpr int settling_passes = 6, evening_passes = 6, passes_each_round = 6, most_rounds = 20;
constexpr double tolerance = 0.13;    ///< of an area; the cloud knows areas to 3 %, and 20 % are allowed
constexpr float longest_move = 0.3f;  ///< spacings

/// Every site of the region moves and stays on the surface. Its area becomes what it was before the move.
void relax(const SurfaceCloud& cloud, SurfaceSites& sites, const SitesByCell& sorted, const Region& region,
           const Relaxation& how, Shares& shares) {
    find_shares(cloud, sites, sorted, region, how.step, shares);
    const float push = how.push / (cloud.spacing * cloud.spacing), longest = longest_move * cloud.spacing;
    tbb::parallel_for(tbb::blocked_range<size_t>(0, region.sites.size(), 512), [&](const auto& range) {
        for (size_t n = range.begin(); n < range.end(); ++n) {
            const uint32_t i = region.sites[n];
            const Share sum = whole_share(cloud, shares, i, sites.cell[i]);
            sites.area[i] = sum.area;
            if (sum.point == nobody) continue;
            const float middle = how.stride / sum.area;
            const Float3 move{middle * sum.moment.x + push * sum.push.x, middle * sum.moment.y + push * sum.push.y,
                              middle * sum.moment.z + push * sum.push.z};
            const float way = std::sqrt(square_distance(move, {})), kept = way > longest ? longest / way : 1.0f;
            const Float3 at{sites.position[i].x + kept * move.x, sites.position[i].y + kept * move.y,
                            sites.position[i].z + kept * move.z};
            const Float3 &ground = cloud.position[sum.point], &normal = cloud.normal(sum.point);
            const float above =
                (at.x - ground.x) * normal.x + (at.y - ground.y) * normal.y + (at.z - ground.z) * normal.z;
            sites.position[i] = {at.x - above * normal.x, at.y - above * normal.y, at.z - above * normal.z};
            sites.normal[i] = normal;
            sites.ground[i] = sum.point;
        }
    });
}

void measure(const SurfaceCloud& cloud, SurfaceSites& sites, const SitesByCell& sorted, const Region& region,
             Shares& shares) {
    find_shares(cloud, sites, sorted, region, 1, shares);
    tbb::parallel_for(tbb::blocked_range<size_t>(0, region.sites.size(), 512), [&](const auto& range) {
        for (size_t n = range.begin(); n < range.end(); ++n) {
            const uint32_t i = region.sites[n];
            sites.area[i] = whole_share(cloud, shares, i, sites.cell[i]).area;
        }
    });
}

/// The cells that sites have moved to.
void find_cells(const SurfaceCloud& cloud, SurfaceSites& sites, const Region& region) {
    tbb::parallel_for(tbb::blocked_range<size_t>(0, region.sites.size(), 512), [&](const auto& range) {
        for (size_t n = range.begin(); n < range.end(); ++n) {
            const uint32_t i = region.sites[n], point = sites.ground[i], before = sites.cell[i];
            for (uint32_t k = cloud.neighbour_begin[before]; k < cloud.neighbour_begin[before + 1]; ++k) {
                const uint32_t cell = cloud.neighbour[k];
                if (point >= cloud.cell_begin[cell] && point < cloud.cell_begin[cell + 1]) sites.cell[i] = cell;
            }
        }
    });
}

Region whole_surface(const SurfaceCloud& cloud, const SurfaceSites& sites) {
    Region all;
    all.cells.resize(cloud.cells());
    all.sites.resize(sites.count());
    std::iota(all.cells.begin(), all.cells.end(), 0u);
    std::iota(all.sites.begin(), all.sites.end(), 0u);
    return all;
}

/// These cells, those around them, and `rings` - 1 times more; the sites of all but the last ring.
Region around(const SurfaceCloud& cloud, const SitesByCell& sorted, std::vector<uint32_t> cells, int rings) {
    Region region;
    region.cells = std::move(cells);
    std::vector<char> taken(cloud.cells(), 0);
    for (const uint32_t cell : region.cells) taken[cell] = 1;
    size_t ring_begin = 0;
    for (int ring = 0; ring < rings; ++ring) {
        const size_t ring_end = region.cells.size();
        for (size_t n = ring_begin; n < ring_end; ++n) {
            const uint32_t cell = region.cells[n];
            region.sites.insert(region.sites.end(), sorted.site.begin() + sorted.begin[cell],
                                sorted.site.begin() + sorted.begin[cell + 1]);
            for (uint32_t k = cloud.neighbour_begin[cell]; k < cloud.neighbour_begin[cell + 1]; ++k) {
                const uint32_t other = cloud.neighbour[k];
                if (taken[other]) continue;
                taken[other] = 1;
                region.cells.push_back(other);
            }
        }
        ring_begin = ring_end;
    }
    return region;
}

/// Cells that hold a site whose area is uneven.
std::vector<uint32_t> uneven_cells(const SurfaceSites& sites, double mean) {
    std::vector<uint32_t> cells;
    for (size_t i = 0; i < sites.count(); ++i) {
        if (std::abs(sites.area[i] / mean - 1) > tolerance) cells.push_back(sites.cell[i]);
    }
    std::sort(cells.begin(), cells.end());
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
    return cells;
}

/// Leaves out sites with less than `least` m^2.
void drop_crowded(SurfaceSites& sites, double least) {
    size_t kept = 0;
    for (size_t i = 0; i < sites.count(); ++i) {
        if (sites.area[i] < least) continue;
        sites.position[kept] = sites.position[i];
        sites.normal[kept] = sites.normal[i];
        sites.ground[kept] = sites.ground[i];
        sites.cell[kept] = sites.cell[i];
        sites.area[kept] = sites.area[i];
        ++kept;
    }
    for (std::vector<Float3>* list : {&sites.position, &sites.normal}) list->resize(kept);
    for (std::vector<uint32_t>* list : {&sites.ground, &sites.cell}) list->resize(kept);
    sites.area.resize(kept);
}

/// One site for every spacing^2: corners and borders shift the count, so the distance is corrected, within limits that
/// leave no holes where the surface is thinner than a spacing. `darts` throws them at a distance in spacings, and
/// returns how many there are for every spacing^2.
template <class Darts>
double throw_at_distance(const Darts& darts) {
    float apart = dart_distance;
    double density = 0;
    for (int attempt = 0; attempt < 3; ++attempt) {
        density = darts(apart);
        if (std::abs(density - 1) < 0.02) break;
        apart = std::clamp(apart * static_cast<float>(std::sqrt(density)), 0.75f, 0.9f);
    }
    return density;
}

}  // namespace

SurfaceSites even_sites(const SurfaceCloud& cloud, double area) {
    const float spacing = cloud.spacing;
    SurfaceSites sites;
    throw_at_distance([&](float apart) {
        sites = {};
        throw_darts(cloud, sites, apart * spacing, coarse);
        return static_cast<double>(sites.count()) * spacing * spacing / area;
    });
    Shares shares;
    for (const Relaxation& how : {settling, evening}) {
        const Region all = whole_surface(cloud, sites);
        const int passes = how.step > 1 ? settling_passes : evening_passes;
        for (int pass = 0; pass < passes; ++pass) {
            // Areas are known after the first pass only.
            const float push = pass > 0 || how.step == 1 ? how.push : 0.0f;
            relax(cloud, sites, sorted_by_cell(cloud, sites), all, {how.stride, push, how.step}, shares);
            find_cells(cloud, sites, all);
        }
        if (how.step == 1) break;
        drop_crowded(sites, 0.5 * area / static_cast<double>(sites.count()));
        throw_darts(cloud, sites, hole_distance * spacing, coarse);
    }
    // Only a few neighbourhoods are still uneven; only those are moved further.
    const double mean = area / static_cast<double>(sites.count());
    for (int round = 0; round < most_rounds; ++round) {
        std::vector<uint32_t> cells = uneven_cells(sites, mean);
        if (cells.empty()) break;
        const SitesByCell before = sorted_by_cell(cloud, sites);
        const Region region = around(cloud, before, cells, 2);
        for (int pass = 0; pass < passes_each_round; ++pass) relax(cloud, sites, before, region, evening, shares);
        find_cells(cloud, sites, region);
        const SitesByCell after = sorted_by_cell(cloud, sites);
        measure(cloud, sites, after, around(cloud, after, std::move(cells), 4), shares);
    }
    return sites;
}

double sites_per_square(const std::vector<SurfacePatch>& patches) {
    return throw_at_distance([&](float apart) {
        double sum = 0;
        for (const SurfacePatch& patch : patches) {
            const SurfaceCloud& cloud = patch.cloud;
            const auto inside = [&](const Float3& p) {
                return p.x >= patch.low.x && p.y >= patch.low.y && p.z >= patch.low.z && p.x < patch.high.x &&
                       p.y < patch.high.y && p.z < patch.high.z;
            };
            SurfaceSites sites;
            throw_darts(cloud, sites, apart * cloud.spacing, coarse);
            double area = 0;
            for (size_t i = 0; i < cloud.position.size(); ++i) {
                if (inside(cloud.position[i])) area += cloud.weight[i];
            }
            const auto count = std::count_if(sites.position.begin(), sites.position.end(), inside);
            if (area > 0) sum += static_cast<double>(count) * cloud.spacing * cloud.spacing / area;
        }
        return sum / static_cast<double>(patches.size());
    });
}

std::vector<uint32_t> owners(const SurfaceCloud& cloud, const SurfaceSites& sites) {
    const SitesByCell sorted = sorted_by_cell(cloud, sites);
    std::vector<uint32_t> owner(cloud.position.size(), nobody);
    const uint32_t cells = static_cast<uint32_t>(cloud.cells());
    tbb::parallel_for(tbb::blocked_range<uint32_t>(0, cells, 64), [&](const tbb::blocked_range<uint32_t>& range) {
        NearSites near;
        NearestTwo two;
        for (uint32_t cell = range.begin(); cell < range.end(); ++cell) {
            near.gather(cloud, sites, sorted, cell);
            two.find(cloud, near, cell, 1);
            for (uint32_t p = 0; p < two.count(); ++p) {
                if (two.first(p) < 0.5f * nowhere) {
                    owner[cloud.cell_begin[cell] + p] = near.site[two.number(two.first(p))];
                }
            }
        }
    });
    return owner;
}

void measure_areas(const SurfaceCloud& cloud, SurfaceSites& sites) {
    Shares shares;
    measure(cloud, sites, sorted_by_cell(cloud, sites), whole_surface(cloud, sites), shares);
}

}  // namespace firn
