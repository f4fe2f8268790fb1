#include "colliders.h"

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "firn/error.h"
#include "placement.h"
#include "snow.h"

namespace firn {

namespace {

bool is_sequence(const Collider& collider) {
    return collider.geometry.file.find('%') != std::string::npos;
}

void flip(Mesh& mesh) {
    for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
}

Heightfield heightfield_of(const Geometry& g) {
    Heightfield field = read_heightfield(g.file, g.cell, g.relief);
    field.origin.x += g.placed.position.x;
    field.origin.y += g.placed.position.y;
    field.origin.z += g.placed.position.z;
    return field;
}

/// Snow is inside: the samples, on the surface, go half a spacing outwards, where Body wants them, and face inwards.
void turn_inside_out(SurfaceSamples& samples, float spacing) {
    for (size_t i = 0; i < samples.position.size(); ++i) {
        Float3 &p = samples.position[i], &n = samples.normal[i];
        p = {p.x + 0.5f * spacing * n.x, p.y + 0.5f * spacing * n.y, p.z + 0.5f * spacing * n.z};
        n = {-n.x, -n.y, -n.z};
    }
}

/// In the collider's own frame, scaled.
Mesh local_mesh(const Geometry& g) {
    switch (g.shape) {
        case ShapeKind::plane:
            return plane_mesh(g.size.x, g.size.z);
        case ShapeKind::box:
            return box_mesh(g.size);
        case ShapeKind::sphere:
            return sphere_mesh(g.radius);
        case ShapeKind::cylinder:
            return cylinder_mesh(g.radius, g.height);
        case ShapeKind::mesh:
            return transformed(read_mesh(g.file), Transform(), g.placed.scale);
        case ShapeKind::vdb:
            return transformed(vdb_mesh(g.file, g.grid), Transform(), g.placed.scale);
        case ShapeKind::heightfield:
            return heightfield_mesh(heightfield_of(g));
        case ShapeKind::particles:
            break;
    }
    throw Error("a collider can't be made of particles");
}

}  // namespace

std::string sequence_file(const std::string& pattern, int frame, int first, int last) {
    const size_t at = pattern.find('%');
    const size_t end = pattern.find('d', at);
    const std::string digits = pattern.substr(at + 1, end - at - 1);
    const int width = digits.empty() ? 0 : std::stoi(digits);
    const bool zeros = !digits.empty() && digits[0] == '0';
    const auto name = [&](int number) {
        char text[32];
        std::snprintf(text, sizeof text, zeros ? "%0*d" : "%*d", width, number);
        return pattern.substr(0, at) + text + pattern.substr(end + 1);
    };
    const auto exists = [&](int number) { return std::filesystem::exists(name(number)); };
    if (exists(frame)) return name(frame);
    int earlier = frame, later = frame;
    while (earlier >= first && !exists(earlier)) --earlier;
    while (later <= last && !exists(later)) ++later;
    const bool before = earlier >= first, after = later <= last;
    if (before && after)
        throw Error(name(frame) + ": this file of the sequence is missing; those of frames " + std::to_string(earlier) +
                    " and " + std::to_string(later) + " are there");
    if (!before && !after)
        throw Error(name(frame) + ": no file of the sequence is there for frames " + std::to_string(first) + " to " +
                    std::to_string(last));
    return name(before ? earlier : later);
}

CollidingBody::CollidingBody(const Scene& scene, size_t index) : scene_(scene), index_(index) {
    const Collider& collider = scene.colliders[index];
    const Geometry& g = collider.geometry;
    const std::string what = "collider '" + collider.name + "'" + (g.file.empty() ? "" : ", " + g.file);
    settings_.spacing = scene.parameters.spacing;
    settings_.two_sided = collider.two_sided;
    if (collider.inverted) settings_.depth = 0;
    try {
        if (g.shape == ShapeKind::vdb) {
            SurfaceSettings in_file = settings_;
            in_file.spacing /= g.placed.scale;
            local_ = sample_vdb_surface(g.file, g.grid, in_file);
            for (Float3& p : local_.position) p = {p.x * g.placed.scale, p.y * g.placed.scale, p.z * g.placed.scale};
        } else if (g.shape == ShapeKind::heightfield) {
            local_ = sample_heightfield(heightfield_of(g), settings_);
        } else {
            const Mesh mesh = is_sequence(collider) ? sequence_mesh(scene.first_frame) : local_mesh(g);
            const MeshFacts facts = examine(mesh);
            require_near(facts.low, facts.high, settings_.spacing, what);
            require_room(facts.area / (double(settings_.spacing) * settings_.spacing), what);
            if (facts.non_manifold_edges)
                warnings_.push_back(what + ": " + std::to_string(facts.non_manifold_edges) +
                                    " edges have more than two faces");
            local_ = sample_surface(mesh, settings_);
        }
        for (const std::string& warning : local_.warnings) warnings_.push_back(what + ": " + warning);
        if (local_.position.empty()) throw Error(what + " has no surface to cover with particles");
        if (is_sequence(collider)) {
            recognise_motion();
        } else if (!collider.keys.empty()) {
            motion_ = Motion::rigid;
        }
    } catch (const Error& error) {
        // A file's own errors name it; those of sampling don't.
        const std::string said = error.what();
        const bool named = said.find("'" + collider.name + "'") != std::string::npos ||
                           (!g.file.empty() && said.rfind(g.file, 0) == 0);
        throw Error(collider.where + ": " + (named ? "" : what + ": ") + said);
    }
    placed_ = local_;
    if (collider.inverted) turn_inside_out(placed_, settings_.spacing);
    volume_ = boundary_volumes(placed_.position, scene.parameters.spacing, scene.parameters.boundary_volume);
}

Mesh CollidingBody::sequence_mesh(int frame) const {
    const Geometry& g = scene_.colliders[index_].geometry;
    return transformed(read_mesh(sequence_file(g.file, frame, scene_.first_frame, scene_.last_frame)),
                       transform_of(g.placed), g.placed.scale);
}

void CollidingBody::recognise_motion() {
    const Mesh first = sequence_mesh(scene_.first_frame);
    // Files with six digits move points by their rounding; that is no deformation.
    const float tolerance = 0.02f * settings_.spacing;
    motion_ = Motion::rigid;
    for (int frame = scene_.first_frame; frame <= scene_.last_frame; ++frame) {
        const Mesh mesh = sequence_mesh(frame);
        const auto motion = mesh.points.size() == first.points.size()
                                ? rigid_motion(first.points, mesh.points, tolerance)
                                : std::nullopt;
        if (!motion) {
            motion_ = Motion::deforming;
            moved_.clear();
            return;
        }
        moved_[frame] = *motion;
    }
}

Body CollidingBody::body_at(int frame) const {
    const Collider& collider = scene_.colliders[index_];
    Body body;
    body.name = collider.name;
    body.motion = motion_;
    body.position = placed_.position;
    // Without normals the snow itself tells on which side of a thin sheet it is.
    if (!collider.two_sided) body.normal = placed_.normal;
    body.volume = volume_;
    body.friction = collider.friction;
    body.adhesion = collider.adhesion;
    body.bounce = collider.bounce;
    body.sticky = collider.sticky;
    if (motion_ == Motion::rigid) {
        body.placement = placement(frame);
    } else if (motion_ == Motion::deforming) {
        body.position = positions(frame);
        body.normal.clear();
    } else if (collider.geometry.shape != ShapeKind::heightfield) {
        const Transform t = transform_of(collider.geometry.placed);
        for (Float3& p : body.position) p = apply_transform(t, p);
        for (Float3& n : body.normal) n = turned(t, n);
    }
    return body;
}

Transform CollidingBody::placement(int frame) const {
    if (moved_.empty()) return placement_at(scene_.colliders[index_], frame);
    auto at = moved_.upper_bound(frame);
    return at == moved_.begin() ? at->second : std::prev(at)->second;
}

std::vector<Float3> CollidingBody::positions(int frame) const {
    SurfaceSamples moved = follow(local_, sequence_mesh(frame));
    if (scene_.colliders[index_].inverted) turn_inside_out(moved, settings_.spacing);
    return moved.position;
}

Mesh collider_mesh(const Scene& scene, size_t index, double frame) {
    const Collider& collider = scene.colliders.at(index);
    const Geometry& g = collider.geometry;
    Mesh mesh;
    if (is_sequence(collider)) {
        const int at = static_cast<int>(std::lround(frame));
        mesh = transformed(read_mesh(sequence_file(g.file, at, scene.first_frame, scene.last_frame)),
                           transform_of(g.placed), g.placed.scale);
    } else if (g.shape == ShapeKind::heightfield) {
        mesh = local_mesh(g);
    } else {
        mesh = transformed(local_mesh(g), placement_at(collider, frame));
    }
    if (collider.inverted) flip(mesh);
    return mesh;
}

bool collider_moves(const Scene& scene, size_t index) {
    const Collider& collider = scene.colliders.at(index);
    return is_sequence(collider) || collider.keys.size() > 1;
}

}  // namespace firn
