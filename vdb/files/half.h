#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace firn {

/// IEEE 754 half precision, as file formats store it.
inline float half_to_float(uint16_t half) {
    const int exponent = (half >> 10) & 31;
    const int fraction = half & 1023;
    float value;
    if (exponent == 31) {
        value = fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
    } else if (exponent == 0) {
        value = std::ldexp(static_cast<float>(fraction), -24);
    } else {
        value = std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
    }
    return half & 0x8000 ? -value : value;
}

}  // namespace firn
