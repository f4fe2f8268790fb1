#pragma once

#include "firn/mesh.h"
#include "samples/vec3.h"

namespace firn {

struct TrianglePlace {
    Vec3 position, barycentric;
};

/// The place on a triangle that is nearest to p (Ericson, Real-Time Collision Detection, 5.1.5: by Voronoi region).
inline TrianglePlace nearest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const auto at = [&](double u, double v, double w) { return TrianglePlace{u * a + v * b + w * c, {u, v, w}}; };
    const Vec3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
    const double d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return at(1, 0, 0);
    const double d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) return at(0, 1, 0);
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return at(1 - d1 / (d1 - d3), d1 / (d1 - d3), 0);
    const double d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) return at(0, 0, 1);
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return at(1 - d2 / (d2 - d6), 0, d2 / (d2 - d6));
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        const double w = (d4 - d3) / (d4 - d3 + d5 - d6);
        return at(0, 1 - w, w);
    }
    const double v = vb / (va + vb + vc), w = vc / (va + vb + vc);
    return at(1 - v - w, v, w);
}

/// Axes that move with a triangle.
struct TriangleFrame {
    Vec3 along, across, normal;
};
/// `turned`: seen from behind. A triangle without area has no normal and nothing across.
inline TriangleFrame triangle_frame(const Mesh& mesh, uint32_t triangle, bool turned) {
    const auto& corner = mesh.triangles[triangle];
    const Vec3 a = wide(mesh.points[corner[0]]), ab = wide(mesh.points[corner[1]]) - a,
               ac = wide(mesh.points[corner[2]]) - a;
    const Vec3 along = unit(ab), normal = (turned ? -1.0 : 1.0) * unit(cross(ab, ac));
    return {along, cross(normal, along), normal};
}

}  // namespace firn
