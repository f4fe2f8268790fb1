#include "firn/mesh.h"

#include "samples/vec3.h"

namespace firn {

namespace {

/// Clipping ears takes the square of the corners; what has more than this is cut as a fan.
constexpr size_t ear_corners = 512;

bool inside(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& normal) {
    return dot(cross(b - a, p - a), normal) >= 0 && dot(cross(c - b, p - b), normal) >= 0 &&
           dot(cross(a - c, p - c), normal) >= 0;
}

}  // namespace

void add_polygon(Mesh& mesh, const std::vector<uint32_t>& corners) {
    const auto fan = [&] {
        for (size_t i = 2; i < corners.size(); ++i) mesh.triangles.push_back({corners[0], corners[i - 1], corners[i]});
    };
    if (corners.size() <= 3 || corners.size() > ear_corners) return fan();
    const auto point = [&](uint32_t corner) { return wide(mesh.points[corner]); };
    Vec3 normal;  // Newell: twice the area of the polygon, whatever its form
    for (size_t i = 2; i < corners.size(); ++i) {
        normal = normal + cross(point(corners[i - 1]) - point(corners[0]), point(corners[i]) - point(corners[0]));
    }
    bool convex = true;
    for (size_t i = 0, n = corners.size(); i < n && convex; ++i) {
        const Vec3 b = point(corners[(i + 1) % n]);
        convex = dot(cross(b - point(corners[i]), point(corners[(i + 2) % n]) - b), normal) >= 0;
    }
    if (convex) return fan();

    std::vector<uint32_t> left = corners;
    while (left.size() > 3) {
        const size_t n = left.size();
        size_t ear = 0;  // where none is left (the polygon crosses itself) any corner will do
        for (size_t i = 0; i < n; ++i) {
            const uint32_t before = left[(i + n - 1) % n], here = left[i], after = left[(i + 1) % n];
            const Vec3 a = point(before), b = point(here), c = point(after);
            if (dot(cross(b - a, c - b), normal) <= 0) continue;
            bool empty = true;
            for (size_t k = 0; k < n && empty; ++k) {
                const uint32_t other = left[k];
                if (other != before && other != here && other != after) empty = !inside(point(other), a, b, c, normal);
            }
            if (empty) {
                ear = i;
                break;
            }
        }
        mesh.triangles.push_back({left[(ear + n - 1) % n], left[ear], left[(ear + 1) % n]});
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(ear));
    }
    mesh.triangles.push_back({left[0], left[1], left[2]});
}

}  // namespace firn
