#include "samples/point_welding.h"

#include <cstring>

namespace firn {

namespace {

uint64_t hash(const Float3& p) {
    uint32_t bits[3];
    std::memcpy(bits, &p, sizeof bits);
    uint64_t h = (uint64_t(bits[0]) << 32 | bits[1]) * 0x9e3779b97f4a7c15ull;
    h ^= h >> 29;
    h = (h ^ bits[2]) * 0xbf58476d1ce4e5b9ull;
    return h ^ h >> 32;
}

/// -0 is where 0 is.
Float3 without_sign_of_zero(const Float3& p) {
    return {p.x + 0.0f, p.y + 0.0f, p.z + 0.0f};
}

}  // namespace

std::vector<uint32_t> first_at_place(const std::vector<Float3>& points) {
    size_t size = 16;
    while (2 * size < 3 * points.size()) size *= 2;
    std::vector<uint32_t> table(size, 0), first(points.size());
    for (size_t i = 0; i < points.size(); ++i) {
        const Float3 p = without_sign_of_zero(points[i]);
        size_t slot = hash(p) & (size - 1);
        const auto same = [&](const Float3& q) { return p.x == q.x && p.y == q.y && p.z == q.z; };
        while (table[slot] != 0 && !same(points[table[slot] - 1])) slot = (slot + 1) & (size - 1);
        if (table[slot] == 0) table[slot] = static_cast<uint32_t>(i + 1);
        first[i] = table[slot] - 1;
    }
    return first;
}

PointWelding::PointWelding(size_t expected) {
    size_t size = 16;
    while (size < 2 * expected) size *= 2;
    table_.assign(size, 0);
    places_.reserve(expected);
    recent_.resize(size_t(1) << 14);
}

uint32_t PointWelding::number(Float3 p) {
    p = without_sign_of_zero(p);
    const uint64_t hashed = hash(p);
    // Corners repeat soon after each other: most need no look at the large table.
    Recent& recent = recent_[hashed >> 48 & (recent_.size() - 1)];
    if (recent.known && std::memcmp(&recent.place, &p, sizeof p) == 0) return recent.number;
    recent = {p, looked_up(p, hashed), true};
    return recent.number;
}

uint32_t PointWelding::looked_up(const Float3& p, uint64_t hashed) {
    if (2 * places_.size() >= table_.size()) grow();
    const size_t mask = table_.size() - 1;
    for (size_t slot = hashed & mask;; slot = (slot + 1) & mask) {
        if (table_[slot] == 0) {
            places_.push_back(p);
            table_[slot] = static_cast<uint32_t>(places_.size());
            return table_[slot] - 1;
        }
        if (std::memcmp(&places_[table_[slot] - 1], &p, sizeof p) == 0) return table_[slot] - 1;
    }
}

void PointWelding::grow() {
    table_.assign(2 * table_.size(), 0);
    const size_t mask = table_.size() - 1;
    for (size_t i = 0; i < places_.size(); ++i) {
        size_t slot = hash(places_[i]) & mask;
        while (table_[slot] != 0) slot = (slot + 1) & mask;
        table_[slot] = static_cast<uint32_t>(i + 1);
    }
}

}  // namespace firn
