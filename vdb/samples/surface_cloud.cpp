#include "samples/surface_cloud.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <numeric>

#include "firn/error.h"
#include "samples/curve.h"

namespace firn {

namespace {

constexpr double points_per_sample = 24;
constexpr double cell_in_spacings = 1.25;

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

/// A triangle that stands on its longest edge.
struct LongTriangle {
    Vec3 a, ab, ac;
    double foot;  ///< of the third corner, along the edge, 0..1

    LongTriangle(const Mesh& mesh, uint32_t triangle, const Vec3& low) {
        Vec3 corner[3];
        for (size_t i = 0; i < 3; ++i) corner[i] = wide(mesh.points[mesh.triangles[triangle][i]]) - low;
        size_t first = 0;
        double longest = -1;
        for (size_t i = 0; i < 3; ++i) {
            const double edge = length(corner[(i + 1) % 3] - corner[i]);
            if (edge > longest) {
                longest = edge;
                first = i;
            }
        }
        a = corner[first];
        ab = corner[(first + 1) % 3] - a;
        ac = corner[(first + 2) % 3] - a;
        foot = std::clamp(dot(ac, ab) / dot(ab, ab), 1e-6, 1 - 1e-6);
    }
    /// `left` of the area lies on one side of the row; `up` is the share of the row below the place.
    Vec3 at(double left, double up) const {
        const double u = left < foot ? std::sqrt(left * foot) : 1 - std::sqrt((1 - left) * (1 - foot));
        const double height = left < foot ? u / foot : (1 - u) / (1 - foot);
        // The row stands upright on the edge: along it by u, towards the third corner's height.
        return a + u * ab + (up * height) * (ac - foot * ab);
    }
};

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
    if (std::max({size.x, size.y, size.z}) / cloud.cell_size > cells_per_axis - 4) {
        throw Error("surface: it is more than two million spacings long; make the spacing larger or cut it in parts");
    }
    tbb::parallel_for(tbb::blocked_range<size_t>(0, order.size(), 64), [&](const tbb::blocked_range<size_t>& range) {
        for (size_t i = range.begin(); i < range.end(); ++i) {
            const uint32_t t = order[i];
            // A Fibonacci lattice: rows across the longest edge, each at the next golden part of its length. Even at
            // any count, in slivers too. Shifted, so that triangles differ.
            const LongTriangle shape(mesh, t, cloud.low);
            const double shift = fraction(0.7548776662466927 * t), points = first[i + 1] - first[i];
            for (uint32_t n = first[i]; n < first[i + 1]; ++n) {
                const double k = n - first[i];
                const Vec3 p = shape.at((k + 0.5) / points, fraction(shift + 0.6180339887498949 * k));
                position[n] = narrow(p);
                triangle[n] = t;
                keyed[n] = {cell_key(cloud.cell(p)), n};
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
    cloud.table = CellTable(keys);
    const CellTable& table = cloud.table;
    const uint32_t cells = static_cast<uint32_t>(keys.size());
    cloud.cell_at.resize(cells);
    cloud.neighbour_begin.assign(cells + 1, 0);
    const auto around = [&](uint32_t cell, auto&& visit) {
        const auto& [x, y, z] = cloud.cell_at[cell];
        for (int dz = -1; dz <= 1; ++dz) {
            for (int dy = -1; dy <= 1; ++dy) {
                for (int dx = -1; dx <= 1; ++dx) {
                    const uint32_t other = table.find(cell_key({x + dx, y + dy, z + dz}));
                    if (other != CellTable::none) visit(other);
                }
            }
        }
    };
    tbb::parallel_for(uint32_t(0), cells, [&](uint32_t cell) {
        cloud.cell_at[cell] = cell_of(keys[cell]);
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
