#include "collider_bodies.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "firn/error.h"
#include "firn/rigid_transform.h"

namespace firn {

namespace {

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

bool close(const std::vector<Float3>& a, const std::vector<Float3>& b, float tolerance) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [&](const Float3& p, const Float3& q) {
               return std::abs(p.x - q.x) <= tolerance && std::abs(p.y - q.y) <= tolerance &&
                      std::abs(p.z - q.z) <= tolerance;
           });
}

/// Snow is inside: the samples, on the surface, go half a spacing outwards, where Body wants them, and face inwards.
SurfaceSamples turned_inside_out(SurfaceSamples samples, float spacing) {
    for (size_t i = 0; i < samples.position.size(); ++i) {
        Float3 &p = samples.position[i], &n = samples.normal[i];
        p = {p.x + 0.5f * spacing * n.x, p.y + 0.5f * spacing * n.y, p.z + 0.5f * spacing * n.z};
        n = {-n.x, -n.y, -n.z};
    }
    return samples;
}

SurfaceSettings surface_settings(const ColliderSettings& settings) {
    SurfaceSettings s;
    s.spacing = settings.spacing;
    s.two_sided = settings.two_sided;
    if (settings.inverted) s.depth = 0;
    return s;
}

/// A point attribute where the samples are.
std::vector<float> on_samples(const SurfacePiece& piece, const char* name, const SurfaceSamples& samples) {
    for (const PointValues& values : piece.values) {
        if (values.name != name || samples.triangle.empty()) continue;
        std::vector<float> out(samples.position.size());
        for (size_t i = 0; i < out.size(); ++i) {
            const auto& corner = piece.mesh.triangles[samples.triangle[i]];
            const Float3& w = samples.barycentric[i];
            out[i] = w.x * values.values[corner[0]] + w.y * values.values[corner[1]] + w.z * values.values[corner[2]];
        }
        return out;
    }
    return {};
}

/// Two pieces of one input may have one name; two bodies may not.
void make_names_unique(std::vector<MovingBody>& bodies) {
    for (size_t a = 0; a < bodies.size(); ++a) {
        int again = 1;
        for (size_t b = a + 1; b < bodies.size(); ++b)
            if (bodies[b].body.name == bodies[a].body.name) bodies[b].body.name += "_" + std::to_string(++again);
    }
}

}  // namespace

std::vector<WantedValues> collider_values() {
    return {{"friction", 1}, {"adhesion", 1}, {"bounce", 1}, {"sticky", 1}};
}

const ColliderBodies::Sampled& ColliderBodies::sample(size_t slot, const Mesh& mesh, const std::string& name,
                                                      const ColliderSettings& settings) {
    const SurfaceSettings surface = surface_settings(settings);
    if (slot < sampled_.size()) {
        const Sampled& known = sampled_[slot];
        if (known.settings.spacing == surface.spacing && known.settings.depth == surface.depth &&
            known.settings.two_sided == surface.two_sided && known.inverted == settings.inverted &&
            known.boundary_volume == settings.boundary_volume && same_bytes(known.mesh.points, mesh.points) &&
            same_bytes(known.mesh.triangles, mesh.triangles))
            return known;
    } else {
        sampled_.resize(slot + 1);
    }
    Sampled fresh;
    try {
        fresh.samples = sample_surface(mesh, surface);
    } catch (const Error& error) {
        throw Error("collider '" + name + "': " + error.what());
    }
    if (fresh.samples.position.empty()) throw Error("collider '" + name + "' has no surface to cover with particles");
    fresh.mesh = mesh;
    fresh.settings = surface;
    fresh.inverted = settings.inverted;
    fresh.boundary_volume = settings.boundary_volume;
    fresh.placed = settings.inverted ? turned_inside_out(fresh.samples, settings.spacing) : fresh.samples;
    fresh.volume = boundary_volumes(fresh.placed.position, settings.spacing, settings.boundary_volume);
    sampled_[slot] = std::move(fresh);
    return sampled_[slot];
}

Body ColliderBodies::described(const Sampled& sampled, const SurfacePiece& piece,
                               const ColliderSettings& settings) const {
    Body body;
    body.name = piece.name;
    body.position = sampled.placed.position;
    // Without normals the snow itself tells on which side of a thin sheet it is.
    if (!settings.two_sided) body.normal = sampled.placed.normal;
    body.volume = sampled.volume;
    body.friction = settings.friction;
    body.adhesion = settings.adhesion;
    body.bounce = settings.bounce;
    body.sticky = settings.sticky;
    body.particle_friction = on_samples(piece, "friction", sampled.samples);
    body.particle_adhesion = on_samples(piece, "adhesion", sampled.samples);
    body.particle_bounce = on_samples(piece, "bounce", sampled.samples);
    body.particle_sticky = on_samples(piece, "sticky", sampled.samples);
    return body;
}

void ColliderBodies::add_heightfields(const GeometryPieces& pieces, const ColliderSettings& settings,
                                      std::vector<MovingBody>& bodies) {
    for (size_t k = 0; k < pieces.heightfields.size(); ++k) {
        SurfacePiece piece;
        piece.name = "height" + std::to_string(k);
        const Sampled& sampled =
            sample(pieces.surfaces.size() + k, heightfield_mesh(pieces.heightfields[k]), piece.name, settings);
        warnings_.insert(warnings_.end(), sampled.samples.warnings.begin(), sampled.samples.warnings.end());
        MovingBody moving;
        moving.body = described(sampled, piece, settings);
        bodies.push_back(std::move(moving));
    }
}

std::vector<MovingBody> ColliderBodies::still(const GeometryPieces& pieces, const ColliderSettings& settings) {
    warnings_.clear();
    std::vector<MovingBody> bodies;
    for (size_t k = 0; k < pieces.surfaces.size(); ++k) {
        const SurfacePiece& piece = pieces.surfaces[k];
        const Sampled& sampled = sample(k, piece.mesh, piece.name, settings);
        for (const std::string& warning : sampled.samples.warnings)
            warnings_.push_back("'" + piece.name + "': " + warning);
        MovingBody moving;
        moving.body = described(sampled, piece, settings);
        if (piece.packed) {
            for (Float3& p : moving.body.position) p = apply_transform(piece.placement, p);
            for (Float3& n : moving.body.normal) n = turned(piece.placement, n);
        }
        bodies.push_back(std::move(moving));
    }
    add_heightfields(pieces, settings, bodies);
    make_names_unique(bodies);
    return bodies;
}

std::vector<MovingBody> ColliderBodies::moving(const GeometryPieces& sampled_pieces, const GeometryPieces& from,
                                               const GeometryPieces& to, const ColliderSettings& settings) {
    warnings_.clear();
    std::vector<MovingBody> bodies;
    const size_t count = sampled_pieces.surfaces.size();
    if (from.surfaces.size() != count || to.surfaces.size() != count)
        throw Error("the input has " + std::to_string(to.surfaces.size()) + " pieces at this frame and " +
                    std::to_string(count) + " at the start frame; a body can't appear or vanish");
    for (size_t k = 0; k < count; ++k) {
        const SurfacePiece &rest = sampled_pieces.surfaces[k], &start = from.surfaces[k], &end = to.surfaces[k];
        const std::string what = "collider '" + rest.name + "'";
        if (rest.from_volume && !rest.packed)
            throw Error(
                what +
                " is a VDB, whose motion can't be told from frame to frame; pack it and move the packed primitive");
        MovingBody moving;
        if (settings.motion == Motion::rigid) {
            const Sampled& sampled = sample(k, rest.mesh, rest.name, settings);
            for (const std::string& warning : sampled.samples.warnings)
                warnings_.push_back("'" + rest.name + "': " + warning);
            moving.body = described(sampled, rest, settings);
            moving.body.motion = Motion::rigid;
            const float tolerance = 0.02f * settings.spacing;
            const auto placement = [&](const SurfacePiece& now) -> Transform {
                if (rest.packed || now.packed) {
                    if (rest.packed != now.packed || !close(rest.mesh.points, now.mesh.points, tolerance))
                        throw Error(what + ": what is packed changes or is scaled; set Motion to Animated Deforming");
                    return now.placement;
                }
                if (rest.mesh.points.size() == now.mesh.points.size()) {
                    if (const auto motion = rigid_motion(rest.mesh.points, now.mesh.points, tolerance)) return *motion;
                }
                throw Error(what + " does not move as a whole; set Motion to Animated Deforming");
            };
            moving.body.placement = placement(start);
            moving.end = placement(end);
        } else {
            const Mesh mesh = placed_mesh(rest);
            const Sampled& sampled = sample(k, mesh, rest.name, settings);
            for (const std::string& warning : sampled.samples.warnings)
                warnings_.push_back("'" + rest.name + "': " + warning);
            moving.body = described(sampled, rest, settings);
            moving.body.motion = Motion::deforming;
            moving.body.normal.clear();
            const auto positions = [&](const SurfacePiece& now) {
                SurfaceSamples moved;
                try {
                    moved = follow(sampled.samples, placed_mesh(now));
                } catch (const Error& error) {
                    throw Error(what + ": " + error.what());
                }
                return settings.inverted ? turned_inside_out(std::move(moved), settings.spacing).position
                                         : moved.position;
            };
            moving.body.position = positions(start);
            moving.end_position = positions(end);
        }
        bodies.push_back(std::move(moving));
    }
    add_heightfields(to, settings, bodies);
    make_names_unique(bodies);
    return bodies;
}

}  // namespace firn
