#include "samples/winding.h"

#include <algorithm>

#include "firn/scattered.h"
#include "samples/curve.h"

namespace firn {

namespace {

constexpr size_t leaf = 8;        ///< triangles
constexpr double far_away = 2.5;  ///< radii; the dipole's error falls with the square of it
constexpr double pi = 3.14159265358979323846;

/// Van Oosterom & Strackee 1983.
double solid_angle(const Vec3& a, const Vec3& b, const Vec3& c) {
    const double la = length(a), lb = length(b), lc = length(c);
    return 2 * std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
}

}  // namespace

Winding::Winding(const Mesh& mesh, uint32_t step) : weight_(step) {
    Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    std::vector<std::pair<uint64_t, uint32_t>> order;
    for (const Float3& p : mesh.points) {
        low = {std::min<double>(low.x, p.x), std::min<double>(low.y, p.y), std::min<double>(low.z, p.z)};
        high = {std::max<double>(high.x, p.x), std::max<double>(high.y, p.y), std::max<double>(high.z, p.z)};
    }
    const Vec3 size = high - low;
    const double scale = 2097151.0 / std::max({size.x, size.y, size.z, 1e-30});
    for (uint64_t begin = 0; begin < mesh.triangles.size(); begin += step) {
        // Not in step with what the mesh repeats.
        const uint64_t chosen = begin + scattered(begin) % step;
        if (chosen >= mesh.triangles.size()) break;
        const uint32_t t = static_cast<uint32_t>(chosen);
        const auto& [a, b, c] = mesh.triangles[t];
        const Vec3 p = (scale / 3) * (wide(mesh.points[a]) + wide(mesh.points[b]) + wide(mesh.points[c]) - 3.0 * low);
        order.push_back({spread_bits(static_cast<uint64_t>(p.x)) | spread_bits(static_cast<uint64_t>(p.y)) << 1 |
                             spread_bits(static_cast<uint64_t>(p.z)) << 2,
                         t});
    }
    std::sort(order.begin(), order.end());
    triangles_.reserve(order.size());
    for (const auto& [code, t] : order) {
        const auto& [a, b, c] = mesh.triangles[t];
        triangles_.push_back({wide(mesh.points[a]), wide(mesh.points[b]), wide(mesh.points[c])});
    }
    size_t nodes = 1;
    for (size_t range = triangles_.size(); range > leaf; range = (range + 1) / 2) nodes = 2 * nodes + 1;
    nodes_.resize(nodes);
    build(0, 0, triangles_.size());
}

Winding::Node Winding::build(size_t node, size_t begin, size_t end) {
    Node made{};
    double weight = 0;
    for (size_t i = begin; i < end; ++i) {
        const Triangle& t = triangles_[i];
        const Vec3 area = 0.5 * cross(t.b - t.a, t.c - t.a);
        made.area = made.area + area;
        made.centre = made.centre + (length(area) / 3) * (t.a + t.b + t.c);
        weight += length(area);
    }
    if (weight > 0) made.centre = (1 / weight) * made.centre;
    for (size_t i = begin; i < end; ++i) {
        const Triangle& t = triangles_[i];
        made.radius =
            std::max({made.radius, length(t.a - made.centre), length(t.b - made.centre), length(t.c - made.centre)});
    }
    if (end - begin > leaf) {
        const size_t middle = begin + (end - begin) / 2;
        build(2 * node + 1, begin, middle);
        build(2 * node + 2, middle, end);
    }
    return nodes_[node] = made;
}

double Winding::ask(const Vec3& at, size_t node, size_t begin, size_t end) const {
    const Node& here = nodes_[node];
    const Vec3 to = here.centre - at;
    const double distance = length(to);
    if (distance > far_away * here.radius) return dot(to, here.area) / (distance * distance * distance);
    if (end - begin <= leaf) {
        double sum = 0;
        for (size_t i = begin; i < end; ++i) {
            sum += solid_angle(triangles_[i].a - at, triangles_[i].b - at, triangles_[i].c - at);
        }
        return sum;
    }
    const size_t middle = begin + (end - begin) / 2;
    return ask(at, 2 * node + 1, begin, middle) + ask(at, 2 * node + 2, middle, end);
}

double Winding::operator()(const Vec3& at) const {
    return triangles_.empty() ? 0 : weight_ * ask(at, 0, 0, triangles_.size()) / (4 * pi);
}

}  // namespace firn
