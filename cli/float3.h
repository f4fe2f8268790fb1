#pragma once

// Arithmetic of Float3 for the pictures.

#include <cmath>

#include "firn/vector.h"

namespace firn {

constexpr Float3 operator+(const Float3& a, const Float3& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
constexpr Float3 operator-(const Float3& a, const Float3& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
constexpr Float3 operator*(float s, const Float3& a) {
    return {s * a.x, s * a.y, s * a.z};
}
/// By component: light on a colour.
constexpr Float3 operator*(const Float3& a, const Float3& b) {
    return {a.x * b.x, a.y * b.y, a.z * b.z};
}
constexpr Float3& operator+=(Float3& a, const Float3& b) {
    return a = a + b;
}
constexpr float dot(const Float3& a, const Float3& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
constexpr Float3 cross(const Float3& a, const Float3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline float length(const Float3& a) {
    return std::sqrt(dot(a, a));
}
/// `otherwise` where there is no direction.
inline Float3 normalized(const Float3& a, const Float3& otherwise = {0, 1, 0}) {
    const float l = length(a);
    return l > 0 && std::isfinite(l) ? (1 / l) * a : otherwise;
}
constexpr Float3 mix(const Float3& a, const Float3& b, float t) {
    return (1 - t) * a + t * b;
}
inline bool is_finite(const Float3& a) {
    return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

}  // namespace firn
