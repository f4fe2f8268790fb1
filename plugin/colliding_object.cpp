#include "colliding_object.h"

#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "firn/rigid_transform.h"

namespace firn {

namespace {

/// A linear map, row-major.
Float3 mapped(const double* m, const Float3& p) {
    Transform linear;
    std::copy(m, m + 9, linear.rotation);
    return turned(linear, p);
}

std::vector<Float3> placed(const Transform& t, std::vector<Float3> points) {
    for (Float3& p : points) p = apply_transform(t, p);
    return points;
}

double determinant(const double* m) {
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

bool is_rotation(const double* m) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double dot = 0;
            for (int k = 0; k < 3; ++k) dot += m[3 * i + k] * m[3 * j + k];
            if (std::abs(dot - (i == j ? 1 : 0)) > 1e-6) return false;
        }
    }
    return determinant(m) > 0;
}

/// The turning part of a linear map, by Higham's iteration R <- (R + R^-T) / 2. A mirroring one keeps its mirror.
void rotation_of(const double* m, double* r) {
    std::copy(m, m + 9, r);
    for (int pass = 0; pass < 64; ++pass) {
        const double d = determinant(r);
        if (!(std::abs(d) > 1e-30)) throw Error("its transform has no volume: a scale is zero");
        const double cofactor[9] = {r[4] * r[8] - r[5] * r[7], r[5] * r[6] - r[3] * r[8], r[3] * r[7] - r[4] * r[6],
                                    r[2] * r[7] - r[1] * r[8], r[0] * r[8] - r[2] * r[6], r[1] * r[6] - r[0] * r[7],
                                    r[1] * r[5] - r[2] * r[4], r[2] * r[3] - r[0] * r[5], r[0] * r[4] - r[1] * r[3]};
        double change = 0;
        for (int k = 0; k < 9; ++k) {
            const double next = 0.5 * (r[k] + cofactor[k] / d);
            change = std::max(change, std::abs(next - r[k]));
            r[k] = next;
        }
        if (change < 1e-14) break;
    }
    if (determinant(r) < 0)
        for (int k = 0; k < 9; ++k) r[k] = -r[k];
}

/// The placement without its stretch, and the shape with it: turning it gives the placed shape. A placement that only
/// turns and moves is taken as it is, to the bit.
struct Unstretched {
    Transform placement;
    Shape shape;
};

Unstretched unstretched(const Shape& shape, const Affine& placement) {
    Unstretched out;
    std::copy(placement.translation, placement.translation + 3, out.placement.translation);
    out.shape = shape;
    double* r = out.placement.rotation;
    if (is_rotation(placement.linear)) {
        std::copy(placement.linear, placement.linear + 9, r);
        return out;
    }
    rotation_of(placement.linear, r);
    double stretch[9] = {};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) stretch[3 * i + j] += r[3 * k + i] * placement.linear[3 * k + j];
    for (Float3& p : out.shape.mesh.points) p = mapped(stretch, p);
    if (determinant(placement.linear) < 0)
        for (auto& triangle : out.shape.mesh.triangles) std::swap(triangle[1], triangle[2]);
    // Normals of stretched particles would want the inverse; they are found from the snow instead.
    out.shape.normals.clear();
    return out;
}

bool same(const std::vector<Float3>& a, const std::vector<Float3>& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const Float3& p, const Float3& q) {
               return p.x == q.x && p.y == q.y && p.z == q.z;
           });
}

bool same(const Transform& a, const Transform& b) {
    return std::equal(a.rotation, a.rotation + 9, b.rotation) &&
           std::equal(a.translation, a.translation + 3, b.translation);
}

/// First `inner`, then `outer`.
Transform after(const Transform& outer, const Transform& inner) {
    Transform t;
    for (int i = 0; i < 3; ++i) {
        t.translation[i] = outer.translation[i];
        for (int j = 0; j < 3; ++j) {
            t.translation[i] += outer.rotation[3 * i + j] * inner.translation[j];
            t.rotation[3 * i + j] = 0;
            for (int k = 0; k < 3; ++k) t.rotation[3 * i + j] += outer.rotation[3 * i + k] * inner.rotation[3 * k + j];
        }
    }
    return t;
}

/// Values per point of the shape, at the boundary particles.
std::vector<float> at_samples(const std::vector<float>& values, const Shape& rest, const SurfaceSamples& samples) {
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

bool same_topology(const Shape& a, const Shape& b) {
    return a.mesh.points.size() == b.mesh.points.size() && a.mesh.triangles == b.mesh.triangles;
}

CollidingObject first_seen(int object, const std::string& piece, const Shape& shape, const Affine& placement) {
    Unstretched u = unstretched(shape, placement);
    CollidingObject seen;
    seen.object = object;
    seen.piece = piece;
    seen.rest = std::move(u.shape);
    seen.placement = u.placement;
    return seen;
}

CollidingObject followed(const CollidingObject& before, const Shape& now, const Affine& placement, float spacing) {
    Unstretched u = unstretched(now, placement);
    if (!same_topology(before.rest, u.shape)) return first_seen(before.object, before.piece, now, placement);
    CollidingObject next = before;
    if (before.motion != Motion::deforming) {
        const bool shape_kept = same(before.rest.mesh.points, u.shape.mesh.points);
        // Points that moved as one are a motion too: geometry that was transformed instead of its object.
        const auto motion = shape_kept ? std::optional<Transform>(Transform())
                                       : rigid_motion(before.rest.mesh.points, u.shape.mesh.points, 0.02f * spacing);
        if (motion) {
            next.placement = shape_kept ? u.placement : after(u.placement, *motion);
            if (!same(next.placement, before.placement)) next.motion = Motion::rigid;
            return next;
        }
    }
    next.motion = Motion::deforming;
    next.placement = Transform();
    next.points = placed(u.placement, std::move(u.shape.mesh.points));
    return next;
}

Boundary boundary_of(const Shape& rest, float spacing, float boundary_volume) {
    Boundary boundary;
    if (rest.mesh.triangles.empty()) {
        boundary.samples.position = rest.mesh.points;
        boundary.samples.normal = rest.normals;
    } else {
        SurfaceSettings settings;
        settings.spacing = spacing;
        boundary.samples = sample_surface(rest.mesh, settings);
    }
    if (boundary.samples.position.empty()) throw Error("it has no surface to cover with particles");
    boundary.volume = boundary_volumes(boundary.samples.position, spacing, boundary_volume);
    return boundary;
}

std::vector<Float3> boundary_positions(const CollidingObject& object, const Boundary& boundary) {
    if (object.motion != Motion::deforming) return placed(object.placement, boundary.samples.position);
    if (object.rest.mesh.triangles.empty()) return object.points;
    return follow(boundary.samples, {object.points, object.rest.mesh.triangles}).position;
}

MovingBody moving_body(const CollidingObject& before, const CollidingObject& after, const Boundary& boundary,
                       const SurfaceLook& look) {
    MovingBody moving;
    Body& body = moving.body;
    body.motion = after.motion;
    body.volume = boundary.volume;
    if (after.motion == Motion::rigid) {
        body.position = boundary.samples.position;
        body.normal = boundary.samples.normal;
        body.placement = before.placement;
        moving.end = after.placement;
    } else if (after.motion == Motion::still) {
        body.position = boundary_positions(after, boundary);
        body.normal = boundary.samples.normal;
        for (Float3& n : body.normal) n = turned(after.placement, n);
    } else {
        CollidingObject then = before;
        if (before.motion != Motion::deforming) {
            then.motion = Motion::deforming;
            then.points = placed(before.placement, before.rest.mesh.points);
        }
        body.position = boundary_positions(then, boundary);
        moving.end_position = boundary_positions(after, boundary);
    }
    body.friction = look.friction;
    body.adhesion = look.adhesion;
    body.bounce = look.bounce;
    body.sticky = look.sticky;
    body.particle_friction = at_samples(look.point_friction, after.rest, boundary.samples);
    body.particle_adhesion = at_samples(look.point_adhesion, after.rest, boundary.samples);
    body.particle_bounce = at_samples(look.point_bounce, after.rest, boundary.samples);
    body.particle_sticky = at_samples(look.point_sticky, after.rest, boundary.samples);
    return moving;
}

}  // namespace firn
