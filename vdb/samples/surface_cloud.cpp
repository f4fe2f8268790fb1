#include "samples/surface_cloud.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <numeric>

#include "firn/error.h"
#include "samples/cell_order.h"
#include "samples/curve.h"

namespace firn {

namespace {

constexpr double most_points = 4;  ///< times that many, where the mesh is finer than its points
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

/// First the mean normal of every cell and the farthest from it; then, around each cell, the mean of the means.
void find_bends(SurfaceCloud& cloud) {
    const uint32_t cells = static_cast<uint32_t>(cloud.cells());
    struct Cone {
        Vec3 axis;
        double angle;
    };
    std::vector<Cone> cone(cells);
    tbb::parallel_for(tbb::blocked_range<uint32_t>(0, cells, 256), [&](const tbb::blocked_range<uint32_t>& range) {
        for (uint32_t cell = range.begin(); cell < range.end(); ++cell) {
            Vec3 sum;
            double least = 1;
            for (uint32_t point = cloud.cell_begin[cell]; point < cloud.cell_begin[cell + 1]; ++point) {
                sum = sum + wide(cloud.normal(point));
            }
            const Vec3 axis = unit(sum);
            for (uint32_t point = cloud.cell_begin[cell]; point < cloud.cell_begin[cell + 1]; ++point) {
                least = std::min(least, dot(axis, wide(cloud.normal(point))));
            }
            cone[cell] = {axis, std::acos(std::clamp(least, -1.0, 1.0))};
        }
    });
    cloud.bend.resize(cells);
    tbb::parallel_for(tbb::blocked_range<uint32_t>(0, cells, 256), [&](const tbb::blocked_range<uint32_t>& range) {
        for (uint32_t cell = range.begin(); cell < range.end(); ++cell) {
            const auto* const begin = cloud.neighbour.data() + cloud.neighbour_begin[cell];
            const auto* const end = cloud.neighbour.data() + cloud.neighbour_begin[cell + 1];
            Vec3 sum;
            for (const uint32_t* other = begin; other != end; ++other) sum = sum + cone[*other].axis;
            const Vec3 axis = unit(sum);
            double widest = 0;
            for (const uint32_t* other = begin; other != end; ++other) {
                const double aside = std::acos(std::clamp(dot(axis, cone[*other].axis), -1.0, 1.0));
                widest = std::max(widest, aside + cone[*other].angle);
            }
            cloud.bend[cell] = static_cast<float>(std::cos(std::min(widest, 3.14)));
        }
    });
}

void find_neighbours(SurfaceCloud& cloud) {
    constexpr uint32_t chunk_size = 1024;
    const uint32_t cells = static_cast<uint32_t>(cloud.cells()), chunks = (cells + chunk_size - 1) / chunk_size;
    cloud.neighbour_begin.assign(cells + 1, 0);
    std::vector<std::vector<uint32_t>> found(chunks);
    tbb::parallel_for(uint32_t(0), chunks, [&](uint32_t chunk) {
        for (uint32_t cell = chunk * chunk_size; cell < std::min(cells, (chunk + 1) * chunk_size); ++cell) {
            const auto& [x, y, z] = cloud.cell_at[cell];
            const size_t before = found[chunk].size();
            for (int around = 0; around < 27; ++around) {
                const Cell at{x + around % 3 - 1, y + around / 3 % 3 - 1, z + around / 9 - 1};
                const uint32_t other = cloud.table.find(cell_key(at));
                if (other != CellTable::none) found[chunk].push_back(other);
            }
            cloud.neighbour_begin[cell + 1] = static_cast<uint32_t>(found[chunk].size() - before);
        }
    });
    std::partial_sum(cloud.neighbour_begin.begin(), cloud.neighbour_begin.end(), cloud.neighbour_begin.begin());
    cloud.neighbour.reserve(cloud.neighbour_begin[cells]);
    for (const std::vector<uint32_t>& list : found) {
        cloud.neighbour.insert(cloud.neighbour.end(), list.begin(), list.end());
    }
}

}  // namespace

void require_cells(const MeshFacts& facts, float spacing) {
    const Vec3 size = wide(facts.high) - wide(facts.low);
    if (std::max({size.x, size.y, size.z}) / (cell_in_spacings * spacing) > cells_per_axis - 4) {
        throw Error("surface: it is more than two million spacings long; make the spacing larger or cut it in parts");
    }
}

SurfaceCloud surface_cloud(const Mesh& mesh, const MeshFacts& facts, float spacing, bool turned,
                           const std::vector<float>& stands_for) {
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
        area[t] = stands_for.empty() ? 0.5 * length(twice) : stands_for[t];
        const double longest = std::max({length(b - a), length(c - b), length(a - c)});
        share[t] = longest > 2 * gap && area[t] > 0 ? std::max(area[t], gap * longest) : area[t];
        cloud.triangle_normal[t] = narrow(turned ? -1.0 * unit(twice) : unit(twice));
    });
    double total = 0;
    for (size_t t = 0; t < triangles; ++t) total += share[t];
    if (!(total > 0)) throw Error("surface: the mesh has no area to put samples on");
    const double wanted = std::max(64.0, std::ceil(total / (gap * gap)));
    if (wanted > 4e9) throw Error("surface: more than 2^28 samples; make the spacing larger");
    const double each = total / wanted;

    // Every triangle gets points for what it is, so that they weigh as much as it is large. Only where there are far
    // more triangles than that, some get none: then the next along a curve has its share of a running sum.
    const bool crowded = double(triangles) > most_points * wanted;
    std::vector<uint32_t> order;
    if (crowded) {
        order = triangles_along_curve(mesh, facts, area);
    } else {
        for (uint32_t t = 0; t < triangles; ++t) {
            if (area[t] > 0) order.push_back(t);
        }
    }
    std::vector<uint32_t> first(order.size() + 1);
    double sum = 0;
    for (size_t i = 0; i < order.size(); ++i) {
        const double part = share[order[i]] / each;
        first[i] = static_cast<uint32_t>(std::floor(sum + (crowded ? 0.5 : 0)));
        sum += crowded ? most_points * part : std::max(1.0, std::round(part));
    }
    first[order.size()] = static_cast<uint32_t>(std::floor(sum + 0.5));
    const size_t count = first[order.size()];

    std::vector<Float3> position(count);
    std::vector<uint32_t> triangle(count);
    std::vector<float> weight(count);
    std::vector<uint64_t> key(count);
    require_cells(facts, spacing);
    tbb::parallel_for(tbb::blocked_range<size_t>(0, count, 4096), [&](const tbb::blocked_range<size_t>& range) {
        size_t i = static_cast<size_t>(std::upper_bound(first.begin(), first.end(), range.begin()) - first.begin()) - 1;
        for (size_t n = range.begin(); n < range.end(); ++i) {
            const uint32_t t = order[i];
            // A Fibonacci lattice: rows across the longest edge, each at the next golden part of its length. Even at
            // any count, in slivers too. Shifted, so that large triangles differ.
            const LongTriangle shape(mesh, t, cloud.low);
            const double points = first[i + 1] - first[i], shift = points < 8 ? 0.5 : fraction(0.7548776662466927 * t);
            const float each_weight =
                static_cast<float>(crowded ? each / most_points * area[t] / share[t] : area[t] / points);
            for (; n < std::min<size_t>(range.end(), first[i + 1]); ++n) {
                const double k = static_cast<double>(n - first[i]);
                const Vec3 p = shape.at((k + 0.5) / points, fraction(shift + 0.6180339887498949 * k));
                position[n] = narrow(p);
                triangle[n] = t;
                weight[n] = each_weight;
                key[n] = cell_key(cloud.cell(p));
            }
        }
    });
    CellOrder sorted = order_by_cell(key);
    cloud.position.resize(count);
    cloud.triangle.resize(count);
    cloud.weight.resize(count);
    tbb::parallel_for(tbb::blocked_range<size_t>(0, count, 4096), [&](const tbb::blocked_range<size_t>& range) {
        for (size_t i = range.begin(); i < range.end(); ++i) {
            cloud.position[i] = position[sorted.item[i]];
            cloud.triangle[i] = triangle[sorted.item[i]];
            cloud.weight[i] = weight[sorted.item[i]];
        }
    });
    cloud.cell_begin = std::move(sorted.begin);
    cloud.table = std::move(sorted.table);
    const uint32_t cells = static_cast<uint32_t>(sorted.keys.size());
    cloud.cell_at.resize(cells);
    for (uint32_t cell = 0; cell < cells; ++cell) cloud.cell_at[cell] = cell_of(sorted.keys[cell]);
    find_neighbours(cloud);
    find_bends(cloud);
    return cloud;
}

}  // namespace firn
