#pragma once

// What tests of meshes, samples and fillings measure with.

#include <cmath>
#include <functional>
#include <string>

#include "firn/error.h"
#include "firn/vector.h"

namespace firn {

constexpr double pi = 3.14159265358979323846;

/// What the Error says that the action throws.
inline std::string message(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

/// m from the origin.
inline double radius(const Float3& p) {
    return std::sqrt(double(p.x) * p.x + double(p.y) * p.y + double(p.z) * p.z);
}
inline double distance(const Float3& a, const Float3& b) {
    const double x = double(a.x) - b.x, y = double(a.y) - b.y, z = double(a.z) - b.z;
    return std::sqrt(x * x + y * y + z * z);
}

}  // namespace firn
