// Boundary particles of a plane or a terrain, made brick by brick. Seen from above the sheet is cut in tiles of about
// four spacings. Each tile has a lattice of its own, with more columns and rows where it is steep, so that particles
// are about a spacing apart on the slope. Lattices end half a cell before a tile's sides: where two meet, particles are
// as far apart as within.

#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "firn/rigid_transform.h"
#include "firn/surface_sources.h"
#include "samples/vec3.h"

namespace firn {

namespace {

constexpr int64_t columns_in_tile = 4, tiles_in_brick = 4;  ///< along each side
constexpr int most_in_tile = 64;                            ///< columns or rows: of a cliff
constexpr double farthest_column = 4e9;  ///< of a plane without end; floats have no digits left far before

/// Rounded down, also below 0.
int64_t floor_of(int64_t a, int64_t b) {
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/// Height and slopes at one place.
struct Slope {
    double height, along_x, along_z;
};

/// What is sampled, over x and z.
class Relief {
public:
    virtual ~Relief() = default;
    virtual Slope at(double x, double z) const = 0;
    /// The lowest and the highest of a rectangle, m.
    virtual std::pair<double, double> bounds(double x0, double z0, double x1, double z1) const = 0;
};

class Flat final : public Relief {
public:
    Slope at(double, double) const override { return {0, 0, 0}; }
    std::pair<double, double> bounds(double, double, double, double) const override { return {0, 0}; }
};

class Terrain final : public Relief {
public:
    explicit Terrain(Heightfield field) : field_(std::move(field)) {}
    const Heightfield& field() const { return field_; }
    Vec3 middle() const {
        return {field_.origin.x + 0.5 * field_.cell * (field_.columns - 1), 0,
                field_.origin.z + 0.5 * field_.cell * (field_.rows - 1)};
    }

    /// On the two triangles that heightfield_mesh() makes of a cell.
    Slope at(double x, double z) const override {
        const auto [i, s] = place(x, field_.origin.x - middle().x, field_.columns);
        const auto [j, t] = place(z, field_.origin.z - middle().z, field_.rows);
        const double here = h(i, j), corner = h(i + 1, j + 1);
        const double side = t >= s ? h(i, j + 1) : h(i + 1, j);
        const double rise_x = t >= s ? corner - side : side - here, rise_z = t >= s ? side - here : corner - side;
        return {here + s * rise_x + t * rise_z, rise_x / field_.cell, rise_z / field_.cell};
    }

    std::pair<double, double> bounds(double x0, double z0, double x1, double z1) const override {
        const auto first = [&](double at, float origin, double centre, int count) {
            return std::clamp(static_cast<int>(std::floor((at + centre - origin) / field_.cell)), 0, count - 1);
        };
        const auto last = [&](double at, float origin, double centre, int count) {
            return std::clamp(static_cast<int>(std::ceil((at + centre - origin) / field_.cell)), 0, count - 1);
        };
        const Vec3 centre = middle();
        const int i0 = first(x0, field_.origin.x, centre.x, field_.columns),
                  i1 = last(x1, field_.origin.x, centre.x, field_.columns),
                  j0 = first(z0, field_.origin.z, centre.z, field_.rows),
                  j1 = last(z1, field_.origin.z, centre.z, field_.rows);
        std::pair<double, double> found{h(i0, j0), h(i0, j0)};
        for (int j = j0; j <= j1; ++j) {
            for (int i = i0; i <= i1; ++i) {
                found.first = std::min(found.first, h(i, j));
                found.second = std::max(found.second, h(i, j));
            }
        }
        return found;
    }

private:
    double h(int i, int j) const {
        return double(field_.origin.y) + field_.height[size_t(j) * size_t(field_.columns) + size_t(i)];
    }
    /// The cell, and how far into it, 0..1.
    std::pair<int, double> place(double at, double origin, int count) const {
        const double u = std::clamp((at - origin) / field_.cell, 0.0, double(count - 1));
        const int cell = std::min(static_cast<int>(u), count - 2);
        return {cell, u - cell};
    }

    Heightfield field_;
};

/// One direction of the sheet: columns a spacing wide, as nearly as a whole number of them fits, and tiles of about
/// four.
struct Tiling {
    double pitch;     ///< of columns, m
    int64_t columns;  ///< 0 = without end
    int64_t tiles;    ///< likewise

    Tiling(double size, double spacing) : pitch(spacing), columns(0), tiles(0) {
        if (!(size > 0)) return;
        columns = std::max<int64_t>(1, std::llround(size / spacing));
        tiles = std::max<int64_t>(1, std::llround(static_cast<double>(columns) / columns_in_tile));
        pitch = size / static_cast<double>(columns);
    }
    bool holds(int64_t tile) const { return columns == 0 || (tile >= 0 && tile < tiles); }
    int64_t first_column(int64_t tile) const { return columns == 0 ? tile * columns_in_tile : tile * columns / tiles; }
    double width(int64_t tile) const {
        return pitch * static_cast<double>(first_column(tile + 1) - first_column(tile));
    }
    /// Counted from the middle, so that sheets of different sizes have the same places where their tiles agree.
    double at(int64_t tile, double share) const {
        const int64_t first = first_column(tile), next = first_column(tile + 1);
        return pitch * (static_cast<double>(first) - 0.5 * static_cast<double>(columns) +
                        share * static_cast<double>(next - first));
    }
    /// Beyond an end, some tile that is not there.
    int64_t tile_of(double x) const {
        const double place = std::floor(x / pitch + 0.5 * static_cast<double>(columns));
        const int64_t column = static_cast<int64_t>(std::clamp(place, -farthest_column, farthest_column));
        if (columns == 0) return floor_of(column, columns_in_tile);
        return column < 0 ? -1 : column >= columns ? tiles : ((column + 1) * tiles - 1) / columns;
    }
};

int64_t brick_of(int64_t tile) {
    return floor_of(tile, tiles_in_brick);
}

class SheetSource final : public SurfaceSource {
public:
    SheetSource(std::unique_ptr<const Relief> relief, double size_x, double size_z, const Transform& placement,
                const BoundarySettings& settings, bool flat)
        : plane{size_x, size_z, placement, settings},
          is_plane(flat),
          relief_(std::move(relief)),
          placement_(placement),
          back_(motion_between(placement, Transform())),
          settings_(settings),
          x_(size_x, settings.spacing),
          z_(size_z, settings.spacing),
          size_x_(size_x),
          size_z_(size_z) {}

    void find_bricks(const Float3& low, const Float3& high, std::vector<Brick>& out) const override {
        double from[3] = {1e300, 1e300, 1e300}, to[3] = {-1e300, -1e300, -1e300};
        for (int corner = 0; corner < 8; ++corner) {
            const double at[3] = {corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y,
                                  corner & 4 ? high.z : low.z};
            double own[3];
            apply_transform(back_, at, own);
            for (int c = 0; c < 3; ++c) {
                from[c] = std::min(from[c], own[c]);
                to[c] = std::max(to[c], own[c]);
            }
        }
        // Particles lie up to half a spacing beside their place on the surface.
        const double aside = settings_.spacing;
        const auto [x0, x1] = bricks(x_, from[0] - aside, to[0] + aside);
        const auto [z0, z1] = bricks(z_, from[2] - aside, to[2] + aside);
        for (int64_t z = z0; z <= z1; ++z) {
            for (int64_t x = x0; x <= x1; ++x) {
                const auto [lowest, highest] =
                    relief_->bounds(x_.at(x * tiles_in_brick, 0), z_.at(z * tiles_in_brick, 0),
                                    x_.at((x + 1) * tiles_in_brick, 0), z_.at((z + 1) * tiles_in_brick, 0));
                if (from[1] - aside <= highest && to[1] + aside >= lowest)
                    out.push_back({static_cast<int32_t>(x), 0, static_cast<int32_t>(z)});
            }
        }
    }

    Particles make(const Brick& brick) const override {
        Particles made;
        std::vector<Float3> around;  // the brick's own first, then those of the tiles around it
        const int64_t x0 = int64_t(brick[0]) * tiles_in_brick, z0 = int64_t(brick[2]) * tiles_in_brick;
        for (int ring = 0; ring < 2; ++ring) {
            for (int64_t z = z0 - 1; z <= z0 + tiles_in_brick; ++z) {
                for (int64_t x = x0 - 1; x <= x0 + tiles_in_brick; ++x) {
                    const bool own = x >= x0 && x < x0 + tiles_in_brick && z >= z0 && z < z0 + tiles_in_brick;
                    if (own == (ring == 0)) add_tile(x, z, around, own ? &made.normal : nullptr);
                }
            }
            if (ring == 0) made.position = around;
        }
        made.volume = boundary_volumes(around, settings_.spacing, settings_.boundary_volume);
        made.volume.resize(made.position.size());
        for (Float3& p : made.position) p = apply_transform(placement_, p);
        for (Float3& n : made.normal) n = turned(placement_, n);
        return made;
    }

    double radius() const override {
        if (x_.columns == 0 || z_.columns == 0) return SurfaceSource::radius();
        const auto [lowest, highest] = relief_->bounds(-size_x_, -size_z_, size_x_, size_z_);
        return std::hypot(0.5 * size_x_, std::max(std::abs(lowest), std::abs(highest)), 0.5 * size_z_) +
               std::hypot(placement_.translation[0], placement_.translation[1], placement_.translation[2]);
    }

    const PlaneShape plane;
    const bool is_plane;

private:
    static std::pair<int64_t, int64_t> bricks(const Tiling& tiles, double from, double to) {
        int64_t first = tiles.tile_of(from), last = tiles.tile_of(to);
        if (tiles.columns > 0) {
            if (last < 0 || first >= tiles.tiles) return {0, -1};
            first = std::max<int64_t>(first, 0);
            last = std::min(last, tiles.tiles - 1);
        }
        return {brick_of(first), brick_of(last)};
    }

    /// The tile's particles, in the sheet's own space; their normals too if asked for.
    void add_tile(int64_t x, int64_t z, std::vector<Float3>& position, std::vector<Float3>* normal) const {
        if (!x_.holds(x) || !z_.holds(z)) return;
        // How much longer the way over the surface is than seen from above.
        double longer_x = 0, longer_z = 0;
        constexpr int probes = 4;
        for (int j = 0; j < probes; ++j) {
            for (int i = 0; i < probes; ++i) {
                const Slope s = relief_->at(x_.at(x, (i + 0.5) / probes), z_.at(z, (j + 0.5) / probes));
                longer_x += std::sqrt(1 + s.along_x * s.along_x) / (probes * probes);
                longer_z += std::sqrt(1 + s.along_z * s.along_z) / (probes * probes);
            }
        }
        const auto lines = [&](double length) {
            return std::clamp(static_cast<int>(std::lround(length / settings_.spacing)), 1, most_in_tile);
        };
        const int columns = lines(x_.width(x) * longer_x), rows = lines(z_.width(z) * longer_z);
        const double depth = settings_.two_sided ? 0 : settings_.inverted ? -0.5 : 0.5;
        for (int j = 0; j < rows; ++j) {
            for (int i = 0; i < columns; ++i) {
                const double u = x_.at(x, (i + 0.5) / columns), w = z_.at(z, (j + 0.5) / rows);
                const Slope s = relief_->at(u, w);
                const Vec3 up = unit({-s.along_x, 1, -s.along_z});
                position.push_back(narrow(Vec3{u, s.height, w} - depth * settings_.spacing * up));
                // Without normals the snow itself tells on which side of a thin sheet it is.
                if (normal && !settings_.two_sided) normal->push_back(narrow((settings_.inverted ? -1.0 : 1.0) * up));
            }
        }
    }

    std::unique_ptr<const Relief> relief_;
    Transform placement_, back_;
    BoundarySettings settings_;
    Tiling x_, z_;
    double size_x_, size_z_;
};

}  // namespace

std::shared_ptr<const SurfaceSource> plane_source(double size_x, double size_z, const Transform& placement,
                                                  const BoundarySettings& settings) {
    return std::make_shared<SheetSource>(std::make_unique<Flat>(), size_x, size_z, placement, settings, true);
}

std::shared_ptr<const SurfaceSource> heightfield_source(Heightfield field, const BoundarySettings& settings) {
    heightfield_facts(field);  // throws for one that is not sound
    auto relief = std::make_unique<Terrain>(std::move(field));
    const Heightfield& f = relief->field();
    const double size_x = double(f.cell) * (f.columns - 1), size_z = double(f.cell) * (f.rows - 1);
    // The relief's own middle is the sheet's.
    Transform placement;
    placement.translation[0] = relief->middle().x;
    placement.translation[2] = relief->middle().z;
    return std::make_shared<SheetSource>(std::move(relief), size_x, size_z, placement, settings, false);
}

const PlaneShape* plane_shape(const SurfaceSource* source) {
    const auto* const sheet = dynamic_cast<const SheetSource*>(source);
    return sheet && sheet->is_plane ? &sheet->plane : nullptr;
}

bool operator==(const PlaneShape& a, const PlaneShape& b) {
    const BoundarySettings &s = a.settings, &t = b.settings;
    return a.size_x == b.size_x && a.size_z == b.size_z && a.placement == b.placement && s.spacing == t.spacing &&
           s.boundary_volume == t.boundary_volume && s.inverted == t.inverted && s.two_sided == t.two_sided;
}

SurfaceSource::Particles all_particles(const SurfaceSource& source) {
    if (!std::isfinite(source.radius())) throw Error("surface: it has no end, and so no number of particles");
    constexpr float all = 1e30f;
    std::vector<SurfaceSource::Brick> bricks;
    source.find_bricks({-all, -all, -all}, {all, all, all}, bricks);
    std::sort(bricks.begin(), bricks.end());
    SurfaceSource::Particles whole;
    for (const SurfaceSource::Brick& brick : bricks) {
        const SurfaceSource::Particles some = source.make(brick);
        whole.position.insert(whole.position.end(), some.position.begin(), some.position.end());
        whole.normal.insert(whole.normal.end(), some.normal.begin(), some.normal.end());
        whole.volume.insert(whole.volume.end(), some.volume.begin(), some.volume.end());
    }
    return whole;
}

}  // namespace firn
