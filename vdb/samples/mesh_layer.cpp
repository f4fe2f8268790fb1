// A layer of snow on any mesh: what a snowfall straight down would leave there. Columns of particles stand on the
// highest surface below the sky, where it is not too steep.

#include <algorithm>
#include <cmath>

#include "firn/counts.h"
#include "firn/error.h"
#include "firn/samples.h"
#include "samples/limits.h"
#include "samples/vec3.h"

namespace firn {

namespace {

constexpr double bytes_per_layer_particle = 20;  ///< while it is made
/// Of the normal's upward part: snow stays on slopes of up to 60 degrees.
constexpr double least_upward = 0.5;
constexpr double most_columns = 1e9;

struct Columns {
    MeshFacts facts;
    size_t count_x = 0, count_z = 0;
    double first_x = 0, first_z = 0, spacing = 0;  ///< m
    std::vector<float> top;                        ///< m; -infinity = nothing there
    std::vector<uint32_t> triangle;
    std::vector<uint8_t> flat;  ///< 1 = snow stays there
    size_t covered = 0;

    double x(size_t i) const { return first_x + static_cast<double>(i) * spacing; }
    double z(size_t k) const { return first_z + static_cast<double>(k) * spacing; }
};

Columns columns_on(const Mesh& mesh, const FillSettings& settings) {
    Columns all;
    all.facts = examine(mesh);
    if (mesh.triangles.empty()) throw Error("layer: the mesh below it has no triangles");
    require_spacing("layer", settings.spacing, all.facts);
    if (settings.relaxed) throw Error("layer: on a mesh it can't be relaxed; take filling = \"relaxed\" out");
    all.spacing = settings.spacing;
    const Float3 &low = all.facts.low, &high = all.facts.high;
    const auto count = [&](double size) { return std::max(1.0, std::round(size / all.spacing)); };
    const double nx = count(double(high.x) - low.x), nz = count(double(high.z) - low.z);
    if (nx * nz > most_columns) throw Error("layer: the mesh below it is too wide for its spacing");
    all.count_x = static_cast<size_t>(nx);
    all.count_z = static_cast<size_t>(nz);
    all.first_x = 0.5 * (double(low.x) + high.x) - 0.5 * (nx - 1) * all.spacing;
    all.first_z = 0.5 * (double(low.z) + high.z) - 0.5 * (nz - 1) * all.spacing;
    require_memory("layer", nx * nz, 9, settings.spacing, settings.memory_limit);
    const size_t columns = all.count_x * all.count_z;
    all.top.assign(columns, -INFINITY);
    all.triangle.resize(columns);
    all.flat.assign(columns, 0);
    for (size_t t = 0; t < mesh.triangles.size(); ++t) {
        const Vec3 a = wide(mesh.points[mesh.triangles[t][0]]), b = wide(mesh.points[mesh.triangles[t][1]]),
                   c = wide(mesh.points[mesh.triangles[t][2]]);
        const Vec3 normal = cross(b - a, c - a);
        const double size = length(normal);
        if (!(std::fabs(normal.y) > 1e-9 * size)) continue;  // seen edge-on from above
        const auto first = [](double from, double start, double step) {
            return static_cast<size_t>(std::max(0.0, std::ceil((from - start) / step)));
        };
        const size_t i0 = first(std::min({a.x, b.x, c.x}), all.first_x, all.spacing),
                     k0 = first(std::min({a.z, b.z, c.z}), all.first_z, all.spacing);
        for (size_t k = k0; k < all.count_z && all.z(k) <= std::max({a.z, b.z, c.z}); ++k)
            for (size_t i = i0; i < all.count_x && all.x(i) <= std::max({a.x, b.x, c.x}); ++i) {
                const double x = all.x(i), z = all.z(k);
                // The column lies on the same side of all edges.
                const auto side = [&](const Vec3& p, const Vec3& q) {
                    return (q.x - p.x) * (z - p.z) - (q.z - p.z) * (x - p.x);
                };
                const double s0 = side(a, b), s1 = side(b, c), s2 = side(c, a);
                if (!((s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0))) continue;
                const double y = a.y - (normal.x * (x - a.x) + normal.z * (z - a.z)) / normal.y;
                const size_t column = k * all.count_x + i;
                if (!(static_cast<float>(y) > all.top[column])) continue;
                all.top[column] = static_cast<float>(y);
                all.triangle[column] = static_cast<uint32_t>(t);
                // Whichever way the triangle faces: modellers leave meshes inside out.
                all.flat[column] = std::fabs(normal.y) >= least_upward * size;
            }
    }
    for (size_t column = 0; column < columns; ++column) all.covered += all.flat[column];
    return all;
}

double layers_of(float thickness, float spacing) {
    if (!(thickness > 0) || !std::isfinite(thickness))
        throw Error("layer: the thickness must be a positive number of metres, not " + std::to_string(thickness));
    return std::max(1.0, std::round(double(thickness) / double(spacing)));
}

}  // namespace

Filling fill_layer(const Mesh& ground, float thickness, const FillSettings& settings) {
    const double layers = layers_of(thickness, settings.spacing);
    const Columns columns = columns_on(ground, settings);
    require_memory("layer", static_cast<double>(columns.covered) * layers, bytes_per_layer_particle, settings.spacing,
                   settings.memory_limit);
    Filling filling;
    const double step = double(thickness) / layers;
    for (size_t k = 0; k < columns.count_z; ++k)
        for (size_t i = 0; i < columns.count_x; ++i) {
            const size_t column = k * columns.count_x + i;
            if (!columns.flat[column]) continue;
            for (double j = 0; j < layers; ++j) {
                filling.position.push_back(
                    narrow({columns.x(i), double(columns.top[column]) + (j + 0.5) * step, columns.z(k)}));
                filling.triangle.push_back(columns.triangle[column]);
            }
        }
    return filling;
}

Count count_layer(const Mesh& ground, float thickness, const FillSettings& settings) {
    const double layers = layers_of(thickness, settings.spacing);
    const double particles = static_cast<double>(columns_on(ground, settings).covered) * layers;
    return {particles, true, particles * bytes_per_layer_particle, {}};
}

}  // namespace firn
