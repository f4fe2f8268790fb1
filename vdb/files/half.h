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

/// The nearest one, of two the even one; what is too large becomes infinite.
inline uint16_t float_to_half(float value) {
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const float size = std::fabs(value);
    if (std::isnan(value)) return sign | 0x7e00;
    if (size >= 65520) return sign | 0x7c00;
    if (size < 0x1p-14f) return static_cast<uint16_t>(sign + std::lrint(size * 0x1p24f));
    int exponent = 0;
    const float mantissa = std::frexp(size, &exponent);  // 0.5 to 1
    // A mantissa that rounds up to the next power of two carries into the exponent, as it should.
    return static_cast<uint16_t>(sign + ((exponent + 13) << 10) + std::lrint(mantissa * 2048));
}

}  // namespace firn
