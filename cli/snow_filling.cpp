#include "snow_filling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "colliders.h"
#include "firn/error.h"
#include "firn/memory.h"
#include "firn/particle_file.h"
#include "firn/scattered.h"
#include "placement.h"
#include "snow.h"

namespace firn {

namespace {

constexpr double bytes_per_point = 48;  ///< position and normal twice over; the engine asks for its own share later

std::string title(const Snow& snow) {
    return "snow '" + snow.name + "'";
}

Bounds bounds_of(const std::vector<Float3>& points, const Transform& placed) {
    Bounds bounds;
    for (size_t i = 0; i < points.size(); ++i) {
        const Float3 p = apply_transform(placed, points[i]);
        Float3 &low = bounds.low, &high = bounds.high;
        if (i == 0) low = high = p;
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    return bounds;
}

/// Throws Error when float positions can't tell points a spacing apart so far out. `what` begins the message.
void require_near(const Float3& low, const Float3& high, float spacing, const std::string& what) {
    float far = 0;
    for (const float c : {low.x, low.y, low.z, high.x, high.y, high.z}) far = std::max(far, std::abs(c));
    // The gap between two floats there must stay well below a spacing.
    if (far * 1.2e-7f <= 0.1f * spacing) return;
    throw Error(what + " reaches " + std::to_string(static_cast<int64_t>(far)) +
                " m from the origin, where float positions can't tell points " + std::to_string(spacing) +
                " m apart; move everything closer to the origin, or check its units");
}

/// m, of the box about a box, a sphere or a cylinder.
Float3 shape_size(const Geometry& g) {
    if (g.shape == ShapeKind::box) return g.size;
    return {2 * g.radius, g.shape == ShapeKind::sphere ? 2 * g.radius : g.height, 2 * g.radius};
}

/// A lattice through a shape's own box that is centred on it, so that faces lie half a spacing outside the particles.
struct ShapeLattice {
    const Geometry& shape;
    double spacing;
    int64_t count[3];

    ShapeLattice(const Geometry& g, float apart) : shape(g), spacing(apart) {
        const Float3 size = shape_size(g);
        // A length of 0.3 m at 0.02 m is 15 spacings, whatever the rounding of either.
        const auto cells = [&](float length) { return static_cast<int64_t>(std::llround(double(length) / apart)); };
        count[0] = cells(size.x);
        count[1] = cells(size.y);
        count[2] = cells(size.z);
    }
    double at(int axis, int64_t i) const { return (double(i) + 0.5 - 0.5 * double(count[axis])) * spacing; }

    /// The places of a row along x that are inside: from the first to its mirror image.
    int64_t first_inside(int64_t j, int64_t k) const {
        if (shape.shape == ShapeKind::box) return 0;
        const double y = shape.shape == ShapeKind::sphere ? at(1, j) : 0, z = at(2, k);
        const auto outside = [&](int64_t i) {
            const double x = at(0, i);
            return x * x + y * y + z * z > double(shape.radius) * shape.radius;
        };
        // Near the circle by its formula, then by the very test: the two may differ by rounding.
        const double chord = std::sqrt(std::max(0.0, double(shape.radius) * shape.radius - y * y - z * z));
        const int64_t middle = (count[0] + 1) / 2;
        int64_t first = std::clamp<int64_t>(
            static_cast<int64_t>(std::ceil(0.5 * double(count[0]) - 0.5 - chord / spacing)), 0, middle);
        while (first > 0 && !outside(first - 1)) --first;
        while (first < middle && outside(first)) ++first;
        return first;
    }
    /// How many places of a row are inside, if its first is.
    int64_t run(int64_t first) const { return std::max<int64_t>(0, count[0] - 2 * first); }
};

std::vector<Float3> lattice(const Geometry& g, float spacing) {
    const ShapeLattice all(g, spacing);
    std::vector<Float3> points;
    for (int64_t k = 0; k < all.count[2]; ++k) {
        for (int64_t j = 0; j < all.count[1]; ++j) {
            const int64_t first = all.first_inside(j, k), run = all.run(first);
            for (int64_t i = first; i < first + run; ++i)
                points.push_back({static_cast<float>(all.at(0, i)), static_cast<float>(all.at(1, j)),
                                  static_cast<float>(all.at(2, k))});
        }
    }
    return points;
}

double shape_volume(const Geometry& g) {
    constexpr double pi = 3.14159265358979323846;
    switch (g.shape) {
        case ShapeKind::sphere:
            return 4.0 / 3 * pi * g.radius * g.radius * g.radius;
        case ShapeKind::cylinder:
            return pi * g.radius * g.radius * g.height;
        default:
            return double(g.size.x) * g.size.y * g.size.z;
    }
}

Count count_lattice(const Geometry& g, float spacing) {
    const ShapeLattice all(g, spacing);
    const double nx = double(all.count[0]), ny = double(all.count[1]), nz = double(all.count[2]);
    Count count;
    count.exact = true;
    if (g.shape == ShapeKind::box) {
        count.particles = nx * ny * nz;
    } else if (ny * nz < 4e6) {
        for (int64_t k = 0; k < all.count[2]; ++k)
            for (int64_t j = 0; j < all.count[1]; ++j)
                count.particles += static_cast<double>(all.run(all.first_inside(j, k)));
    } else {
        // So many rows that the steps at its surface are nothing.
        count.particles = std::round(shape_volume(g) / std::pow(double(spacing), 3));
        count.exact = false;
    }
    count.bytes = bytes_per_point * count.particles;
    return count;
}

Mesh shape_mesh(const Geometry& g) {
    if (g.shape == ShapeKind::box) return box_mesh(g.size);
    if (g.shape == ShapeKind::sphere) return sphere_mesh(g.radius);
    return cylinder_mesh(g.radius, g.height);
}

/// In the shape's own space, scaled.
Mesh file_mesh(const Snow& snow, float spacing) {
    const Geometry& g = snow.geometry;
    Mesh mesh = transformed(read_mesh(g.file), Transform(), g.placed.scale);
    const Bounds bounds = bounds_of(mesh.points, Transform());
    require_near(bounds.low, bounds.high, spacing, title(snow) + ", " + g.file);
    return mesh;
}

FillSettings fill_settings(const Snow& snow, const Parameters& parameters) {
    FillSettings settings;
    settings.spacing = parameters.spacing;
    settings.relaxed = snow.relaxed;
    settings.jitter = snow.jitter;
    settings.seed = snow.seed;
    settings.memory_limit = allowed_bytes(parameters);
    return settings;
}

void require_room(double count, const Snow& snow, const Parameters& parameters) {
    const double limit = allowed_bytes(parameters),
                 available = limit > 0 ? limit : static_cast<double>(memory_available());
    if (!(count * bytes_per_point > available) && count < 4e9) return;
    char text[160];
    std::snprintf(text, sizeof text, " would take about %.3g particles and %.3g GB, but %s %.3g GB", count,
                  count * bytes_per_point / 1e9, limit > 0 ? "memory_limit allows" : "there are only", available / 1e9);
    throw Error(title(snow) + text + "; make it smaller, or the spacing larger");
}

/// What a layer lies on, where that is no heightfield; in the space that the layer is placed from.
std::optional<Mesh> ground_of(const Snow& snow, const Scene& scene) {
    if (snow.geometry.shape != ShapeKind::heightfield) return std::nullopt;
    if (!snow.on.empty()) return collider_mesh(scene, collider_under(snow, scene), first_frame_of(snow, scene));
    if (is_mesh_file(snow.geometry.file)) return file_mesh(snow, scene.parameters.spacing);
    return std::nullopt;
}

Filling fill(const Snow& snow, const Scene& scene) {
    const Parameters& parameters = scene.parameters;
    const Geometry& g = snow.geometry;
    const float spacing = parameters.spacing;
    FillSettings settings = fill_settings(snow, parameters);
    Filling filling;
    switch (g.shape) {
        case ShapeKind::box:
        case ShapeKind::sphere:
        case ShapeKind::cylinder:
            if (snow.relaxed) return fill_mesh(shape_mesh(g), settings);
            require_room(shape_volume(g) / std::pow(double(spacing), 3), snow, parameters);
            filling.position = lattice(g, spacing);
            for (size_t i = 0; i < filling.position.size() && snow.jitter > 0; ++i) {
                float* p = &filling.position[i].x;
                for (uint64_t c = 0; c < 3; ++c)
                    p[c] += static_cast<float>((scattered_unit(snow.seed, i, c) - 0.5) * snow.jitter * spacing);
            }
            return filling;
        case ShapeKind::mesh:
            return fill_mesh(file_mesh(snow, spacing), settings);
        case ShapeKind::vdb:
            // Filled as it is in its file, then scaled.
            settings.spacing = spacing / g.placed.scale;
            filling = fill_vdb(g.file, g.grid, settings);
            for (Float3& p : filling.position) p = {p.x * g.placed.scale, p.y * g.placed.scale, p.z * g.placed.scale};
            return filling;
        case ShapeKind::heightfield:
            if (const std::optional<Mesh> ground = ground_of(snow, scene))
                return fill_layer(*ground, snow.thickness, settings);
            return fill_layer(read_heightfield(g.file, g.cell, g.relief), snow.thickness, settings);
        case ShapeKind::plane:
        case ShapeKind::particles:
            break;
    }
    throw Error(title(snow) + ": this shape can't be filled");
}

/// Of a layer, in the space that it is placed from.
Count layer_count(const Snow& snow, const Scene& scene, const FillSettings& settings) {
    const Geometry& g = snow.geometry;
    if (!snow.on.empty())
        return count_layer_on(scene, collider_under(snow, scene), first_frame_of(snow, scene), snow.thickness,
                              settings);
    if (!is_mesh_file(g.file))
        return count_layer(look_at_heightfield(g.file, g.cell, g.relief), snow.thickness, settings);
    const Count found = count_mesh_layer(g.file, g.placed.scale, Transform(), snow.thickness, settings);
    require_near(found.low, found.high, settings.spacing, title(snow) + ", " + g.file);
    return found;
}

/// A count, and what the particles will lie within.
struct Counted {
    Count count;
    Bounds bounds;
};

Counted count(const Snow& snow, const Scene& scene, const Count* twin) {
    const Parameters& parameters = scene.parameters;
    const Geometry& g = snow.geometry;
    const float spacing = parameters.spacing;
    FillSettings settings = fill_settings(snow, parameters);
    const Transform placed = transform_of(g.placed);
    const auto within = [&](Count found, const Float3& low, const Float3& high) {
        std::vector<Float3> corners;
        for (int i = 0; i < 8; ++i)
            corners.push_back({i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z});
        return Counted{std::move(found), bounds_of(corners, placed)};
    };
    switch (g.shape) {
        case ShapeKind::box:
        case ShapeKind::sphere:
        case ShapeKind::cylinder: {
            const Float3 size = shape_size(g), high{0.5f * size.x, 0.5f * size.y, 0.5f * size.z};
            const Float3 low{-high.x, -high.y, -high.z};
            if (twin) return within(*twin, low, high);
            return within(snow.relaxed ? count_filling(shape_mesh(g), settings) : count_lattice(g, spacing), low, high);
        }
        case ShapeKind::mesh: {
            const Count found = twin ? *twin : count_mesh_filling(g.file, g.placed.scale, settings);
            require_near(found.low, found.high, spacing, title(snow) + ", " + g.file);
            return within(found, found.low, found.high);
        }
        case ShapeKind::vdb: {
            settings.spacing = spacing / g.placed.scale;
            const Count count = twin ? *twin : count_vdb_filling(g.file, g.grid, settings);
            const auto scaled = [&](const Float3& p) {
                return Float3{p.x * g.placed.scale, p.y * g.placed.scale, p.z * g.placed.scale};
            };
            return within(count, scaled(count.low), scaled(count.high));
        }
        case ShapeKind::heightfield: {
            const Count found = twin ? *twin : layer_count(snow, scene, settings);
            return within(found, found.low, found.high);
        }
        case ShapeKind::particles: {
            if (twin) return {*twin, {}};
            Count found;
            found.particles = static_cast<double>(count_particles(g.file));
            found.exact = true;
            return {found, {}};
        }
        case ShapeKind::plane:
            break;
    }
    throw Error(title(snow) + ": this shape can't be filled");
}

/// The same of both: where errors and warnings belong, that there is a particle, and that it is not too far away.
template <class Make>
auto made(const Snow& snow, const Make& make) {
    try {
        return make();
    } catch (const Error& error) {
        throw Error(snow.where + ": " + error.what());
    }
}

void complete(const Snow& snow, const Parameters& parameters, double particles, const Bounds& bounds,
              std::vector<std::string>& warnings) {
    if (!(particles > 0) && snow.geometry.shape != ShapeKind::particles)
        throw Error(snow.where + ": " + title(snow) + " is too small for one particle at a spacing of " +
                    std::to_string(parameters.spacing) + " m; make it larger, or raise scene.resolution" +
                    (warnings.empty() ? std::string() : " (" + warnings.front() + ")"));
    for (std::string& warning : warnings) warning = title(snow) + ": " + warning;
    require_near(bounds.low, bounds.high, parameters.spacing, snow.where + ": " + title(snow));
}

}  // namespace

size_t collider_under(const Snow& snow, const Scene& scene) {
    for (size_t k = 0; k < scene.colliders.size(); ++k)
        if (scene.colliders[k].name == snow.on) {
            if (scene.colliders[k].geometry.endless)
                throw Error(title(snow) + " lies on '" + snow.on + "', a plane without end; give that a size");
            return k;
        }
    throw Error(snow.where + ": " + title(snow) + " lies on '" + snow.on + "', but no collider is called that");
}

Filling fill_snow(const Snow& snow, const Scene& scene) {
    const Parameters& parameters = scene.parameters;
    Filling filling = made(snow, [&] { return fill(snow, scene); });
    const Transform placed = transform_of(snow.geometry.placed);
    for (Float3& p : filling.position) p = apply_transform(placed, p);
    complete(snow, parameters, static_cast<double>(filling.position.size()), bounds_of(filling.position, Transform()),
             filling.warnings);
    return filling;
}

Count count_snow(const Snow& snow, const Scene& scene, const Count* twin, Bounds* placed) {
    Counted counted = made(snow, [&] { return count(snow, scene, twin); });
    complete(snow, scene.parameters, counted.count.particles, counted.bounds, counted.count.warnings);
    if (placed) *placed = counted.bounds;
    return std::move(counted.count);
}

}  // namespace firn
