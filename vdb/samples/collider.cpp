#include "firn/collider.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "firn/error.h"

namespace firn {

namespace {

std::vector<Float3> placed(const Transform& t, std::vector<Float3> points) {
    for (Float3& p : points) p = apply_transform(t, p);
    return points;
}

bool same(const std::vector<Float3>& a, const std::vector<Float3>& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const Float3& p, const Float3& q) {
               return p.x == q.x && p.y == q.y && p.z == q.z;
           });
}

bool same(const ColliderShape& a, const ColliderShape& b) {
    return same_topology(a, b) && same(a.mesh.points, b.mesh.points) && same(a.normals, b.normals);
}

bool same(const BoundarySettings& a, const BoundarySettings& b) {
    return a.spacing == b.spacing && a.boundary_volume == b.boundary_volume && a.inverted == b.inverted &&
           a.two_sided == b.two_sided;
}

bool close(const std::vector<Float3>& a, const std::vector<Float3>& b, float within) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [&](const Float3& p, const Float3& q) {
               return std::abs(p.x - q.x) <= within && std::abs(p.y - q.y) <= within && std::abs(p.z - q.z) <= within;
           });
}

SurfaceSettings surface_settings(const BoundarySettings& settings) {
    SurfaceSettings surface;
    surface.spacing = settings.spacing;
    surface.two_sided = settings.two_sided;
    surface.memory_limit = settings.memory_limit;
    if (settings.inverted) surface.depth = 0;
    return surface;
}

/// Snow is inside: the samples, on the surface, go half a spacing outwards, where Body wants them.
std::vector<Float3> outside(const SurfaceSamples& samples, float spacing) {
    std::vector<Float3> positions = samples.position;
    for (size_t i = 0; i < samples.normal.size(); ++i) {
        Float3& p = positions[i];
        const Float3& n = samples.normal[i];
        p = {p.x + 0.5f * spacing * n.x, p.y + 0.5f * spacing * n.y, p.z + 0.5f * spacing * n.z};
    }
    return positions;
}

constexpr const char* no_surface = " has no surface to cover with particles";

/// A count whose errors and warnings say of what. A file's own errors name it already.
template <class Counting>
Count named(const std::string& what, const Counting& counting, const std::string& file = "") {
    Count count;
    try {
        count = counting();
    } catch (const Error& error) {
        const std::string said = error.what();
        throw Error(!file.empty() && said.rfind(file, 0) == 0 ? said : what + ": " + said);
    }
    for (std::string& warning : count.warnings) warning = what + ": " + warning;
    return count;
}

Boundary complete(SurfaceSamples samples, const BoundarySettings& settings, const std::string& what) {
    if (samples.position.empty()) throw Error(what + no_surface);
    Boundary boundary;
    boundary.settings = settings;
    for (const std::string& warning : samples.warnings) boundary.warnings.push_back(what + ": " + warning);
    boundary.position = settings.inverted ? outside(samples, settings.spacing) : samples.position;
    // Without normals the snow itself tells on which side of a thin sheet it is.
    if (!settings.two_sided) boundary.normal = samples.normal;
    if (settings.inverted)
        for (Float3& n : boundary.normal) n = {-n.x, -n.y, -n.z};
    boundary.volume = boundary_volumes(boundary.position, settings.spacing, settings.boundary_volume);
    boundary.samples = std::move(samples);
    return boundary;
}

/// A shape whose placement only turns and moves: what stretches has gone into the points.
struct UnstretchedShape {
    Transform placement;
    ColliderShape shape;
};

UnstretchedShape unstretched(const ColliderShape& shape, const Affine& placement) {
    const Unstretched split = unstretched(placement);
    UnstretchedShape out{split.placement, shape};
    if (split.rigid) return out;
    for (Float3& p : out.shape.mesh.points) p = multiplied(split.stretch, p);
    if (split.mirrors)
        for (auto& triangle : out.shape.mesh.triangles) std::swap(triangle[1], triangle[2]);
    // Normals of stretched particles would want the inverse; they are found from the snow instead.
    out.shape.normals.clear();
    return out;
}

/// Values per point of the shape, at the boundary particles.
std::vector<float> at_samples(const std::vector<float>& values, const ColliderShape& rest,
                              const SurfaceSamples& samples) {
    if (values.empty() || rest.mesh.triangles.empty()) return values;
    std::vector<float> out(samples.position.size());
    for (size_t i = 0; i < out.size(); ++i) {
        const auto& corner = rest.mesh.triangles[samples.triangle[i]];
        const Float3& b = samples.barycentric[i];
        out[i] = b.x * values[corner[0]] + b.y * values[corner[1]] + b.z * values[corner[2]];
    }
    return out;
}

}  // namespace

bool same_topology(const ColliderShape& a, const ColliderShape& b) {
    return a.mesh.points.size() == b.mesh.points.size() && a.mesh.triangles == b.mesh.triangles;
}

Boundary boundary_of(const ColliderShape& shape, const BoundarySettings& settings, const std::string& what) {
    if (shape.mesh.triangles.empty()) {
        SurfaceSamples particles;
        particles.position = shape.mesh.points;
        particles.normal = shape.normals;
        return complete(std::move(particles), settings, what);
    }
    SurfaceSamples samples;
    try {
        samples = sample_surface(shape.mesh, surface_settings(settings));
    } catch (const Error& error) {
        throw Error(what + ": " + error.what());
    }
    return complete(std::move(samples), settings, what);
}

Count boundary_count(const ColliderShape& shape, const BoundarySettings& settings, const std::string& what,
                     double probes) {
    Count count;
    if (shape.mesh.triangles.empty()) {
        if (shape.mesh.points.empty()) throw Error(what + no_surface);
        count.particles = static_cast<double>(shape.mesh.points.size());
        count.exact = true;
        return count;
    }
    return named(what, [&] { return count_surface(shape.mesh, surface_settings(settings), probes); });
}

Count boundary_count(const std::string& mesh_file, float scale, const BoundarySettings& settings,
                     const std::string& what, double probes) {
    return named(
        what, [&] { return count_mesh_surface(mesh_file, scale, surface_settings(settings), probes); }, mesh_file);
}

Count boundary_count_of_vdb(const std::string& path, const std::string& grid, float scale,
                            const BoundarySettings& settings, const std::string& what, double probes) {
    SurfaceSettings in_file = surface_settings(settings);
    in_file.spacing /= scale;
    return named(
        what, [&] { return count_vdb_surface(path, grid, in_file, probes); }, path);
}

Count boundary_count(const Heightfield& field, const BoundarySettings& settings, const std::string& what,
                     double probes) {
    return named(what, [&] { return count_heightfield(field, surface_settings(settings), probes); });
}

Boundary boundary_of_vdb(const std::string& path, const std::string& grid, float scale,
                         const BoundarySettings& settings, const std::string& what) {
    SurfaceSettings in_file = surface_settings(settings);
    in_file.spacing /= scale;
    SurfaceSamples samples;
    try {
        samples = sample_vdb_surface(path, grid, in_file);
    } catch (const Error& error) {
        // A file's own errors name it; those of sampling don't.
        const std::string said = error.what();
        throw Error(said.rfind(path, 0) == 0 ? said : what + ": " + said);
    }
    for (Float3& p : samples.position) p = {p.x * scale, p.y * scale, p.z * scale};
    return complete(std::move(samples), settings, what);
}

const Boundary& BoundaryCache::of(const std::string& key, const ColliderShape& shape, const BoundarySettings& settings,
                                  const std::string& what) {
    const auto known = entries_.find(key);
    if (known != entries_.end() && same(known->second.boundary.settings, settings) &&
        same(known->second.shape, shape)) {
        known->second.used = true;
        return known->second.boundary;
    }
    Entry& entry = entries_[key] = {shape, boundary_of(shape, settings, what), true};
    warnings_.insert(warnings_.end(), entry.boundary.warnings.begin(), entry.boundary.warnings.end());
    return entry.boundary;
}

void BoundaryCache::drop_unused() {
    for (auto it = entries_.begin(); it != entries_.end();) {
        const bool used = it->second.used;
        it->second.used = false;
        it = used ? std::next(it) : entries_.erase(it);
    }
}

std::vector<std::string> BoundaryCache::take_warnings() {
    return std::exchange(warnings_, {});
}

ColliderState first_seen(const ColliderShape& shape, const Affine& placement, Motion motion) {
    UnstretchedShape u = unstretched(shape, placement);
    ColliderState seen;
    seen.motion = motion;
    if (motion == Motion::deforming)
        seen.points = placed(u.placement, u.shape.mesh.points);
    else
        seen.placement = u.placement;
    seen.rest = std::move(u.shape);
    return seen;
}

ColliderState followed(const ColliderState& before, const ColliderShape& now, const Affine& placement, float spacing) {
    UnstretchedShape u = unstretched(now, placement);
    if (!same_topology(before.rest, u.shape)) return first_seen(now, placement);
    const std::vector<Float3>&from = before.rest.mesh.points, &to = u.shape.mesh.points;
    ColliderState next = before;
    if (before.motion != Motion::deforming) {
        const bool shape_kept =
            same(from, to) || (now.moves_by_placement && close(from, to, motion_tolerance * spacing));
        // Points that moved as one are a motion too: geometry that was transformed instead of its object.
        const auto motion =
            shape_kept ? std::optional<Transform>(Transform()) : rigid_motion(from, to, motion_tolerance * spacing);
        if (motion) {
            next.placement = shape_kept ? u.placement : composed(u.placement, *motion);
            if (!(next.placement == before.placement)) next.motion = Motion::rigid;
            return next;
        }
    }
    next.motion = Motion::deforming;
    next.placement = Transform();
    next.points = placed(u.placement, std::move(u.shape.mesh.points));
    return next;
}

void require_same_topology(const ColliderState& before, const ColliderState& after, const std::string& what) {
    if (same_topology(before.rest, after.rest)) return;
    const auto size = [](const ColliderState& c) {
        return std::to_string(c.rest.mesh.points.size()) + " points and " +
               std::to_string(c.rest.mesh.triangles.size()) + " triangles";
    };
    throw Error(what + " changes its topology, from " + size(before) + " to " + size(after) +
                ": it can't be followed; keep the same points and polygons at every frame");
}

std::vector<Float3> boundary_positions(const ColliderState& collider, const Boundary& boundary) {
    if (collider.motion != Motion::deforming) return placed(collider.placement, boundary.position);
    if (collider.rest.mesh.triangles.empty()) return collider.points;
    const SurfaceSamples moved = follow(boundary.samples, {collider.points, collider.rest.mesh.triangles});
    return boundary.settings.inverted ? outside(moved, boundary.settings.spacing) : moved.position;
}

ColliderSurface::ColliderSurface() {
    const Body body;
    for (size_t q = 0; q < surface_quantity_count; ++q) value[q] = body.*surface_table()[q].value;
}

void ColliderSurface::set_values(Body& body) const {
    for (size_t q = 0; q < surface_quantity_count; ++q) body.*surface_table()[q].value = value[q];
}

float& ColliderSurface::of(float Body::*quantity) {
    const auto row = std::find_if(surface_table().begin(), surface_table().end(),
                                  [&](const SurfaceQuantity& q) { return q.value == quantity; });
    return value.at(static_cast<size_t>(row - surface_table().begin()));
}

MovingBody moving_body(const std::string& name, const ColliderState& before, const ColliderState& after,
                       const Boundary& boundary, const ColliderSurface& surface) {
    MovingBody moving;
    Body& body = moving.body;
    body.name = name;
    body.motion = after.motion;
    body.volume = boundary.volume;
    if (after.motion == Motion::rigid) {
        body.position = boundary.position;
        body.normal = boundary.normal;
        body.placement = before.placement;
        moving.end = after.placement;
    } else if (after.motion == Motion::still) {
        body.position = boundary_positions(after, boundary);
        body.normal = boundary.normal;
        for (Float3& n : body.normal) n = turned(after.placement, n);
    } else {
        ColliderState then = before;
        if (before.motion != Motion::deforming) {
            then.motion = Motion::deforming;
            then.points = placed(before.placement, before.rest.mesh.points);
        }
        body.position = boundary_positions(then, boundary);
        moving.end_position = boundary_positions(after, boundary);
    }
    surface.set_values(body);
    for (size_t q = 0; q < surface_quantity_count; ++q)
        body.*surface_table()[q].array = at_samples(surface.at_points[q], after.rest, boundary.samples);
    return moving;
}

}  // namespace firn
