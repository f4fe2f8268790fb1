#include <tbb/parallel_for.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "firn/counts.h"
#include "firn/error.h"
#include "samples/heightfield_png.h"
#include "samples/limits.h"
#include "samples/mesh_text.h"
#include "samples/vec3.h"

namespace firn {

namespace {

constexpr uint32_t most_heights = 1u << 28;

void require_sound(const Heightfield& field) {
    if (field.columns < 2 || field.rows < 2) throw Error("heightfield: needs two columns and two rows at least");
    if (!(field.cell > 0) || !std::isfinite(field.cell)) {
        throw Error("heightfield: the cell must be a positive number of metres, not " + std::to_string(field.cell));
    }
    if (field.height.size() != static_cast<size_t>(field.columns) * static_cast<size_t>(field.rows)) {
        throw Error("heightfield: " + std::to_string(field.height.size()) + " heights for " +
                    std::to_string(field.columns) + " x " + std::to_string(field.rows));
    }
    for (size_t i = 0; i < field.height.size(); ++i) {
        if (!std::isfinite(field.height[i])) throw Error("heightfield: height " + std::to_string(i) + " is not finite");
    }
}

void read_text(const std::string& bytes, const std::string& path, float height, Heightfield& field) {
    ByteWindow window(bytes);
    MeshText text(window, path);
    while (text.next()) {
        int columns = 0;
        for (; text.next_in_line(); ++columns) field.height.push_back(height * text.number("height"));
        if (field.rows == 0) field.columns = columns;
        if (columns != field.columns) {
            text.fail("this row has " + std::to_string(columns) + " heights, the first has " +
                      std::to_string(field.columns));
        }
        ++field.rows;
    }
}

/// Between the four heights around.
float height_at(const Heightfield& field, double x, double z) {
    const double u = std::clamp((x - field.origin.x) / field.cell, 0.0, double(field.columns - 1)),
                 v = std::clamp((z - field.origin.z) / field.cell, 0.0, double(field.rows - 1));
    const int i = std::min(static_cast<int>(u), field.columns - 2), j = std::min(static_cast<int>(v), field.rows - 2);
    const double s = u - i, t = v - j;
    const auto h = [&](int column, int row) {
        return double(field.height[size_t(row) * size_t(field.columns) + size_t(column)]);
    };
    return static_cast<float>(field.origin.y + (1 - t) * ((1 - s) * h(i, j) + s * h(i + 1, j)) +
                              t * ((1 - s) * h(i, j + 1) + s * h(i + 1, j + 1)));
}

constexpr double bytes_per_layer_particle = 20;  ///< while it is made

void require_thickness(const Heightfield& field, float thickness) {
    require_sound(field);
    if (!(thickness > 0) || !std::isfinite(thickness)) {
        throw Error("layer: the thickness must be a positive number of metres, not " + std::to_string(thickness));
    }
}

/// A regular layer: columns of particles on the ground.
struct LayerPlan {
    MeshFacts facts;  ///< of the ground
    double columns = 0, rows = 0, layers = 0;
    std::vector<std::string> warnings;
    double particles() const { return columns * rows * layers; }
};

LayerPlan layer_plan(const Heightfield& field, float thickness, const FillSettings& settings) {
    require_thickness(field, thickness);
    LayerPlan plan;
    plan.facts = heightfield_facts(field);
    const float spacing = settings.spacing;
    require_spacing("layer", spacing, plan.facts);
    if (!(settings.jitter >= 0 && settings.jitter <= 1)) {
        throw Error("layer: jitter must be 0 to 1, not " + std::to_string(settings.jitter));
    }
    const auto count = [&](double size) { return std::max(1.0, std::round(size / spacing)); };
    plan.columns = count(double(plan.facts.high.x) - plan.facts.low.x);
    plan.rows = count(double(plan.facts.high.z) - plan.facts.low.z);
    plan.layers = count(thickness);
    if (double(thickness) < 0.5 * spacing) {
        plan.warnings.push_back("the layer is thinner than half a spacing; it got one sheet of particles");
    }
    return plan;
}

/// Ground and top, joined at the sides.
Mesh layer_mesh(const Heightfield& field, float thickness) {
    require_thickness(field, thickness);
    Mesh mesh = heightfield_mesh(field);
    const uint32_t points = static_cast<uint32_t>(mesh.points.size());
    const uint32_t columns = static_cast<uint32_t>(field.columns), rows = static_cast<uint32_t>(field.rows);
    const size_t triangles = mesh.triangles.size();
    for (uint32_t i = 0; i < points; ++i) {
        const Float3 p = mesh.points[i];
        mesh.points.push_back({p.x, p.y + thickness, p.z});
    }
    for (size_t t = 0; t < triangles; ++t) {
        auto& [a, b, c] = mesh.triangles[t];
        const std::array<uint32_t, 3> top = {points + a, points + b, points + c};
        std::swap(b, c);  // the ground faces down
        mesh.triangles.push_back(top);
    }
    const auto wall = [&](uint32_t a, uint32_t b) {  // seen from outside, a is left of b
        mesh.triangles.push_back({a, b, points + b});
        mesh.triangles.push_back({a, points + b, points + a});
    };
    for (uint32_t i = 0; i + 1 < columns; ++i) {
        wall(i + 1, i);
        wall((rows - 1) * columns + i, (rows - 1) * columns + i + 1);
    }
    for (uint32_t j = 0; j + 1 < rows; ++j) {
        wall(j * columns, (j + 1) * columns);
        wall((j + 1) * columns + columns - 1, j * columns + columns - 1);
    }
    return mesh;
}

}  // namespace

Heightfield read_heightfield(const std::string& path, float cell, float height) {
    if (!std::isfinite(height)) throw Error(path + ": the height must be a finite number of metres");
    std::ifstream file(path, std::ios::binary);
    std::string bytes;
    std::error_code unknown;
    const auto size = std::filesystem::file_size(path, unknown);
    if (file && !unknown) {
        bytes.resize(size);
        file.read(bytes.data(), static_cast<std::streamsize>(size));
    }
    if (!file || unknown) throw Error(path + ": there is no such file, or it can't be read");
    Heightfield field;
    field.cell = cell;
    if (bytes.compare(0, 4, "\x89PNG") == 0) {
        read_height_png(path, height, most_heights, field);
    } else {
        read_text(bytes, path, height, field);
    }
    field.origin = {-0.5f * cell * static_cast<float>(field.columns - 1), 0,
                    -0.5f * cell * static_cast<float>(field.rows - 1)};
    try {
        require_sound(field);
    } catch (const Error& error) {
        throw Error(path + ": " + error.what());
    }
    return field;
}

Mesh heightfield_mesh(const Heightfield& field) {
    require_sound(field);
    if (field.height.size() > most_heights) throw Error("heightfield: more than 2^28 heights");
    Mesh mesh;
    mesh.points.reserve(field.height.size());
    for (int row = 0; row < field.rows; ++row) {
        for (int column = 0; column < field.columns; ++column) {
            mesh.points.push_back({field.origin.x + field.cell * static_cast<float>(column),
                                   field.origin.y + field.height[mesh.points.size()],
                                   field.origin.z + field.cell * static_cast<float>(row)});
        }
    }
    const uint32_t columns = static_cast<uint32_t>(field.columns), rows = static_cast<uint32_t>(field.rows);
    mesh.triangles.reserve(size_t(2) * (columns - 1) * (rows - 1));
    for (uint32_t row = 0; row + 1 < rows; ++row) {
        for (uint32_t column = 0; column + 1 < columns; ++column) {
            const uint32_t at = row * columns + column;
            mesh.triangles.push_back({at, at + columns, at + columns + 1});
            mesh.triangles.push_back({at, at + columns + 1, at + 1});
        }
    }
    return mesh;
}

MeshFacts heightfield_facts(const Heightfield& field) {
    require_sound(field);
    MeshFacts facts;
    const auto [low, high] = std::minmax_element(field.height.begin(), field.height.end());
    const Float3& o = field.origin;
    facts.low = {o.x, o.y + *low, o.z};
    facts.high = {o.x + field.cell * static_cast<float>(field.columns - 1), o.y + *high,
                  o.z + field.cell * static_cast<float>(field.rows - 1)};
    const double c = field.cell;
    const size_t columns = static_cast<size_t>(field.columns);
    for (size_t row = 0; row + 1 < static_cast<size_t>(field.rows); ++row) {
        const float* here = field.height.data() + row * columns;
        for (size_t i = 0; i + 1 < columns; ++i) {
            // The cell's two triangles rise by these along x and z.
            const double a = here[i], b = here[i + 1], d = here[i + columns], e = here[i + columns + 1];
            facts.area += 0.5 * c * std::sqrt(c * c + (e - d) * (e - d) + (d - a) * (d - a));
            facts.area += 0.5 * c * std::sqrt(c * c + (b - a) * (b - a) + (e - b) * (e - b));
        }
    }
    return facts;
}

SurfaceSamples sample_heightfield(const Heightfield& field, const SurfaceSettings& settings) {
    return sample_surface(heightfield_mesh(field), settings);
}

Filling fill_layer(const Heightfield& field, float thickness, const FillSettings& settings) {
    if (settings.relaxed) return fill_mesh(layer_mesh(field, thickness), settings);
    // Columns of snow on the ground: moved up and down, a lattice keeps its density, and the layer has no steps.
    LayerPlan plan = layer_plan(field, thickness, settings);
    const MeshFacts& facts = plan.facts;
    const float spacing = settings.spacing;
    require_memory("layer", plan.particles(), bytes_per_layer_particle, spacing, settings.memory_limit);
    Filling filling;
    filling.warnings = std::move(plan.warnings);
    const size_t nx = static_cast<size_t>(plan.columns), nz = static_cast<size_t>(plan.rows),
                 ny = static_cast<size_t>(plan.layers);
    filling.position.resize(nx * ny * nz);
    tbb::parallel_for(size_t(0), nz, [&](size_t k) {
        for (size_t i = 0; i < nx; ++i) {
            const double x = 0.5 * (double(facts.low.x) + facts.high.x) +
                             (double(i) - 0.5 * (plan.columns - 1)) * spacing,
                         z = 0.5 * (double(facts.low.z) + facts.high.z) + (double(k) - 0.5 * (plan.rows - 1)) * spacing;
            const double ground = height_at(field, x, z), step = double(thickness) / plan.layers;
            for (size_t j = 0; j < ny; ++j) {
                filling.position[(k * nx + i) * ny + j] = narrow({x, ground + (double(j) + 0.5) * step, z});
            }
        }
    });
    return filling;
}

Count count_layer(const Heightfield& field, float thickness, const FillSettings& settings) {
    if (settings.relaxed) return count_filling(layer_mesh(field, thickness), settings);
    LayerPlan plan = layer_plan(field, thickness, settings);
    Count count;
    count.particles = plan.particles();
    count.exact = true;
    count.bytes = plan.particles() * bytes_per_layer_particle;
    count.warnings = std::move(plan.warnings);
    const MeshFacts facts = heightfield_facts(field);
    count.low = facts.low;
    count.high = facts.high;
    return count;
}

}  // namespace firn
