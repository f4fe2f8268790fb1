#include "placement.h"

#include <cmath>

namespace firn {

namespace {

float blend(float from, float to, double share) {
    return static_cast<float>(from + share * (double(to) - from));
}

Float3 blend(const Float3& from, const Float3& to, double share) {
    return {blend(from.x, to.x, share), blend(from.y, to.y, share), blend(from.z, to.z, share)};
}

}  // namespace

Transform transform_of(const Placed& placed) {
    constexpr double radians = 3.14159265358979323846 / 180;
    const double sx = std::sin(placed.rotation.x * radians), cx = std::cos(placed.rotation.x * radians);
    const double sy = std::sin(placed.rotation.y * radians), cy = std::cos(placed.rotation.y * radians);
    const double sz = std::sin(placed.rotation.z * radians), cz = std::cos(placed.rotation.z * radians);
    // Rz Ry Rx: about x first, as Houdini's default order.
    return {{cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx,  //
             sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx,  //
             -sy, cy * sx, cy * cx},
            {placed.position.x, placed.position.y, placed.position.z}};
}

Transform placement_at(const Collider& collider, double frame) {
    const std::vector<Key>& keys = collider.keys;
    if (keys.empty()) return transform_of(collider.geometry.placed);
    size_t next = 0;
    while (next < keys.size() && keys[next].frame <= frame) ++next;
    if (next == 0) return transform_of({keys.front().position, keys.front().rotation, 1});
    if (next == keys.size()) return transform_of({keys.back().position, keys.back().rotation, 1});
    const Key &a = keys[next - 1], &b = keys[next];
    double share = (frame - a.frame) / (b.frame - a.frame);
    if (collider.smooth) share = share * share * (3 - 2 * share);
    return transform_of({blend(a.position, b.position, share), blend(a.rotation, b.rotation, share), 1});
}

Transform motion_between(const Transform& from, const Transform& to) {
    // to * from^-1; the inverse of a rotation is its transpose.
    Transform t;
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            double sum = 0;
            for (int k = 0; k < 3; ++k) sum += to.rotation[3 * row + k] * from.rotation[3 * column + k];
            t.rotation[3 * row + column] = sum;
        }
    }
    for (int row = 0; row < 3; ++row) {
        t.translation[row] = to.translation[row];
        for (int k = 0; k < 3; ++k) t.translation[row] -= t.rotation[3 * row + k] * from.translation[k];
    }
    return t;
}

}  // namespace firn
