#include "snow.h"

#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "firn/flakes.h"
#include "firn/particle_file.h"
#include "float3.h"
#include "placement.h"
#include "snow_filling.h"

namespace firn {

int first_frame_of(const Snow& snow, const Scene& scene) {
    return std::max(snow.start.value_or(scene.first_frame), scene.first_frame);
}

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
    Filling filled = fill_snow(snow, scene_);
    standing_ = std::move(filled.triangle);
    warnings_.insert(warnings_.end(), filled.warnings.begin(), filled.warnings.end());
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
        if (file.rounded)
            warnings_.push_back("snow '" + snow.name + "': " + snow.geometry.file +
                                " has rounded positions: it does not go on bit-exactly from where they were written");
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
        if (!snow.on.empty()) move_with_ground(snow, fresh);
    }
    if (snow.spares) leave_out_overlaps(snow, particles, fresh);
    fresh.id.reserve(fresh.count());
    for (size_t i = 0; i < fresh.count(); ++i) fresh.id.push_back(next_id++);
    append(particles, fresh);
    return fresh.count();
}

/// Snow on a body that moves starts with its speed.
void SnowPlacer::move_with_ground(const Snow& snow, Particles& fresh) const {
    const size_t under = collider_under(snow, scene_);
    if (!collider_moves(scene_, under)) return;
    const int frame = first_frame_of(snow, scene_);
    const Mesh now = collider_mesh(scene_, under, frame), next = collider_mesh(scene_, under, frame + 1);
    if (now.points.size() != next.points.size()) return;
    const float fps = static_cast<float>(scene_.fps);
    for (size_t i = 0; i < fresh.count(); ++i) {
        const auto& [a, b, c] = now.triangles[standing_[i]];
        const Float3 &p = now.points[a], &q = now.points[b], &r = now.points[c], &x = fresh.position[i];
        // Where in the triangle it stands, seen from above.
        const float area = (q.x - p.x) * (r.z - p.z) - (r.x - p.x) * (q.z - p.z);
        const float s = ((x.x - p.x) * (r.z - p.z) - (r.x - p.x) * (x.z - p.z)) / area;
        const float t = ((q.x - p.x) * (x.z - p.z) - (x.x - p.x) * (q.z - p.z)) / area;
        const auto speed = [&](uint32_t k) { return fps * (next.points[k] - now.points[k]); };
        fresh.velocity[i] += (1 - s - t) * speed(a) + s * speed(b) + t * speed(c);
    }
}

void SnowPlacer::leave_out_overlaps(const Snow& snow, const Particles& there, Particles& fresh) {
    if (there.count() == 0 || fresh.count() == 0) return;
    // Nearer than this, two particles push each other apart at once.
    const std::vector<uint8_t> taken = near_any(fresh.position, there.position, 0.75f * scene_.parameters.spacing);
    const size_t count = fresh.count();
    for (const ParticleArray& array : particle_arrays()) {
        if (array.components == 0 || array.size(fresh) == 0) continue;
        const size_t width = static_cast<size_t>(array.components);
        float* data = array.data(fresh);
        size_t kept = 0;
        for (size_t i = 0; i < count; ++i)
            if (!taken[i]) std::copy_n(data + i * width, width, data + width * kept++);
    }
    const size_t left = static_cast<size_t>(std::count(taken.begin(), taken.end(), 0));
    for (const ParticleArray& array : particle_arrays())
        if (array.size(fresh) != 0) array.resize(fresh, left);
    if (left < count)
        warnings_.push_back("snow '" + snow.name + "': " + std::to_string(count - left) + " of " +
                            std::to_string(count) + " particles were left out, where snow was already");
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

}  // namespace firn
