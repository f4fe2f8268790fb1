#include "colliders.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <numeric>

#include "firn/error.h"
#include "firn/memory.h"
#include "firn/surface_sources.h"
#include "float3.h"
#include "placement.h"

namespace firn {

namespace {

constexpr float shown_size = 1000;  ///< of a plane without end, in pictures and USD, m

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

/// The same for a count.
HeightfieldLook heightfield_look(const Geometry& g) {
    HeightfieldLook look = look_at_heightfield(g.file, g.cell, g.relief);
    for (Float3* p : {&look.field.origin, &look.facts.low, &look.facts.high}) *p = *p + g.placed.position;
    return look;
}

/// In the collider's own frame, scaled.
Mesh local_mesh(const Geometry& g) {
    switch (g.shape) {
        case ShapeKind::plane:
            return g.endless ? plane_mesh(shown_size, shown_size) : plane_mesh(g.size.x, g.size.z);
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

/// Whether a collider is covered with particles only where snow comes near.
bool is_on_demand(const Geometry& g) {
    return g.shape == ShapeKind::plane || g.shape == ShapeKind::heightfield;
}

void require_end_if_it_turns(const Collider& collider) {
    const auto turns = [&](const Key& key) {
        const Float3 &a = key.rotation, &b = collider.keys.front().rotation;
        return a.x != b.x || a.y != b.y || a.z != b.z;
    };
    if (collider.geometry.endless && std::any_of(collider.keys.begin(), collider.keys.end(), turns))
        throw Error("a plane without end can't turn; give it a size");
}

/// Boundary particles of a plane or a terrain that snow is near: below or above its boxes, and a little beyond.
double count_near(const Scene& scene, const Geometry& g, const std::vector<Bounds>& snow) {
    const double spacing = scene.parameters.spacing, beyond = 26 * spacing;  // in whole bricks
    double all = std::numeric_limits<double>::infinity(), steep = 1;
    Transform placed = transform_of(g.placed);
    if (g.shape == ShapeKind::heightfield) {
        const MeshFacts facts = heightfield_look(g).facts;
        all = facts.area;
        steep = all / ((double(facts.high.x) - facts.low.x) * (double(facts.high.z) - facts.low.z));
        placed = Transform();
    } else if (!g.endless) {
        all = double(g.size.x) * g.size.z;
    }
    const Float3 up = turned(placed, Float3{0, 1, 0});
    double near = 0;
    for (const Bounds& each : snow) {
        const double x = double(each.high.x) - each.low.x + 2 * beyond,
                     y = double(each.high.y) - each.low.y + 2 * beyond,
                     z = double(each.high.z) - each.low.z + 2 * beyond;
        near += steep * (std::abs(up.x) * y * z + std::abs(up.y) * x * z + std::abs(up.z) * x * y);
    }
    return std::min(all, near) / (spacing * spacing);
}

/// Begins messages.
std::string title(const Collider& collider) {
    return "collider '" + collider.name + "'" + (collider.geometry.file.empty() ? "" : ", " + collider.geometry.file);
}

BoundarySettings boundary_settings(const Scene& scene, const Collider& collider) {
    BoundarySettings settings;
    settings.spacing = scene.parameters.spacing;
    settings.boundary_volume = scene.parameters.boundary_volume;
    settings.inverted = collider.inverted;
    settings.two_sided = collider.two_sided;
    settings.memory_limit = allowed_bytes(scene.parameters);
    return settings;
}

/// Its errors with the place in the scene file, and the collider's name.
template <class Action>
void naming(const Collider& collider, const Action& action) {
    try {
        action();
    } catch (const Error& error) {
        // A file's own errors name it; those of a sequence name the file of a frame.
        const std::string said = error.what(), &file = collider.geometry.file;
        const bool named =
            said.find("'" + collider.name + "'") != std::string::npos || (!file.empty() && said.rfind(file, 0) == 0);
        throw Error(collider.where + ": " + (named ? "" : title(collider) + ": ") + said);
    }
}

Mesh sequence_mesh(const Scene& scene, size_t index, int frame) {
    const Geometry& g = scene.colliders[index].geometry;
    return transformed(read_mesh(sequence_file(g.file, frame, scene.first_frame, scene.last_frame)),
                       transform_of(g.placed), g.placed.scale);
}

ColliderState first_of_sequence(const Scene& scene, size_t index) {
    return first_seen({sequence_mesh(scene, index, scene.first_frame), {}}, {}, Motion::rigid);
}

/// Whether a sequence moves as a whole, and where to at each of the frames; else it deforms.
void follow_sequence(const Scene& scene, size_t index, const std::vector<int>& frames, ColliderState& first,
                     std::map<int, Transform>& moved) {
    for (const int frame : frames) {
        const ColliderState now =
            followed(first, {sequence_mesh(scene, index, frame), {}}, {}, scene.parameters.spacing);
        if (now.motion != Motion::rigid) {
            first = first_seen(first.rest, {}, Motion::deforming);
            moved.clear();
            return;
        }
        moved[frame] = now.placement;
    }
}

std::vector<int> all_frames(const Scene& scene) {
    std::vector<int> frames(static_cast<size_t>(scene.last_frame - scene.first_frame + 1));
    std::iota(frames.begin(), frames.end(), scene.first_frame);
    return frames;
}

/// Frames of a sequence that tell how it moves without reading gigabytes: all of a small one, of a large one its ends
/// and some between. Throws Error if a file is missing in any frame.
std::vector<int> telling_frames(const Scene& scene, size_t index) {
    constexpr double most_bytes = 32e6;  // about a second
    const std::vector<int> all = all_frames(scene);
    double bytes = 0;
    std::error_code unknown;
    for (const int frame : all)
        bytes += static_cast<double>(std::filesystem::file_size(
            sequence_file(scene.colliders[index].geometry.file, frame, scene.first_frame, scene.last_frame), unknown));
    const size_t count = static_cast<size_t>(std::clamp(double(all.size()) * most_bytes / std::max(bytes, 1.0), 2.0,
                                                        double(std::max<size_t>(all.size(), 2))));
    if (count >= all.size()) return all;
    std::vector<int> some;
    for (size_t k = 0; k < count; ++k) some.push_back(all[k * (all.size() - 1) / (count - 1)]);
    return some;
}

}  // namespace

std::string frame_file(const std::string& pattern, int frame) {
    const size_t at = pattern.find('%');
    const size_t end = pattern.find('d', at);
    const std::string digits = pattern.substr(at + 1, end - at - 1);
    const int width = digits.empty() ? 0 : std::stoi(digits);
    const bool zeros = !digits.empty() && digits[0] == '0';
    char text[32];
    std::snprintf(text, sizeof text, zeros ? "%0*d" : "%*d", width, frame);
    return pattern.substr(0, at) + text + pattern.substr(end + 1);
}

std::string sequence_file(const std::string& pattern, int frame, int first, int last) {
    const auto name = [&](int number) { return frame_file(pattern, number); };
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

CollidingBody::CollidingBody(const Scene& scene, size_t index)
    : scene_(scene), index_(index), what_(title(scene.colliders[index])) {
    const Collider& collider = scene.colliders[index];
    const Geometry& g = collider.geometry;
    const BoundarySettings settings = boundary_settings(scene, collider);
    naming(collider, [&] {
        if (is_sequence(collider)) {
            first_ = first_of_sequence(scene, index);
            boundary_ = boundary_of(first_.rest, settings, what_);
            follow_sequence(scene, index, all_frames(scene), first_, moved_);
            return;
        }
        if (!collider.keys.empty()) first_.motion = Motion::rigid;
        // A heightfield's mesh is in the world already.
        if (g.shape != ShapeKind::heightfield) first_.placement = transform_of(g.placed);
        if (is_on_demand(g)) {
            require_end_if_it_turns(collider);
            source_ = g.shape == ShapeKind::heightfield
                          ? heightfield_source(heightfield_of(g), settings)
                          : plane_source(g.endless ? 0 : g.size.x, g.endless ? 0 : g.size.z,
                                         motion() == Motion::still ? first_.placement : Transform(), settings);
            return;
        }
        boundary_ = g.shape == ShapeKind::vdb ? boundary_of_vdb(g.file, g.grid, g.placed.scale, settings, what_)
                                              : boundary_of({local_mesh(g), {}}, settings, what_);
    });
}

ColliderCount count_collider(const Scene& scene, size_t index, double probes, const std::vector<Bounds>& snow,
                             const ColliderCount* twin) {
    const Collider& collider = scene.colliders[index];
    const BoundarySettings settings = boundary_settings(scene, collider);
    ColliderCount counted;
    if (twin && !twin->on_demand) {
        counted = *twin;
        if (!is_sequence(collider)) counted.motion = collider.keys.empty() ? Motion::still : Motion::rigid;
        return counted;
    }
    naming(collider, [&] {
        if (is_on_demand(collider.geometry)) {
            require_end_if_it_turns(collider);
            counted.on_demand = true;
            counted.boundary.particles = count_near(scene, collider.geometry, snow);
            if (!collider.keys.empty()) counted.motion = Motion::rigid;
            return;
        }
        if (!is_sequence(collider)) {
            const Geometry& g = collider.geometry;
            if (g.shape == ShapeKind::mesh) {
                counted.boundary = boundary_count(g.file, g.placed.scale, settings, title(collider), probes);
            } else if (g.shape == ShapeKind::vdb) {
                counted.boundary =
                    boundary_count_of_vdb(g.file, g.grid, g.placed.scale, settings, title(collider), probes);
            } else {
                counted.boundary = boundary_count({local_mesh(g), {}}, settings, title(collider), probes);
            }
            if (!collider.keys.empty()) counted.motion = Motion::rigid;
            return;
        }
        const Geometry& g = collider.geometry;
        const auto file = [&](int frame) { return sequence_file(g.file, frame, scene.first_frame, scene.last_frame); };
        if (is_large_mesh_file(file(scene.first_frame))) {
            counted.boundary =
                boundary_count(file(scene.first_frame), g.placed.scale, settings, title(collider), probes);
            std::vector<std::string> files;
            for (const int frame : telling_frames(scene, index)) files.push_back(file(frame));
            counted.motion = motion_of_files(files, g.placed.scale, settings.spacing);
            return;
        }
        ColliderState first = first_of_sequence(scene, index);
        counted.boundary = boundary_count(first.rest, settings, title(collider), probes);
        std::map<int, Transform> moved;
        follow_sequence(scene, index, telling_frames(scene, index), first, moved);
        counted.motion = first.motion;
    });
    return counted;
}

Count count_layer_on(const Scene& scene, size_t index, int frame, float thickness, const FillSettings& settings) {
    const Collider& collider = scene.colliders[index];
    const Geometry& g = collider.geometry;
    if (g.shape == ShapeKind::heightfield) return count_layer_on(heightfield_look(g), thickness, settings);
    if (is_sequence(collider))
        return count_mesh_layer(sequence_file(g.file, frame, scene.first_frame, scene.last_frame), g.placed.scale,
                                transform_of(g.placed), thickness, settings);
    if (g.shape == ShapeKind::mesh)
        return count_mesh_layer(g.file, g.placed.scale, placement_at(collider, frame), thickness, settings);
    if (g.shape == ShapeKind::vdb)
        return count_vdb_layer(g.file, g.grid, g.placed.scale, placement_at(collider, frame), thickness, settings);
    return count_layer(collider_mesh(scene, index, frame), thickness, settings);
}

ColliderState CollidingBody::deformed(int frame) const {
    ColliderState now = followed(first_, {sequence_mesh(scene_, index_, frame), {}}, {}, scene_.parameters.spacing);
    require_same_topology(first_, now, what_);
    return now;
}

Body CollidingBody::body_at(int frame) const {
    const Collider& collider = scene_.colliders[index_];
    ColliderState now = motion() == Motion::deforming ? deformed(frame) : first_;
    if (motion() == Motion::rigid) now.placement = placement(frame);
    ColliderSurface surface;
    surface.of(&Body::friction) = collider.friction;
    surface.of(&Body::adhesion) = collider.adhesion;
    surface.of(&Body::bounce) = collider.bounce;
    surface.of(&Body::sticky) = collider.sticky;
    if (source_) {
        Body body;
        body.name = collider.name;
        body.motion = motion();
        body.placement = now.placement;
        body.source = source_;
        surface.set_values(body);
        return body;
    }
    return moving_body(collider.name, now, now, boundary_, surface).body;
}

Transform CollidingBody::placement(int frame) const {
    if (moved_.empty()) return placement_at(scene_.colliders[index_], frame);
    auto at = moved_.upper_bound(frame);
    return at == moved_.begin() ? at->second : std::prev(at)->second;
}

std::vector<Float3> CollidingBody::positions(int frame) const {
    return boundary_positions(deformed(frame), boundary_);
}

Mesh collider_mesh(const Scene& scene, size_t index, double frame) {
    const Collider& collider = scene.colliders.at(index);
    const Geometry& g = collider.geometry;
    Mesh mesh;
    if (is_sequence(collider)) {
        mesh = sequence_mesh(scene, index, static_cast<int>(std::lround(frame)));
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
