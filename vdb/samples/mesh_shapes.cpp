#include <algorithm>
#include <map>

#include "firn/error.h"
#include "firn/mesh.h"
#include "firn/rigid_transform.h"
#include "samples/vec3.h"

namespace firn {

namespace {

constexpr double pi = 3.14159265358979323846;

void require_positive(const char* shape, const char* what, float value) {
    if (!(value > 0) || !std::isfinite(value)) {
        throw Error(std::string(shape) + ": the " + what + " must be a positive number of metres, not " +
                    std::to_string(value));
    }
}

void require_between(const char* shape, const char* what, int value, int low, int high) {
    if (value < low || value > high) {
        throw Error(std::string(shape) + ": " + what + " must be " + std::to_string(low) + " to " +
                    std::to_string(high) + ", not " + std::to_string(value));
    }
}

}  // namespace

Mesh box_mesh(const Float3& size) {
    for (const float s : {size.x, size.y, size.z}) require_positive("box", "size", s);
    Mesh mesh;
    // Corner 4 z + 2 y + x.
    for (int corner = 0; corner < 8; ++corner) {
        mesh.points.push_back({(corner & 1 ? 0.5f : -0.5f) * size.x, (corner & 2 ? 0.5f : -0.5f) * size.y,
                               (corner & 4 ? 0.5f : -0.5f) * size.z});
    }
    mesh.triangles = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                      {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
    return mesh;
}

Mesh sphere_mesh(float radius, int subdivisions) {
    require_positive("sphere", "radius", radius);
    require_between("sphere", "subdivisions", subdivisions, 0, 9);
    // An icosahedron: three golden rectangles.
    const double g = 0.5 * (1 + std::sqrt(5.0));
    std::vector<Vec3> points = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                                {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
    for (Vec3& p : points) p = unit(p);
    Mesh mesh;
    mesh.triangles = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                      {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                      {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
    for (int level = 0; level < subdivisions; ++level) {
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> middles;
        const auto middle = [&](uint32_t a, uint32_t b) {
            const auto [at, added] = middles.try_emplace(std::minmax(a, b), static_cast<uint32_t>(points.size()));
            if (added) points.push_back(unit(points[a] + points[b]));
            return at->second;
        };
        std::vector<std::array<uint32_t, 3>> finer;
        finer.reserve(4 * mesh.triangles.size());
        for (const auto& [a, b, c] : mesh.triangles) {
            const uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
            finer.push_back({a, ab, ca});
            finer.push_back({b, bc, ab});
            finer.push_back({c, ca, bc});
            finer.push_back({ab, bc, ca});
        }
        mesh.triangles = std::move(finer);
    }
    for (const Vec3& p : points) mesh.points.push_back(narrow(double(radius) * p));
    return mesh;
}

Mesh cylinder_mesh(float radius, float height, int segments) {
    require_positive("cylinder", "radius", radius);
    require_positive("cylinder", "height", height);
    require_between("cylinder", "segments", segments, 3, 1 << 20);
    Mesh mesh;
    const uint32_t n = static_cast<uint32_t>(segments), bottom = 2 * n, top = 2 * n + 1;
    for (const float y : {-0.5f * height, 0.5f * height}) {
        for (uint32_t i = 0; i < n; ++i) {
            const double angle = 2 * pi * i / n;
            mesh.points.push_back(
                {static_cast<float>(radius * std::cos(angle)), y, static_cast<float>(radius * std::sin(angle))});
        }
    }
    mesh.points.push_back({0, -0.5f * height, 0});
    mesh.points.push_back({0, 0.5f * height, 0});
    for (uint32_t i = 0; i < n; ++i) {
        const uint32_t next = (i + 1) % n;
        mesh.triangles.push_back({i, n + i, n + next});
        mesh.triangles.push_back({i, n + next, next});
        mesh.triangles.push_back({bottom, i, next});
        mesh.triangles.push_back({top, n + next, n + i});
    }
    return mesh;
}

Mesh plane_mesh(float width, float depth) {
    require_positive("plane", "width", width);
    require_positive("plane", "depth", depth);
    const float x = 0.5f * width, z = 0.5f * depth;
    Mesh mesh;
    mesh.points = {{-x, 0, -z}, {x, 0, -z}, {-x, 0, z}, {x, 0, z}};
    mesh.triangles = {{0, 2, 3}, {0, 3, 1}};
    return mesh;
}

Mesh transformed(Mesh moved, const Transform& placement, float scale) {
    for (Float3& p : moved.points) {
        const double scaled[3] = {double(scale) * p.x, double(scale) * p.y, double(scale) * p.z};
        double placed[3];
        apply_transform(placement, scaled, placed);
        p = narrow({placed[0], placed[1], placed[2]});
    }
    // A mirror image would be inside out.
    if (scale < 0) {
        for (auto& triangle : moved.triangles) std::swap(triangle[1], triangle[2]);
    }
    return moved;
}

}  // namespace firn
