// Compiled with -frounding-math: the rounding mode changes under way.

#include "ptx_math.h"

#include <cfenv>

namespace firn::cuda_on_cpu {
namespace {

class RoundingMode {
public:
    explicit RoundingMode(Rounding rounding) : before_(std::fegetround()) {
        const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
        std::fesetround(modes[static_cast<int>(rounding)]);
    }
    ~RoundingMode() { std::fesetround(before_); }
    RoundingMode(const RoundingMode&) = delete;
    RoundingMode& operator=(const RoundingMode&) = delete;

private:
    int before_;
};

/// Volatile, so that the operation stays between the two changes of mode.
template <class T, class Operation>
T in_mode(Rounding rounding, T a, T b, T c, Operation operation) {
    const RoundingMode mode(rounding);
    volatile T x = a, y = b, z = c;
    volatile T result = operation(x, y, z);
    return result;
}

}  // namespace

f32 rounded_add(f32 a, f32 b, Rounding r) {
    return in_mode(r, a, b, 0.0f, [](f32 x, f32 y, f32) { return x + y; });
}
f64 rounded_add(f64 a, f64 b, Rounding r) {
    return in_mode(r, a, b, 0.0, [](f64 x, f64 y, f64) { return x + y; });
}
f32 rounded_sub(f32 a, f32 b, Rounding r) {
    return in_mode(r, a, b, 0.0f, [](f32 x, f32 y, f32) { return x - y; });
}
f64 rounded_sub(f64 a, f64 b, Rounding r) {
    return in_mode(r, a, b, 0.0, [](f64 x, f64 y, f64) { return x - y; });
}
f32 rounded_mul(f32 a, f32 b, Rounding r) {
    return in_mode(r, a, b, 0.0f, [](f32 x, f32 y, f32) { return x * y; });
}
f64 rounded_mul(f64 a, f64 b, Rounding r) {
    return in_mode(r, a, b, 0.0, [](f64 x, f64 y, f64) { return x * y; });
}
f32 rounded_div(f32 a, f32 b, Rounding r) {
    return in_mode(r, a, b, 0.0f, [](f32 x, f32 y, f32) { return x / y; });
}
f64 rounded_div(f64 a, f64 b, Rounding r) {
    return in_mode(r, a, b, 0.0, [](f64 x, f64 y, f64) { return x / y; });
}
f32 rounded_fma(f32 a, f32 b, f32 c, Rounding r) {
    return in_mode(r, a, b, c, [](f32 x, f32 y, f32 z) { return std::fma(x, y, z); });
}
f64 rounded_fma(f64 a, f64 b, f64 c, Rounding r) {
    return in_mode(r, a, b, c, [](f64 x, f64 y, f64 z) { return std::fma(x, y, z); });
}
f32 rounded_square_root(f32 a, Rounding r) {
    return in_mode(r, a, 0.0f, 0.0f, [](f32 x, f32, f32) { return std::sqrt(x); });
}
f64 rounded_square_root(f64 a, Rounding r) {
    return in_mode(r, a, 0.0, 0.0, [](f64 x, f64, f64) { return std::sqrt(x); });
}
f32 rounded_reciprocal(f32 a, Rounding r) {
    return rounded_div(1.0f, a, r);
}
f64 rounded_reciprocal(f64 a, Rounding r) {
    return rounded_div(1.0, a, r);
}

template <class To, class From>
To rounded_from(From a, Rounding rounding) {
    const RoundingMode mode(rounding);
    volatile From x = a;
    volatile To result = To(x);
    return result;
}
template f32 rounded_from<f32>(f64, Rounding);
template f32 rounded_from<f32>(u8, Rounding);
template f32 rounded_from<f32>(u16, Rounding);
template f32 rounded_from<f32>(u32, Rounding);
template f32 rounded_from<f32>(u64, Rounding);
template f32 rounded_from<f32>(s8, Rounding);
template f32 rounded_from<f32>(s16, Rounding);
template f32 rounded_from<f32>(s32, Rounding);
template f32 rounded_from<f32>(s64, Rounding);
template f64 rounded_from<f64>(u32, Rounding);
template f64 rounded_from<f64>(s32, Rounding);
template f64 rounded_from<f64>(u64, Rounding);
template f64 rounded_from<f64>(s64, Rounding);

f32 half_to_float(u16 half) {
    const u32 sign = u32(half & 0x8000) << 16, exponent = (half >> 10) & 31, fraction = half & 1023;
    if (exponent == 31) return as_f32(sign | 0x7f800000u | fraction << 13);
    if (exponent != 0) return as_f32(sign | (exponent + 112) << 23 | fraction << 13);
    const f32 size = std::ldexp(f32(fraction), -24);
    return sign ? -size : size;
}

u16 float_to_half(f32 x) {
    const u16 sign = u16((bits(x) >> 16) & 0x8000);
    if (x != x) return 0x7fff;
    const f32 size = absolute(x);
    if (size >= 65520.0f) return u16(sign | 0x7c00);  // halfway to the first that there is not
    // Subnormal halves are multiples of 2^-24; others keep eleven bits.
    int exponent;
    std::frexp(size, &exponent);
    const int unit = exponent - 11 > -24 ? exponent - 11 : -24;
    const u32 units = u32(std::nearbyint(std::ldexp(size, -unit)));  // to the nearest, ties to even
    const f32 rounded = std::ldexp(f32(units), unit);
    if (rounded < 6.103515625e-05f) return u16(sign | u32(std::ldexp(rounded, 24)));
    const u32 b = bits(rounded);
    return u16(sign | (((b >> 23) - 112) << 10) | ((b >> 13) & 1023));
}

}  // namespace firn::cuda_on_cpu
