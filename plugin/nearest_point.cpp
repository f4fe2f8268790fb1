#include "nearest_point.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace firn {

namespace {

float coordinate(const Float3& p, int axis) {
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

}  // namespace

NearestPoint::NearestPoint(std::vector<Float3> points) : points_(std::move(points)), order_(points_.size()) {
    std::iota(order_.begin(), order_.end(), 0u);
    build(0, order_.size(), 0);
}

void NearestPoint::build(size_t begin, size_t end, int axis) {
    if (end - begin < 2) return;
    const size_t middle = begin + (end - begin) / 2;
    const auto at = [&](size_t k) { return order_.begin() + static_cast<std::ptrdiff_t>(k); };
    std::nth_element(at(begin), at(middle), at(end), [&](uint32_t a, uint32_t b) {
        const float x = coordinate(points_[a], axis), y = coordinate(points_[b], axis);
        return x != y ? x < y : a < b;
    });
    build(begin, middle, (axis + 1) % 3);
    build(middle + 1, end, (axis + 1) % 3);
}

size_t NearestPoint::to(const Float3& place) const {
    size_t best = points_.size();
    float distance = std::numeric_limits<float>::max();
    search(place, 0, order_.size(), 0, best, distance);
    return best == points_.size() ? 0 : best;
}

void NearestPoint::search(const Float3& place, size_t begin, size_t end, int axis, size_t& best,
                          float& distance) const {
    if (begin >= end) return;
    const size_t middle = begin + (end - begin) / 2;
    const size_t here = order_[middle];
    const Float3& p = points_[here];
    const float dx = place.x - p.x, dy = place.y - p.y, dz = place.z - p.z;
    const float d = dx * dx + dy * dy + dz * dz;
    if (d < distance || (d == distance && here < best)) {
        distance = d;
        best = here;
    }
    const float side = coordinate(place, axis) - coordinate(p, axis);
    const int next = (axis + 1) % 3;
    const bool left_first = side <= 0;
    search(place, left_first ? begin : middle + 1, left_first ? middle : end, next, best, distance);
    if (side * side <= distance)
        search(place, left_first ? middle + 1 : begin, left_first ? end : middle, next, best, distance);
}

}  // namespace firn
