// A layer of snow on any mesh: what a snowfall straight down would leave there. Columns of particles stand on the
// highest surface below the sky, where it is not too steep.

#include <algorithm>
#include <cmath>
#include <limits>

#include "firn/error.h"
#include "firn/samples.h"
#include "samples/counting.h"
#include "samples/limits.h"
#include "samples/thinned_file.h"
#include "samples/vec3.h"

namespace firn {

namespace {

constexpr double bytes_per_layer_particle = 20;  ///< while it is made
constexpr double most_columns = 1e9;
constexpr double most_looked_at = 1e6;  ///< columns of a count: where there are more, some stand for all

/// Where the columns stand: in rows over a mesh's box.
struct ColumnPlan {
    double count_x = 0, count_z = 0;
    double first_x = 0, first_z = 0, step_x = 0, step_z = 0;  ///< m

    double columns() const { return count_x * count_z; }
    double x(size_t i) const { return first_x + static_cast<double>(i) * step_x; }
    double z(size_t k) const { return first_z + static_cast<double>(k) * step_z; }
    size_t at(size_t i, size_t k) const { return k * static_cast<size_t>(count_x) + i; }
};

ColumnPlan column_plan(const MeshFacts& facts, const FillSettings& settings) {
    require_spacing("layer", settings.spacing, facts);
    if (settings.relaxed) throw Error("layer: on a mesh it can't be relaxed; take filling = \"relaxed\" out");
    ColumnPlan plan;
    const double spacing = settings.spacing;
    const Float3 &low = facts.low, &high = facts.high;
    const double size_x = double(high.x) - low.x, size_z = double(high.z) - low.z;
    const auto count = [&](double size) { return std::max(1.0, std::round(size / spacing)); };
    plan.count_x = count(size_x);
    plan.count_z = count(size_z);
    plan.step_x = sheet_distance(size_x, plan.count_x, spacing);
    plan.step_z = sheet_distance(size_z, plan.count_z, spacing);
    if (plan.columns() > most_columns) throw Error("layer: the mesh below it is too wide for its spacing");
    plan.first_x = 0.5 * (double(low.x) + high.x) - 0.5 * (plan.count_x - 1) * plan.step_x;
    plan.first_z = 0.5 * (double(low.z) + high.z) - 0.5 * (plan.count_z - 1) * plan.step_z;
    return plan;
}

/// Every `stride`-th column of every `stride`-th row, from the middle of the first ones on.
ColumnPlan thinned(const ColumnPlan& all, double stride) {
    ColumnPlan some = all;
    const auto count = [&](double of) { return std::max(1.0, std::floor(of / stride)); };
    some.count_x = count(all.count_x);
    some.count_z = count(all.count_z);
    some.step_x = stride * all.step_x;
    some.step_z = stride * all.step_z;
    const auto first = [&](double start, double of, double kept, double step) {
        return start + 0.5 * ((of - 1) - (kept - 1) * stride) * step;
    };
    some.first_x = first(all.first_x, all.count_x, some.count_x, all.step_x);
    some.first_z = first(all.first_z, all.count_z, some.count_z, all.step_z);
    return some;
}

/// The columns that a triangle is above or below: `visit(column, height, whether snow stays there)`.
template <class Visit>
void columns_through(const ColumnPlan& plan, const Vec3& a, const Vec3& b, const Vec3& c, const Visit& visit) {
    const Vec3 normal = cross(b - a, c - a);
    const double size = length(normal);
    if (!(std::fabs(normal.y) > 1e-9 * size)) return;  // seen edge-on from above
    // Whichever way the triangle faces: modellers leave meshes inside out.
    const bool flat = std::fabs(normal.y) >= least_upward_of_layers * size;
    const auto first = [](double from, double start, double step) {
        return static_cast<size_t>(std::max(0.0, std::ceil((from - start) / step)));
    };
    const size_t i0 = first(std::min({a.x, b.x, c.x}), plan.first_x, plan.step_x),
                 k0 = first(std::min({a.z, b.z, c.z}), plan.first_z, plan.step_z);
    const size_t nx = static_cast<size_t>(plan.count_x), nz = static_cast<size_t>(plan.count_z);
    for (size_t k = k0; k < nz && plan.z(k) <= std::max({a.z, b.z, c.z}); ++k)
        for (size_t i = i0; i < nx && plan.x(i) <= std::max({a.x, b.x, c.x}); ++i) {
            const double x = plan.x(i), z = plan.z(k);
            // The column lies on the same side of all edges.
            const auto side = [&](const Vec3& p, const Vec3& q) {
                return (q.x - p.x) * (z - p.z) - (q.z - p.z) * (x - p.x);
            };
            const double s0 = side(a, b), s1 = side(b, c), s2 = side(c, a);
            if (!((s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0))) continue;
            visit(plan.at(i, k), a.y - (normal.x * (x - a.x) + normal.z * (z - a.z)) / normal.y, flat);
        }
}

/// The same of a triangle that stands for others near it: a square about its middle, `times` as large as it is from
/// above.
template <class Visit>
void columns_about(const ColumnPlan& plan, const Corners& corners, double times, const Visit& visit) {
    const Vec3 a = wide(corners[0]), b = wide(corners[1]), c = wide(corners[2]);
    const Vec3 normal = cross(b - a, c - a), middle = 1.0 / 3 * (a + b + c);
    const double aside = 0.5 * std::sqrt(times * 0.5 * std::fabs(normal.y));
    const bool flat = std::fabs(normal.y) >= least_upward_of_layers * length(normal);
    const auto range = [&](double at, double first, double step, double count) {
        const double from = std::max(0.0, std::ceil((at - aside - first) / step)),
                     to = std::min(count - 1, std::floor((at + aside - first) / step));
        return std::pair<size_t, size_t>(static_cast<size_t>(from), static_cast<size_t>(std::max(from, to + 1)));
    };
    const auto [i0, i1] = range(middle.x, plan.first_x, plan.step_x, plan.count_x);
    const auto [k0, k1] = range(middle.z, plan.first_z, plan.step_z, plan.count_z);
    for (size_t k = k0; k < k1; ++k)
        for (size_t i = i0; i < i1; ++i) visit(plan.at(i, k), middle.y, flat);
}

/// What is highest in each column.
struct Tops {
    std::vector<float> top;     ///< m; -infinity = nothing there
    std::vector<uint8_t> flat;  ///< 1 = snow stays there

    explicit Tops(const ColumnPlan& plan) : top(static_cast<size_t>(plan.columns()), -INFINITY), flat(top.size(), 0) {}
    /// Whether it is higher than what was there.
    bool raise(size_t column, double height, bool is_flat) {
        if (!(static_cast<float>(height) > top[column])) return false;
        top[column] = static_cast<float>(height);
        flat[column] = is_flat;
        return true;
    }
    double covered() const { return static_cast<double>(std::count(flat.begin(), flat.end(), 1)); }
};

constexpr const char* nothing_below = "layer: the mesh below it has no triangles";

/// Only what it lies within.
MeshFacts extent(TriangleSource& ground) {
    constexpr float huge = std::numeric_limits<float>::max();
    MeshFacts facts;
    Float3 &low = facts.low, &high = facts.high;
    low = {huge, huge, huge};
    high = {-huge, -huge, -huge};
    bool found = false;
    ground.for_each([&](const Corners* triangles, size_t count) {
        found = found || count > 0;
        for (size_t t = 0; t < count; ++t)
            for (const Float3& p : triangles[t]) {
                low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
                high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
            }
    });
    if (!found) throw Error(nothing_below);
    return facts;
}

/// The columns in which snow stays.
double covered_by_all(TriangleSource& ground, const ColumnPlan& plan) {
    Tops tops(plan);
    ground.for_each([&](const Corners* triangles, size_t count) {
        for (size_t t = 0; t < count; ++t)
            columns_through(plan, wide(triangles[t][0]), wide(triangles[t][1]), wide(triangles[t][2]),
                            [&](size_t column, double height, bool flat) { tops.raise(column, height, flat); });
    });
    return tops.covered();
}

/// The same of a ground that shows only some of its triangles. Each covers more columns than it stands for, so that
/// hardly one is left out; and those beyond its edges are taken off again, which are twice as many where each is twice
/// as wide. Where they are many, the ground is too rugged for so few triangles.
double covered_about(TriangleSource& ground, const ColumnPlan& plan) {
    constexpr double times = 6, more_times = 4 * times, tolerance = 0.04;
    Tops tops(plan), wider(plan);
    const auto add = [&](const Corners& corners, double larger, Tops& to) {
        columns_about(plan, corners, larger * ground.each_stands_for(),
                      [&](size_t column, double height, bool flat) { to.raise(column, height, flat); });
    };
    ground.for_each([&](const Corners* triangles, size_t count) {
        for (size_t t = 0; t < count; ++t) {
            add(triangles[t], times, tops);
            add(triangles[t], more_times, wider);
        }
    });
    const double beyond = wider.covered() - tops.covered();
    if (std::abs(beyond) > tolerance * tops.covered()) throw TooFewTriangles();
    return tops.covered() - beyond;
}

/// m^2, seen from above, on which snow stays: by columns that are closer together than those of the particles.
double covered_area(const Mesh& ground, const ColumnPlan& plan) {
    const double finer = std::max(1.0, std::floor(std::sqrt(most_looked_at / plan.columns())));
    ColumnPlan fine = plan;
    fine.count_x *= finer;
    fine.count_z *= finer;
    fine.step_x /= finer;
    fine.step_z /= finer;
    fine.first_x += 0.5 * (fine.step_x - plan.step_x);
    fine.first_z += 0.5 * (fine.step_z - plan.step_z);
    MeshTriangles triangles(ground);
    return covered_by_all(triangles, fine) * fine.step_x * fine.step_z;
}

double layers_of(float thickness, float spacing) {
    if (!(thickness > 0) || !std::isfinite(thickness))
        throw Error("layer: the thickness must be a positive number of metres, not " + std::to_string(thickness));
    return std::max(1.0, std::round(double(thickness) / double(spacing)));
}

Count layer_count(double particles, const MeshFacts& ground) {
    Count count;
    count.particles = particles;
    count.bytes = particles * bytes_per_layer_particle;
    count.low = ground.low;
    count.high = ground.high;
    return count;
}

}  // namespace

Filling fill_layer(const Mesh& ground, float thickness, const FillSettings& settings) {
    const double layers = layers_of(thickness, settings.spacing);
    const MeshFacts facts = examine(ground);
    if (ground.triangles.empty()) throw Error(nothing_below);
    const ColumnPlan plan = column_plan(facts, settings);
    require_memory("layer", plan.columns(), 9, settings.spacing, settings.memory_limit);
    Tops tops(plan);
    std::vector<uint32_t> highest(tops.top.size());
    for (size_t t = 0; t < ground.triangles.size(); ++t) {
        const auto& [a, b, c] = ground.triangles[t];
        columns_through(plan, wide(ground.points[a]), wide(ground.points[b]), wide(ground.points[c]),
                        [&](size_t column, double height, bool flat) {
                            if (tops.raise(column, height, flat)) highest[column] = static_cast<uint32_t>(t);
                        });
    }
    require_memory("layer", tops.covered() * layers, bytes_per_layer_particle, settings.spacing, settings.memory_limit);
    Filling filling;
    const double step = double(thickness) / layers;
    for (size_t k = 0; k < static_cast<size_t>(plan.count_z); ++k)
        for (size_t i = 0; i < static_cast<size_t>(plan.count_x); ++i) {
            const size_t column = plan.at(i, k);
            if (!tops.flat[column]) continue;
            for (double j = 0; j < layers; ++j) {
                filling.position.push_back(narrow({plan.x(i), double(tops.top[column]) + (j + 0.5) * step, plan.z(k)}));
                filling.triangle.push_back(highest[column]);
            }
        }
    filling.worth = worth_of_each(covered_area(ground, plan) * thickness, static_cast<double>(filling.position.size()),
                                  settings.spacing);
    return filling;
}

Count count_layer(TriangleSource& ground, float thickness, const FillSettings& settings) {
    const double layers = layers_of(thickness, settings.spacing);
    const MeshFacts facts = extent(ground);
    const ColumnPlan all = column_plan(facts, settings);
    const double stride = std::max(1.0, std::ceil(std::sqrt(all.columns() / most_looked_at)));
    const ColumnPlan some = stride > 1 ? thinned(all, stride) : all;
    const double covered = ground.each_stands_for() > 1 ? covered_about(ground, some) : covered_by_all(ground, some);
    Count count = layer_count(std::round(covered * all.columns() / some.columns()) * layers, facts);
    count.exact = stride == 1 && ground.each_stands_for() == 1;
    return count;
}

Count count_layer_of(const MeshFacts& ground, float thickness, const FillSettings& settings,
                     const std::function<double()>& covered) {
    const double layers = layers_of(thickness, settings.spacing);
    const ColumnPlan plan = column_plan(ground, settings);
    return layer_count(std::round(covered() / (plan.step_x * plan.step_z)) * layers, ground);
}

double share_covered(double low_x, double low_z, double width, const NextFromAbove& next) {
    ColumnPlan places;
    places.count_x = places.count_z = 5;
    places.step_x = places.step_z = width / places.count_x;
    places.first_x = low_x + 0.5 * places.step_x;
    places.first_z = low_z + 0.5 * places.step_z;
    Tops tops(places);
    for (Mesh ground; next(*std::min_element(tops.top.begin(), tops.top.end()), ground); ground = Mesh())
        for (const auto& [a, b, c] : ground.triangles)
            columns_through(places, wide(ground.points[a]), wide(ground.points[b]), wide(ground.points[c]),
                            [&](size_t column, double height, bool flat) { tops.raise(column, height, flat); });
    return tops.covered() / places.columns();
}

Count count_layer(const Mesh& ground, float thickness, const FillSettings& settings) {
    MeshTriangles triangles(ground);
    return count_layer(triangles, thickness, settings);
}

Count count_mesh_layer(const std::string& path, float scale, const Transform& placed, float thickness,
                       const FillSettings& settings) {
    return of_file_triangles(path, scale, [&](TriangleSource& file) {
        PlacedTriangles triangles(file, placed);
        return count_layer(triangles, thickness, settings);
    });
}

Count count_layer_on(const Heightfield& ground, float thickness, const FillSettings& settings) {
    HeightfieldTriangles triangles(ground);
    return count_layer(triangles, thickness, settings);
}

Count count_layer_on(const HeightfieldLook& ground, float thickness, const FillSettings& settings) {
    if (ground.whole) return count_layer_on(ground.field, thickness, settings);
    const Float3 &low = ground.facts.low, &high = ground.facts.high;
    return count_layer_of(ground.facts, thickness, settings,
                          [&] { return ground.flat * (double(high.x) - low.x) * (double(high.z) - low.z); });
}

}  // namespace firn
