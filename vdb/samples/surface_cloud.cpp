#include "samples/surface_cloud.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <numeric>

#include "firn/error.h"
#include "samples/curve.h"

namespace firn {

namespace {

constexpr double points_per_sample = 16;
constexpr double cell_in_spacings = 1.25;
constexpr int axis_bits = 21;

uint64_t key_of(int64_t x, int64_t y, int64_t z) {
    return uint64_t(z) << 2 * axis_bits | uint64_t(y) << axis_bits | uint64_t(x);
}

/// Cells by their key.
class CellTable {
public:
    explicit CellTable(const std::vector<uint64_t>& keys) : keys_(keys) {
        size_t size = 16;
        while (size < 2 * keys.size()) size *= 2;
        table_.assign(size, 0);
        for (size_t i = 0; i < keys.size(); ++i) {
            size_t slot = hash(keys[i]) & (size - 1);
            while (table_[slot] != 0) slot = (slot + 1) & (size - 1);
            table_[slot] = static_cast<uint32_t>(i + 1);
        }
    }
    /// The cell's number, or cells() when there is none.
    uint32_t find(uint64_t key) const {
        const size_t mask = table_.size() - 1;
        for (size_t slot = hash(key) & mask; table_[slot] != 0; slot = (slot + 1) & mask) {
            if (keys_[table_[slot] - 1] == key) return table_[slot] - 1;
        }
        return static_cast<uint32_t>(keys_.size());
    }

private:
    static uint64_t hash(uint64_t key) {
        key *= 0x9e3779b97f4a7c15ull;
        return key ^ key >> 32;
    }
    const std::vector<uint64_t>& keys_;
    std::vector<uint32_t> table_;
};

/// The triangles that have an area, along a curve that fills space: equal steps on it are spread over the surface.
std::vector<uint32_t> triangles_along_curve(const Mesh& mesh, const MeshFacts& facts, const std::vector<double>& area) {
    struct Place {
        uint64_t code;
        uint32_t triangle;
        bool operator<(const Place& other) const {
            return code != other.code ? code < other.code : triangle < other.triangle;
        }
    };
    const Vec3 low = wide(facts.low), size = wide(facts.high) - low;
    const double scale = 2097151.0 / std::max({size.x, size.y, size.z, 1e-30});
    std::vector<Place> places;
    places.reserve(mesh.triangles.size());
    for (uint32_t t = 0; t < mesh.triangles.size(); ++t) {
        if (!(area[t] > 0)) continue;
        const auto& [a, b, c] = mesh.triangles[t];
        const Vec3 middle =
            (scale / 3) * (wide(mesh.points[a]) + wide(mesh.points[b]) + wide(mesh.points[c]) - 3.0 * low);
        places.push_back({spread_bits(static_cast<uint64_t>(middle.x)) |
                              spread_bits(static_cast<uint64_t>(middle.y)) << 1 |
                              spread_bits(static_cast<uint64_t>(middle.z)) << 2,
                          t});
    }
    tbb::parallel_sort(places.begin(), places.end());
    std::vector<uint32_t> order(places.size());
    for (size_t i = 0; i < places.size(); ++i) order[i] = places[i].triangle;
    return order;
}

double fraction(double x) {
    return x - std::floor(x);
}

}  // namespace

SurfaceCloud surface_cloud(const Mesh& mesh, const MeshFacts& facts, float spacing, bool turned) {
    SurfaceCloud cloud;
    cloud.low = wide(facts.low);
    cloud.spacing = spacing;
    cloud.cell_size = cell_in_spacings * spacing;
    const size_t triangles = mesh.triangles.size();
    const double gap = spacing / std::sqrt(points_per_sample);

    // A triangle narrower than the gap between points still gets a row of them along its length.
    std::vector<double> area(triangles), share(triangles);
    cloud.triangle_normal.resize(triangles);
    tbb::parallel_for(size_t(0), triangles, [&](size_t t) {
        const Vec3 a = wide(mesh.points[mesh.triangles[t][0]]), b = wide(mesh.points[mesh.triangles[t][1]]),
                   c = wide(mesh.points[mesh.triangles[t][2]]);
        const Vec3 twice = cross(b - a, c - a);
        area[t] = 0.5 * length(twice);
        const double longest = std::max({length(b - a), length(c - b), length(a - c)});
        share[t] = longest > 2 * gap && area[t] > 0 ? std::max(area[t], 0.5 * gap * longest) : area[t];
        cloud.triangle_normal[t] = narrow(turned ? -1.0 * unit(twice) : unit(twice));
    });
    const std::vector<uint32_t> order = triangles_along_curve(mesh, facts, area);
    double total = 0;
    for (const uint32_t t : order) total += share[t];
    if (!(total > 0)) throw Error("surface: the mesh has no area to put samples on");
    const double wanted = std::max(64.0, std::ceil(total / (gap * gap)));
    if (wanted > 4e9) throw Error("surface: more than 2^28 samples; make the spacing larger");
    const double each = total / wanted;

    // How many points each triangle gets: its share of a running sum, rounded as a whole.
    std::vector<uint32_t> first(order.size() + 1);
    double sum = 0;
    for (size_t i = 0; i < order.size(); ++i) {
        first[i] = static_cast<uint32_t>(std::min(wanted, std::floor(sum / each + 0.5)));
        sum += share[order[i]];
    }
    first[order.size()] = static_cast<uint32_t>(wanted);
    const size_t count = first[order.size()];

    std::vector<Float3> position(count);
    std::vector<uint32_t> triangle(count);
    struct Keyed {
        uint64_t key;
        uint32_t point;
        bool operator<(const Keyed& other) const { return key != other.key ? key < other.key : point < other.point; }
    };
    std::vector<Keyed> keyed(count);
    const Vec3 size = wide(facts.high) - cloud.low;
    if (std::max({size.x, size.y, size.z}) / cloud.cell_size > (1 << axis_bits) - 4) {
        throw Error("surface: it is more than two million spacings long; make the spacing larger or cut it in parts");
    }
    tbb::parallel_for(tbb::blocked_range<size_t>(0, order.size(), 64), [&](const tbb::blocked_range<size_t>& range) {
        for (size_t i = range.begin(); i < range.end(); ++i) {
            const uint32_t t = order[i];
            const Vec3 a = wide(mesh.points[mesh.triangles[t][0]]) - cloud.low,
                       ab = wide(mesh.points[mesh.triangles[t][1]]) - cloud.low - a,
                       ac = wide(mesh.points[mesh.triangles[t][2]]) - cloud.low - a;
            // The R2 sequence (the plastic number's powers): even at any count, and each axis by itself too, so that
            // slivers are covered along their length. Folded into the triangle; shifted, so that triangles differ.
            const double shift = fraction(0.6180339887498949 * t);
            for (uint32_t n = first[i]; n < first[i + 1]; ++n) {
                const double k = n - first[i];
                double u = fraction(0.5 + shift + 0.7548776662466927 * k), v = fraction(0.5 + 0.5698402909980532 * k);
                if (first[i + 1] - first[i] == 1) u = v = 1.0 / 3;
                if (u + v > 1) {
                    u = 1 - u;
                    v = 1 - v;
                }
                const Vec3 p = a + u * ab + v * ac;
                position[n] = narrow(p);
                triangle[n] = t;
                keyed[n] = {key_of(static_cast<int64_t>(p.x / cloud.cell_size) + 1,
                                   static_cast<int64_t>(p.y / cloud.cell_size) + 1,
                                   static_cast<int64_t>(p.z / cloud.cell_size) + 1),
                            n};
            }
        }
    });
    tbb::parallel_sort(keyed.begin(), keyed.end());
    cloud.position.resize(count);
    cloud.triangle.resize(count);
    cloud.weight.resize(count);
    tbb::parallel_for(tbb::blocked_range<size_t>(0, count, 4096), [&](const tbb::blocked_range<size_t>& range) {
        for (size_t i = range.begin(); i < range.end(); ++i) {
            const uint32_t t = triangle[keyed[i].point];
            cloud.position[i] = position[keyed[i].point];
            cloud.triangle[i] = t;
            cloud.weight[i] = static_cast<float>(each * area[t] / share[t]);
        }
    });

    std::vector<uint64_t> keys;
    for (size_t i = 0; i < count; ++i) {
        if (i > 0 && keyed[i].key == keyed[i - 1].key) continue;
        keys.push_back(keyed[i].key);
        cloud.cell_begin.push_back(static_cast<uint32_t>(i));
    }
    cloud.cell_begin.push_back(static_cast<uint32_t>(count));
    const CellTable table(keys);
    const int64_t mask = (1 << axis_bits) - 1;
    const uint32_t cells = static_cast<uint32_t>(keys.size());
    cloud.cell_at.resize(cells);
    cloud.neighbour_begin.assign(cells + 1, 0);
    const auto around = [&](uint32_t cell, auto&& visit) {
        const auto& [x, y, z] = cloud.cell_at[cell];
        for (int dz = -1; dz <= 1; ++dz) {
            for (int dy = -1; dy <= 1; ++dy) {
                for (int dx = -1; dx <= 1; ++dx) {
                    const uint32_t other = table.find(key_of(x + dx, y + dy, z + dz));
                    if (other != cells) visit(other);
                }
            }
        }
    };
    tbb::parallel_for(uint32_t(0), cells, [&](uint32_t cell) {
        const int64_t key = static_cast<int64_t>(keys[cell]);
        cloud.cell_at[cell] = {static_cast<int32_t>(key & mask), static_cast<int32_t>(key >> axis_bits & mask),
                               static_cast<int32_t>(key >> 2 * axis_bits & mask)};
        around(cell, [&](uint32_t) { ++cloud.neighbour_begin[cell + 1]; });
    });
    std::partial_sum(cloud.neighbour_begin.begin(), cloud.neighbour_begin.end(), cloud.neighbour_begin.begin());
    cloud.neighbour.resize(cloud.neighbour_begin[cells]);
    tbb::parallel_for(uint32_t(0), cells, [&](uint32_t cell) {
        uint32_t at = cloud.neighbour_begin[cell];
        around(cell, [&](uint32_t other) { cloud.neighbour[at++] = other; });
    });
    return cloud;
}

}  // namespace firn
