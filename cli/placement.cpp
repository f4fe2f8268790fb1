#include "placement.h"

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
    return turned_and_moved(placed.rotation, placed.position);
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

}  // namespace firn
