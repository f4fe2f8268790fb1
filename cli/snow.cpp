#include "snow.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "firn/flakes.h"
#include "firn/particle_file.h"
#include "firn/samples.h"
#include "firn/scattered.h"
#include "placement.h"

namespace firn {

namespace {

/// A lattice through a shape's own box that is centred on it, so that faces lie half a spacing outside the particles.
std::vector<Float3> lattice(const Geometry& g, float spacing) {
    const Float3 size = g.shape == ShapeKind::box      ? g.size
                        : g.shape == ShapeKind::sphere ? Float3{2 * g.radius, 2 * g.radius, 2 * g.radius}
                                                       : Float3{2 * g.radius, g.height, 2 * g.radius};
    // A length of 0.3 m at 0.02 m is 15 spacings, whatever the rounding of either.
    const auto cells = [&](float length) { return static_cast<int64_t>(std::llround(double(length) / spacing)); };
    const int64_t nx = cells(size.x), ny = cells(size.y), nz = cells(size.z);
    const double radius = double(g.radius) * g.radius;
    std::vector<Float3> points;
    for (int64_t k = 0; k < nz; ++k) {
        for (int64_t j = 0; j < ny; ++j) {
            for (int64_t i = 0; i < nx; ++i) {
                const double x = (double(i) + 0.5 - 0.5 * double(nx)) * spacing;
                const double y = (double(j) + 0.5 - 0.5 * double(ny)) * spacing;
                const double z = (double(k) + 0.5 - 0.5 * double(nz)) * spacing;
                if (g.shape == ShapeKind::sphere && x * x + y * y + z * z > radius) continue;
                if (g.shape == ShapeKind::cylinder && x * x + z * z > radius) continue;
                points.push_back({static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)});
            }
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

Mesh shape_mesh(const Geometry& g) {
    if (g.shape == ShapeKind::box) return box_mesh(g.size);
    if (g.shape == ShapeKind::sphere) return sphere_mesh(g.radius);
    return cylinder_mesh(g.radius, g.height);
}

struct Filled {
    std::vector<Float3> position;  ///< m, world
    std::vector<std::string> warnings;
};

Filled fill(const Snow& snow, float spacing) {
    const Geometry& g = snow.geometry;
    const std::string what = "snow '" + snow.name + "'";
    FillSettings settings;
    settings.spacing = spacing;
    settings.relaxed = snow.relaxed;
    settings.jitter = snow.jitter;
    settings.seed = snow.seed;
    const Transform placed = transform_of(g.placed);
    const double cell = double(spacing) * spacing * spacing;

    Filling filling;
    switch (g.shape) {
        case ShapeKind::box:
        case ShapeKind::sphere:
        case ShapeKind::cylinder:
            require_room(shape_volume(g) / cell, what);
            if (snow.relaxed) {
                filling = fill_mesh(shape_mesh(g), settings);
            } else {
                filling.position = lattice(g, spacing);
                for (size_t i = 0; i < filling.position.size() && snow.jitter > 0; ++i) {
                    float* p = &filling.position[i].x;
                    for (uint64_t c = 0; c < 3; ++c)
                        p[c] += static_cast<float>((scattered_unit(snow.seed, i, c) - 0.5) * snow.jitter * spacing);
                }
            }
            break;
        case ShapeKind::mesh: {
            const Mesh mesh = transformed(read_mesh(g.file), Transform(), g.placed.scale);
            const MeshFacts facts = examine(mesh);
            require_near(facts.low, facts.high, spacing, what + ", " + g.file);
            require_room((double(facts.high.x) - facts.low.x) * (double(facts.high.y) - facts.low.y) *
                             (double(facts.high.z) - facts.low.z) / cell / 100,
                         what + ", " + g.file);
            filling = fill_mesh(mesh, settings);
            break;
        }
        case ShapeKind::vdb:
            // Filled as it is in its file, then scaled.
            settings.spacing = spacing / g.placed.scale;
            filling = fill_vdb(g.file, g.grid, settings);
            for (Float3& p : filling.position) p = {p.x * g.placed.scale, p.y * g.placed.scale, p.z * g.placed.scale};
            break;
        case ShapeKind::heightfield: {
            Heightfield field = read_heightfield(g.file, g.cell, g.relief);
            require_room(double(field.columns) * field.rows * g.cell * g.cell * snow.thickness / cell, what);
            filling = fill_layer(field, snow.thickness, settings);
            break;
        }
        case ShapeKind::plane:
        case ShapeKind::particles:
            throw Error(what + ": this shape can't be filled");
    }
    for (Float3& p : filling.position) p = apply_transform(placed, p);
    return {std::move(filling.position), std::move(filling.warnings)};
}

int first_frame_of(const Snow& snow, const Scene& scene) {
    return std::max(snow.start.value_or(scene.first_frame), scene.first_frame);
}

}  // namespace

void append(Particles& to, const Particles& from) {
    const size_t before = to.count(), added = from.count();
    for (const ParticleArray& array : particle_arrays()) {
        if (array.size(to) == 0 && array.size(from) == 0) continue;
        array.resize(to, before + added);
        if (array.size(from) == 0) continue;
        if (array.components == 0) {
            std::copy(from.id.begin(), from.id.end(), to.id.begin() + static_cast<std::ptrdiff_t>(before));
            continue;
        }
        const size_t components = static_cast<size_t>(array.components);
        const float* source = array.data(from);
        std::copy(source, source + added * components, array.data(to) + before * components);
    }
}

void require_near(const Float3& low, const Float3& high, float spacing, const std::string& what) {
    float far = 0;
    for (const float c : {low.x, low.y, low.z, high.x, high.y, high.z}) far = std::max(far, std::abs(c));
    // The gap between two floats there must stay well below a spacing.
    if (far * 1.2e-7f <= 0.1f * spacing) return;
    throw Error(what + " reaches " + std::to_string(static_cast<int64_t>(far)) +
                " m from the origin, where float positions can't tell points " + std::to_string(spacing) +
                " m apart; move everything closer to the origin, or check its units");
}

void require_room(double count, const std::string& what) {
    const double available =
        static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
    // Position and normal twice over while points are made; the engine asks for its own share later.
    if (!(count * 48 > available) && count < 4e9) return;
    char text[64];
    std::snprintf(text, sizeof text, "%.3g", count);
    throw Error(what + " would take about " + text +
                " particles, more than this machine holds; make it smaller, or the spacing larger");
}

SnowPlacer::SnowPlacer(const Scene& scene)
    : scene_(scene), points_(scene.snow.size()), varies_(material_table().size()) {
    const Material common = material_of(scene.parameters);
    for (const Snow& snow : scene.snow) {
        for (size_t q = 0; q < material_table().size(); ++q)
            varies_[q] = varies_[q] ||
                         snow.material.material.*material_table()[q].value != common.*material_table()[q].value ||
                         varies(snow.material.noise, material_table()[q].token) ||
                         (snow.geometry.shape == ShapeKind::particles && !snow.own_material);  // the file may say more
    }
}

bool SnowPlacer::adds_at(int frame) const {
    return std::any_of(scene_.snow.begin(), scene_.snow.end(), [&](const Snow& snow) {
        const int start = first_frame_of(snow, scene_);
        return snow.rate > 0 ? frame >= start && frame <= snow.end.value_or(frame) : frame == start;
    });
}

size_t SnowPlacer::place(int frame, Particles& particles, int64_t& next_id) {
    size_t added = 0;
    for (size_t body = 0; body < scene_.snow.size(); ++body) {
        const Snow& snow = scene_.snow[body];
        const int start = first_frame_of(snow, scene_);
        if (snow.rate > 0) {
            if (frame >= start && frame <= snow.end.value_or(frame))
                added += open_source(body, frame, particles, next_id);
        } else if (frame == start) {
            added += place_body(body, particles, next_id);
        }
    }
    return added;
}

const std::vector<Float3>& SnowPlacer::points(size_t body) {
    if (!points_[body].empty()) return points_[body];
    const Snow& snow = scene_.snow[body];
    Filled filled;
    try {
        filled = fill(snow, scene_.parameters.spacing);
    } catch (const Error& error) {
        throw Error(snow.where + ": " + error.what());
    }
    if (filled.position.empty())
        throw Error(snow.where + ": snow '" + snow.name + "' is too small for one particle at a spacing of " +
                    std::to_string(scene_.parameters.spacing) + " m; make it larger, or raise scene.resolution");
    for (const std::string& warning : filled.warnings) warnings_.push_back("snow '" + snow.name + "': " + warning);
    Float3 low = filled.position[0], high = low;
    for (const Float3& p : filled.position) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    require_near(low, high, scene_.parameters.spacing, snow.where + ": snow '" + snow.name + "'");
    points_[body] = std::move(filled.position);
    return points_[body];
}

Particles SnowPlacer::make_particles(const Snow& snow, std::vector<Float3> positions) const {
    Particles particles;
    particles.position = std::move(positions);
    particles.velocity.reserve(particles.count());
    const Float3 c = snow.geometry.placed.position;
    constexpr float radians = 3.14159265358979f / 180;
    const Float3 w{snow.spin.x * radians, snow.spin.y * radians, snow.spin.z * radians};
    for (const Float3& p : particles.position) {
        const Float3 r{p.x - c.x, p.y - c.y, p.z - c.z};
        particles.velocity.push_back({snow.velocity.x + w.y * r.z - w.z * r.y,  //
                                      snow.velocity.y + w.z * r.x - w.x * r.z,
                                      snow.velocity.z + w.x * r.y - w.y * r.x});
    }
    for (size_t q = 0; q < material_table().size(); ++q) {
        if (!varies_[q]) continue;
        const MaterialQuantity& quantity = material_table()[q];
        std::vector<float>& array = particles.*quantity.array;
        array.assign(particles.count(), snow.material.material.*quantity.value);
        apply_noise(snow.material.noise, quantity.token, particles.position, array);
    }
    return particles;
}

size_t SnowPlacer::place_body(size_t body, Particles& particles, int64_t& next_id) {
    const Snow& snow = scene_.snow[body];
    Particles fresh;
    if (snow.geometry.shape == ShapeKind::particles) {
        ParticleFile file;
        try {
            file = read_particles(snow.geometry.file);
        } catch (const Error& error) {
            throw Error(snow.where + ": " + error.what());
        }
        const Transform placed = transform_of(snow.geometry.placed);
        std::vector<Float3> positions = file.particles.position;
        for (Float3& p : positions) p = apply_transform(placed, p);
        fresh = make_particles(snow, std::move(positions));
        for (size_t i = 0; i < file.particles.velocity.size(); ++i) {
            const Float3 v = turned(placed, file.particles.velocity[i]);
            Float3& to = fresh.velocity[i];
            to = {to.x + v.x, to.y + v.y, to.z + v.z};
        }
        // Particles that say what snow they are stay it, unless the scene says otherwise for this body.
        for (const MaterialQuantity& quantity : material_table()) {
            const std::vector<float>& in_file = file.particles.*quantity.array;
            if (!snow.own_material && !in_file.empty()) fresh.*quantity.array = in_file;
        }
        // What is as it was may keep its strain; what was turned starts without.
        const Float3& turn = snow.geometry.placed.rotation;
        if (turn.x == 0 && turn.y == 0 && turn.z == 0) fresh.strain = file.particles.strain;
        if (file.primitives_left_out > 0)
            warnings_.push_back("snow '" + snow.name + "': " + snow.geometry.file + " has " +
                                std::to_string(file.primitives_left_out) +
                                " primitives (polygons and the like), which are left out: its points are the snow");
        const float spacing = scene_.parameters.spacing;
        if (file.spacing > 0 && std::abs(file.spacing - spacing) > 0.01f * spacing)
            warnings_.push_back("snow '" + snow.name + "': the particles of " + snow.geometry.file + " are " +
                                std::to_string(file.spacing) + " m apart, the scene's " + std::to_string(spacing) +
                                " m");
    } else {
        points(body);
        // It is placed once; nobody asks for the points again.
        fresh = make_particles(snow, std::move(points_[body]));
        points_[body] = {};
    }
    fresh.id.reserve(fresh.count());
    for (size_t i = 0; i < fresh.count(); ++i) fresh.id.push_back(next_id++);
    append(particles, fresh);
    return fresh.count();
}

size_t SnowPlacer::open_source(size_t body, int frame, Particles& particles, int64_t& next_id) {
    const Snow& snow = scene_.snow[body];
    const float spacing = scene_.parameters.spacing;
    const std::vector<Float3>& places = points(body);
    const double mass = double(snow.material.material.rest_density) * spacing * spacing * spacing;
    const uint64_t flakes = flakes_in_frame(snow.rate, mass, 1 / scene_.fps, frame - first_frame_of(snow, scene_));
    const std::vector<Float3> tried = flake_places(places, flakes, snow.seed, frame, spacing);
    std::vector<Float3> positions;
    for (const uint64_t k : free_places(tried, particles.position, spacing)) positions.push_back(tried[k]);
    Particles fresh = make_particles(snow, std::move(positions));
    for (size_t i = 0; i < fresh.count(); ++i) fresh.id.push_back(next_id++);
    append(particles, fresh);
    return fresh.count();
}

uint64_t SnowPlacer::final_count() {
    uint64_t count = 0;
    for (size_t body = 0; body < scene_.snow.size(); ++body) {
        const Snow& snow = scene_.snow[body];
        const int start = first_frame_of(snow, scene_);
        if (start > scene_.last_frame) continue;
        if (snow.rate > 0) {
            const double s = scene_.parameters.spacing;
            const double frames = std::min(snow.end.value_or(scene_.last_frame), scene_.last_frame) - start + 1;
            count += static_cast<uint64_t>(std::max(0.0, frames) * snow.rate / scene_.fps /
                                           (snow.material.material.rest_density * s * s * s));
            points(body);
        } else if (snow.geometry.shape == ShapeKind::particles) {
            count += read_particles(snow.geometry.file).particles.count();
        } else {
            count += points(body).size();
        }
    }
    return count;
}

}  // namespace firn
