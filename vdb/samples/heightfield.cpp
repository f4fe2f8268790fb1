#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "firn/counts.h"
#include "firn/error.h"
#include "samples/counting.h"
#include "samples/heightfield_png.h"
#include "samples/limits.h"
#include "samples/mesh_text.h"
#include "samples/vec3.h"

namespace firn {

namespace {

constexpr uint32_t most_heights = 1u << 28;

bool is_png(const std::string& path) {
    ByteWindow bytes = ByteWindow::of_file(path);
    return bytes.has(4) && std::string_view(bytes.at, 4) == "\x89PNG";
}

/// The first height of a field about the origin.
Float3 centred(float cell, int columns, int rows) {
    return {-0.5f * cell * static_cast<float>(columns - 1), 0, -0.5f * cell * static_cast<float>(rows - 1)};
}

void require_sound_shape(int columns, int rows, float cell) {
    if (columns < 2 || rows < 2) throw Error("heightfield: needs two columns and two rows at least");
    if (!(cell > 0) || !std::isfinite(cell))
        throw Error("heightfield: the cell must be a positive number of metres, not " + std::to_string(cell));
}

void require_sound(const Heightfield& field) {
    require_sound_shape(field.columns, field.rows, field.cell);
    if (field.height.size() != static_cast<size_t>(field.columns) * static_cast<size_t>(field.rows)) {
        throw Error("heightfield: " + std::to_string(field.height.size()) + " heights for " +
                    std::to_string(field.columns) + " x " + std::to_string(field.rows));
    }
    for (size_t i = 0; i < field.height.size(); ++i) {
        if (!std::isfinite(field.height[i])) throw Error("heightfield: height " + std::to_string(i) + " is not finite");
    }
}

/// `take(heights, bytes)` each row of a text; `bytes` of the file were then read. False to stop.
void read_text_rows(const std::string& path, float height,
                    const std::function<bool(const std::vector<float>&, uint64_t)>& take) {
    ByteWindow bytes = ByteWindow::of_file(path);
    MeshText text(bytes, path);
    std::vector<float> heights;
    for (size_t columns = 0; text.next();) {
        heights.clear();
        while (text.next_in_line()) heights.push_back(height * text.number("height"));
        if (columns == 0) columns = heights.size();
        if (columns != heights.size())
            text.fail("this row has " + std::to_string(heights.size()) + " heights, the first has " +
                      std::to_string(columns));
        if (!take(heights, bytes.consumed())) return;
    }
}

void read_text(const std::string& path, float height, Heightfield& field) {
    read_text_rows(path, height, [&](const std::vector<float>& heights, uint64_t) {
        field.columns = static_cast<int>(heights.size());
        field.height.insert(field.height.end(), heights.begin(), heights.end());
        ++field.rows;
        return true;
    });
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

/// m^2, of a cell's two triangles, and how many of them a layer stays on. The heights are those of its corners: a and b
/// in one row, d and e in the next.
struct CellSurface {
    double area = 0;
    int flat = 0;
};
CellSurface cell_surface(double cell, double a, double b, double d, double e) {
    const double flattest = cell / least_upward_of_layers;
    // Twice a triangle's area for each cell's width.
    const double first = std::sqrt(cell * cell + (e - d) * (e - d) + (d - a) * (d - a)),
                 second = std::sqrt(cell * cell + (b - a) * (b - a) + (e - b) * (e - b));
    return {0.5 * cell * (first + second), (first <= flattest) + (second <= flattest)};
}

/// Rows of a large field as they are read: its facts, and every so many of its heights.
class LookAtRows {
public:
    LookAtRows(float cell, HeightfieldLook& look) : cell_(cell), look_(look) {}

    /// A picture says first how large it is.
    bool is_for(const std::string& path) const {
        ByteWindow bytes = ByteWindow::of_file(path);
        constexpr size_t sizes_at = 16;
        if (!bytes.has(sizes_at + 8)) return false;
        const auto big_endian = [&](size_t at) {
            uint64_t value = 0;
            for (size_t k = 0; k < 4; ++k) value = value << 8 | static_cast<unsigned char>(bytes.at[at + k]);
            return value;
        };
        return big_endian(sizes_at) * big_endian(sizes_at + 4) > most_kept;
    }
    bool is_large(uint64_t columns, uint64_t rows) const { return double(columns) * double(rows) > most_kept; }
    /// `rows`: about.
    void begin(int columns, int rows) {
        columns_ = columns;
        Heightfield& field = look_.field;
        const double heights = double(columns) * double(rows);
        step_ = static_cast<int>(std::ceil(std::sqrt(heights / most_kept)));
        measured_ = std::max(1, static_cast<int>(heights / most_measured));
        field.columns = (columns - 1) / step_ + 1;
        field.cell = cell_ * static_cast<float>(step_);
        field.height.reserve(static_cast<size_t>(field.columns) * static_cast<size_t>((rows - 1) / step_ + 1));
        look_.whole = false;
        require_sound_shape(columns, std::max(rows, 2), cell_);
    }
    bool wants(int row) const { return row % step_ == 0 || row % measured_ == 0 || (row + 1) % measured_ == 0; }
    /// A row of which nothing else is wanted.
    void pass(float low, float high) {
        low_ = std::min(low_, low);
        high_ = std::max(high_, high);
        ++row_;
    }
    void add(const float* heights) {
        const auto [low, high] = std::minmax_element(heights, heights + columns_);
        if (row_ > 0 && row_ % measured_ == 0) {
            for (int i = 0; i + 1 < columns_; ++i) {
                const CellSurface here =
                    cell_surface(cell_, last_[size_t(i)], last_[size_t(i) + 1], heights[i], heights[i + 1]);
                area_ += here.area;
                flat_ += here.flat;
                ++cells_;
            }
        }
        last_.assign(heights, heights + columns_);
        if (row_ % step_ == 0)
            for (int i = 0; i < columns_; i += step_) look_.field.height.push_back(heights[i]);
        pass(*low, *high);
    }
    void finish() {
        require_sound_shape(columns_, row_, cell_);
        if (double(columns_) * row_ > most_heights) throw Error("heightfield: more than 2^28 heights");
        if (!std::isfinite(low_) || !std::isfinite(high_)) throw Error("heightfield: a height is not finite");
        const double all = double(columns_ - 1) * double(row_ - 1);
        look_.field.rows = (row_ - 1) / step_ + 1;
        MeshFacts& facts = look_.facts;
        facts.area = area_ * all / cells_;
        look_.flat = flat_ / (2 * cells_);
        facts.low = centred(cell_, columns_, row_);
        facts.high = {-facts.low.x, high_, -facts.low.z};
        look_.field.origin = facts.low;
        facts.low.y = low_;
    }

private:
    static constexpr double most_kept = 1 << 22;      ///< heights
    static constexpr double most_measured = 1 << 23;  ///< cells, in rows: where there are more, some tell the rest

    float cell_;
    HeightfieldLook& look_;
    int columns_ = 0, row_ = 0, step_ = 1, measured_ = 1;
    float low_ = std::numeric_limits<float>::max(), high_ = -low_;
    double area_ = 0, flat_ = 0, cells_ = 0;
    std::vector<float> last_;
};

/// False for a text of few heights, of which only the first row was read.
bool look_at_text(const std::string& path, float height, LookAtRows& rows) {
    const uint64_t bytes = ByteWindow::of_file(path).size();
    bool begun = false;
    read_text_rows(path, height, [&](const std::vector<float>& heights, uint64_t read) {
        if (!begun) {
            const uint64_t about = bytes / std::max<uint64_t>(1, read) + 1;
            if (!rows.is_large(heights.size(), about)) return false;
            rows.begin(static_cast<int>(heights.size()), static_cast<int>(about));
            begun = true;
        }
        rows.add(heights.data());
        return true;
    });
    return begun;
}

/// Ground and top of a layer, joined at the sides: those of layer_mesh(), which is not made for it.
class LayerTriangles : public TriangleSource {
public:
    /// Keeps a reference.
    LayerTriangles(const Heightfield& field, float thickness) : field_(field), thickness_(thickness) {}
    void for_each(const Visit& visit) override {
        std::vector<Corners> moved;
        HeightfieldTriangles ground(field_);
        ground.for_each([&](const Corners* some, size_t count) {
            moved.assign(some, some + count);
            for (Corners& corners : moved) std::swap(corners[1], corners[2]);  // the ground faces down
            visit(moved.data(), count);
            for (size_t t = 0; t < count; ++t) moved[t] = {raised(some[t][0]), raised(some[t][1]), raised(some[t][2])};
            visit(moved.data(), count);
        });
        moved.clear();
        const auto wall = [&](const Float3& a, const Float3& b) {  // seen from outside, a is left of b
            moved.push_back({a, b, raised(b)});
            moved.push_back({a, raised(b), raised(a)});
        };
        const int last_row = field_.rows - 1, last_column = field_.columns - 1;
        for (int i = 0; i < last_column; ++i) {
            wall(point(0, i + 1), point(0, i));
            wall(point(last_row, i), point(last_row, i + 1));
        }
        for (int j = 0; j < last_row; ++j) {
            wall(point(j, 0), point(j + 1, 0));
            wall(point(j + 1, last_column), point(j, last_column));
        }
        visit(moved.data(), moved.size());
    }

private:
    Float3 raised(const Float3& p) const { return {p.x, p.y + thickness_, p.z}; }
    Float3 point(int row, int column) const { return heightfield_point(field_, row, column); }

    const Heightfield& field_;
    float thickness_;
};

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

LayerPlan layer_plan(const MeshFacts& ground, float thickness, const FillSettings& settings) {
    LayerPlan plan;
    plan.facts = ground;
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

Count layer_count(const MeshFacts& ground, float thickness, const FillSettings& settings) {
    LayerPlan plan = layer_plan(ground, thickness, settings);
    Count count;
    count.particles = plan.particles();
    count.exact = true;
    count.bytes = plan.particles() * bytes_per_layer_particle;
    count.warnings = std::move(plan.warnings);
    count.low = ground.low;
    count.high = ground.high;
    return count;
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
    Heightfield field;
    field.cell = cell;
    if (is_png(path)) {
        read_height_png(path, height, most_heights, field);
    } else {
        read_text(path, height, field);
    }
    field.origin = centred(cell, field.columns, field.rows);
    try {
        require_sound(field);
    } catch (const Error& error) {
        throw Error(path + ": " + error.what());
    }
    return field;
}

HeightfieldLook look_at_heightfield(const std::string& path, float cell, float height) {
    if (!std::isfinite(height)) throw Error(path + ": the height must be a finite number of metres");
    HeightfieldLook look;
    LookAtRows rows(cell, look);
    const bool large =
        is_png(path)
            ? rows.is_for(path) && read_height_png_rows(path, height, most_heights,
                                                        {[&](int columns, int count) { rows.begin(columns, count); },
                                                         [&](const float* row) { rows.add(row); },
                                                         [&](int number) { return rows.wants(number); },
                                                         [&](float low, float high) { rows.pass(low, high); }})
            : look_at_text(path, height, rows);
    if (!large) {
        look.field = read_heightfield(path, cell, height);
        look.facts = heightfield_facts(look.field);
        return look;
    }
    try {
        rows.finish();
    } catch (const Error& error) {
        throw Error(path + ": " + error.what());
    }
    return look;
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
            const double a = here[i], b = here[i + 1], d = here[i + columns], e = here[i + columns + 1];
            facts.area += cell_surface(c, a, b, d, e).area;
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
    require_thickness(field, thickness);
    LayerPlan plan = layer_plan(heightfield_facts(field), thickness, settings);
    const MeshFacts& facts = plan.facts;
    const float spacing = settings.spacing;
    require_memory("layer", plan.particles(), bytes_per_layer_particle, spacing, settings.memory_limit);
    Filling filling;
    filling.warnings = std::move(plan.warnings);
    const size_t nx = static_cast<size_t>(plan.columns), nz = static_cast<size_t>(plan.rows),
                 ny = static_cast<size_t>(plan.layers);
    filling.position.resize(nx * ny * nz);
    const double size_x = double(facts.high.x) - facts.low.x, size_z = double(facts.high.z) - facts.low.z,
                 step_x = sheet_distance(size_x, plan.columns, spacing),
                 step_z = sheet_distance(size_z, plan.rows, spacing);
    filling.worth = worth_of_each(size_x * size_z * thickness, plan.particles(), spacing);
    tbb::parallel_for(size_t(0), nz, [&](size_t k) {
        for (size_t i = 0; i < nx; ++i) {
            const double x = 0.5 * (double(facts.low.x) + facts.high.x) +
                             (double(i) - 0.5 * (plan.columns - 1)) * step_x,
                         z = 0.5 * (double(facts.low.z) + facts.high.z) + (double(k) - 0.5 * (plan.rows - 1)) * step_z;
            const double ground = height_at(field, x, z), step = double(thickness) / plan.layers;
            for (size_t j = 0; j < ny; ++j) {
                filling.position[(k * nx + i) * ny + j] = narrow({x, ground + (double(j) + 0.5) * step, z});
            }
        }
    });
    return filling;
}

Count count_layer(const Heightfield& field, float thickness, const FillSettings& settings) {
    require_thickness(field, thickness);
    if (!settings.relaxed) return layer_count(heightfield_facts(field), thickness, settings);
    constexpr size_t few = size_t(1) << 17;
    if (field.height.size() <= few) return count_filling(layer_mesh(field, thickness), settings);
    LayerTriangles layer(field, thickness);
    return count_filling(layer, settings);
}

Count count_layer(const HeightfieldLook& ground, float thickness, const FillSettings& settings) {
    if (ground.whole || settings.relaxed) return count_layer(ground.field, thickness, settings);
    require_thickness(ground.field, thickness);
    return layer_count(ground.facts, thickness, settings);
}

}  // namespace firn
