#pragma once

// The arithmetic of PTX (PTX ISA, "Instructions") as C++ functions, for the code that ptx_to_cpp.py writes. Only what
// differs from the C++ operators has a function. Approximate instructions (.approx) give the correctly rounded result,
// or nearly: a card may be off by a few units in the last place. NaNs have the CPU's bits.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace firn::cuda_on_cpu {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using f16 = std::uint16_t;  // its bits: halves are only converted
using f32 = float;
using f64 = double;
__extension__ using s128 = __int128;
__extension__ using u128 = unsigned __int128;
static_assert(std::numeric_limits<float>::is_iec559 && sizeof(void*) == 8,
              "PTX needs IEEE floats and 64-bit addresses");

template <class To, class From>
[[gnu::always_inline]] inline To bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}
[[gnu::always_inline]] inline u32 bits(f32 x) {
    return bit_cast<u32>(x);
}
[[gnu::always_inline]] inline u64 bits(f64 x) {
    return bit_cast<u64>(x);
}
[[gnu::always_inline]] inline f32 as_f32(u32 x) {
    return bit_cast<f32>(x);
}
[[gnu::always_inline]] inline f64 as_f64(u64 x) {
    return bit_cast<f64>(x);
}

// Integers.

template <class T>
[[gnu::always_inline]] inline T shift_left(T a, u32 by) {
    return by >= 8 * sizeof(T) ? T(0) : T(a << by);
}
/// Signed: the sign moves in.
template <class T>
[[gnu::always_inline]] inline T shift_right(T a, u32 by) {
    constexpr u32 width = 8 * sizeof(T);
    if (by >= width) return std::is_signed_v<T> && a < 0 ? T(-1) : T(0);
    return T(a >> by);
}
template <class T>
[[gnu::always_inline]] inline T mul_hi(T a, T b) {
    using Wide = std::conditional_t<std::is_signed_v<T>, s128, u128>;
    return T((Wide(a) * Wide(b)) >> (8 * sizeof(T)));
}
/// A card answers all ones where C++ has no answer; so must the test, not a signal.
template <class T>
inline T divide(T a, T b) {
    if (b == 0) return T(-1);
    if (std::is_signed_v<T> && b == T(-1)) return T(std::make_unsigned_t<T>(0) - std::make_unsigned_t<T>(a));
    return T(a / b);
}
template <class T>
inline T remainder(T a, T b) {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == T(-1)) return T(0);
    return T(a % b);
}
template <class T>
inline T add_with_carry(T a, T b, u32 carry_in, u32* carry_out) {
    const u128 sum = static_cast<u128>(a) + b + carry_in;
    if (carry_out) *carry_out = u32(sum >> (8 * sizeof(T))) & 1u;
    return T(sum);
}
/// The carry of a subtraction is its borrow.
template <class T>
inline T sub_with_carry(T a, T b, u32 carry_in, u32* carry_out) {
    const u128 difference = static_cast<u128>(a) - b - carry_in;
    if (carry_out) *carry_out = u32(difference >> (8 * sizeof(T))) & 1u;
    return T(difference);
}
template <class To, class From>
inline To clamp_to(From a) {
    const s128 low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max(), x = a;
    return x < low ? To(low) : x > high ? To(high) : To(x);
}
inline s32 add_saturating(s32 a, s32 b) {
    return clamp_to<s32>(s64(a) + s64(b));
}
inline s32 sub_saturating(s32 a, s32 b) {
    return clamp_to<s32>(s64(a) - s64(b));
}
template <class T>
inline u32 leading_zeros(T a) {
    if (a == 0) return 8 * sizeof(T);
    return sizeof(T) == 8 ? u32(__builtin_clzll(a)) : u32(__builtin_clz(u32(a)));
}
template <class T>
inline T reversed(T a) {
    T out = 0;
    for (u32 i = 0; i < 8 * sizeof(T); ++i) out = T(out << 1) | T((a >> i) & 1);
    return out;
}
/// Position of the highest bit that is not the sign; ~0 if there is none. As a shift: counted from the other end.
template <class T>
inline u32 find_bit(T a, bool as_shift) {
    using Bits = std::make_unsigned_t<T>;
    const Bits x = std::is_signed_v<T> && a < T(0) ? Bits(~Bits(a)) : Bits(a);
    if (x == 0) return 0xffffffffu;
    const u32 at = 8 * sizeof(T) - 1 - leading_zeros<Bits>(x);
    return as_shift ? 8 * sizeof(T) - 1 - at : at;
}
/// bfe: `count` bits from `first` on, signed ones filled with the field's highest bit (or the number's).
template <class T>
inline T extract_bits(T a, u32 first, u32 count) {
    using Bits = std::make_unsigned_t<T>;
    constexpr u32 width = 8 * sizeof(T);
    first &= 0xff;
    count &= 0xff;
    if (count == 0) return T(0);
    const u32 last = first + count - 1 < width - 1 ? first + count - 1 : width - 1;
    const bool fill = std::is_signed_v<T> && ((Bits(a) >> last) & 1);
    Bits out = 0;
    for (u32 i = 0; i < width; ++i) {
        const bool bit = i < count && first + i < width ? ((Bits(a) >> (first + i)) & 1) != 0 : fill;
        out |= Bits(bit) << i;
    }
    return T(out);
}
/// bfi: the low `count` bits of a put into b from `first` on.
template <class T>
inline T insert_bits(T a, T b, u32 first, u32 count) {
    first &= 0xff;
    count &= 0xff;
    T out = b;
    for (u32 i = 0; i < count && first + i < 8 * sizeof(T); ++i) {
        const T bit = T(1) << (first + i);
        out = ((a >> i) & 1) ? T(out | bit) : T(out & ~bit);
    }
    return out;
}
inline u32 bit_mask_clamp(u32 first, u32 count) {
    if (first > 31) return 0;
    const u32 ones = count > 31 ? 0xffffffffu : (1u << count) - 1;
    return ones << first;
}
inline u32 bit_mask_wrap(u32 first, u32 count) {
    return bit_mask_clamp(first & 31, count & 31);
}
template <class T>
inline T extend_clamp(T a, u32 count) {
    return count > 31 ? a : extract_bits<T>(a, 0, count);
}
template <class T>
inline T extend_wrap(T a, u32 count) {
    return extract_bits<T>(a, 0, count & 31);
}
inline u64 joined(u32 low, u32 high) {
    return u64(high) << 32 | low;
}
inline u32 funnel_left_wrap(u32 low, u32 high, u32 by) {
    return u32((joined(low, high) << (by & 31)) >> 32);
}
inline u32 funnel_left_clamp(u32 low, u32 high, u32 by) {
    return by >= 32 ? low : funnel_left_wrap(low, high, by);
}
inline u32 funnel_right_wrap(u32 low, u32 high, u32 by) {
    return u32(joined(low, high) >> (by & 31));
}
inline u32 funnel_right_clamp(u32 low, u32 high, u32 by) {
    return by >= 32 ? high : funnel_right_wrap(low, high, by);
}
/// Any function of three bits, by its table of truth.
template <u32 Table>
[[gnu::always_inline]] inline u32 lop3(u32 a, u32 b, u32 c) {
    u32 out = 0;
    if (Table & 0x01) out |= ~a & ~b & ~c;
    if (Table & 0x02) out |= ~a & ~b & c;
    if (Table & 0x04) out |= ~a & b & ~c;
    if (Table & 0x08) out |= ~a & b & c;
    if (Table & 0x10) out |= a & ~b & ~c;
    if (Table & 0x20) out |= a & ~b & c;
    if (Table & 0x40) out |= a & b & ~c;
    if (Table & 0x80) out |= a & b & c;
    return out;
}
/// prmt: each nibble of the selector picks one of eight bytes; its high bit asks for the byte's sign instead.
inline u32 permute(u32 a, u32 b, u32 selector) {
    const u64 bytes = joined(a, b);
    u32 out = 0;
    for (u32 i = 0; i < 4; ++i) {
        const u32 nibble = (selector >> (4 * i)) & 15;
        u32 byte = u32(bytes >> (8 * (nibble & 7))) & 255;
        if (nibble & 8) byte = byte & 128 ? 255 : 0;
        out |= byte << (8 * i);
    }
    return out;
}
inline u32 permute_f4e(u32 a, u32 b, u32 selector) {
    return u32(joined(a, b) >> (8 * (selector & 3)));
}
inline u32 permute_b4e(u32 a, u32 b, u32 selector) {
    constexpr u32 table[4] = {0x5670, 0x6701, 0x7012, 0x0123};
    return permute(a, b, table[selector & 3]);
}
inline u32 permute_rc8(u32 a, u32 b, u32 selector) {
    return permute(a, b, 0x1111 * (selector & 3));
}
inline u32 permute_ecl(u32 a, u32 b, u32 selector) {
    constexpr u32 table[4] = {0x3210, 0x3211, 0x3222, 0x3333};
    return permute(a, b, table[selector & 3]);
}
inline u32 permute_ecr(u32 a, u32 b, u32 selector) {
    constexpr u32 table[4] = {0x0000, 0x1110, 0x2210, 0x3210};
    return permute(a, b, table[selector & 3]);
}
inline u32 permute_rc16(u32 a, u32 b, u32 selector) {
    constexpr u32 table[4] = {0x1010, 0x3232, 0x1010, 0x3232};
    return permute(a, b, table[selector & 3]);
}
template <bool ASigned, bool BSigned>
inline u32 dot4(u32 a, u32 b, u32 c) {
    s64 sum = s64(s32(c));
    for (u32 i = 0; i < 4; ++i) {
        const u8 x = u8(a >> (8 * i)), y = u8(b >> (8 * i));
        sum += s64(ASigned ? s32(s8(x)) : s32(x)) * s64(BSigned ? s32(s8(y)) : s32(y));
    }
    return u32(sum);
}

// Floats.

enum class Rounding { rn, rz, rm, rp };

/// .ftz: subnormals become zero of the same sign.
inline f32 flush(f32 x) {
    return (bits(x) & 0x7f800000u) == 0 ? as_f32(bits(x) & 0x80000000u) : x;
}
/// .sat: to [0, 1]; NaN becomes +0.
template <class T>
inline T saturate(T x) {
    return x > T(0) ? (x < T(1) ? x : T(1)) : T(0);
}
[[gnu::always_inline]] inline f32 fma(f32 a, f32 b, f32 c) {
    return __builtin_fmaf(a, b, c);
}
[[gnu::always_inline]] inline f64 fma(f64 a, f64 b, f64 c) {
    return __builtin_fma(a, b, c);
}
[[gnu::always_inline]] inline f32 square_root(f32 a) {
    return __builtin_sqrtf(a);
}
[[gnu::always_inline]] inline f64 square_root(f64 a) {
    return __builtin_sqrt(a);
}
inline f32 reciprocal(f32 a) {
    return 1.0f / a;
}
inline f64 reciprocal(f64 a) {
    return 1.0 / a;
}
inline f32 reciprocal_root(f32 a) {
    return f32(1.0 / __builtin_sqrt(f64(a)));
}
inline f64 reciprocal_root(f64 a) {
    return 1.0 / __builtin_sqrt(a);
}
inline f32 exp2_of(f32 a) {
    return f32(std::exp2(f64(a)));
}
inline f32 log2_of(f32 a) {
    return f32(std::log2(f64(a)));
}
inline f32 sin_of(f32 a) {
    return f32(std::sin(f64(a)));
}
inline f32 cos_of(f32 a) {
    return f32(std::cos(f64(a)));
}
inline f32 tanh_of(f32 a) {
    return f32(std::tanh(f64(a)));
}
[[gnu::always_inline]] inline f32 negated(f32 a) {
    return as_f32(bits(a) ^ 0x80000000u);
}
[[gnu::always_inline]] inline f64 negated(f64 a) {
    return as_f64(bits(a) ^ 0x8000000000000000ull);
}
[[gnu::always_inline]] inline f32 absolute(f32 a) {
    return as_f32(bits(a) & 0x7fffffffu);
}
[[gnu::always_inline]] inline f64 absolute(f64 a) {
    return as_f64(bits(a) & 0x7fffffffffffffffull);
}
/// copysign: the first gives the sign.
inline f32 copy_sign(f32 sign, f32 size) {
    return as_f32((bits(sign) & 0x80000000u) | (bits(size) & 0x7fffffffu));
}
inline f64 copy_sign(f64 sign, f64 size) {
    return as_f64((bits(sign) & 0x8000000000000000ull) | (bits(size) & 0x7fffffffffffffffull));
}
/// A number beats NaN; -0 < +0.
template <class T>
[[gnu::always_inline]] inline T min(T a, T b) {
    if (a != a) return b;
    if (b != b) return a;
    if (a == b) return __builtin_signbit(a) ? a : b;
    return a < b ? a : b;
}
template <class T>
[[gnu::always_inline]] inline T max(T a, T b) {
    if (a != a) return b;
    if (b != b) return a;
    if (a == b) return __builtin_signbit(a) ? b : a;
    return a > b ? a : b;
}
template <class T>
inline T min_nan(T a, T b) {
    return a != a ? a : b != b ? b : min(a, b);
}
template <class T>
inline T max_nan(T a, T b) {
    return a != a ? a : b != b ? b : max(a, b);
}
template <class T>
[[gnu::always_inline]] inline bool both_numbers(T a, T b) {
    return a == a && b == b;
}
template <class T>
[[gnu::always_inline]] inline bool less_or_greater(T a, T b) {
    return a < b || a > b;
}
template <class T>
inline bool is_notanumber(T a) {
    return a != a;
}
template <class T>
inline bool is_number(T a) {
    return a == a;
}
template <class T>
inline bool is_infinite(T a) {
    return absolute(a) == std::numeric_limits<T>::infinity();
}
template <class T>
inline bool is_finite(T a) {
    return absolute(a) < std::numeric_limits<T>::infinity();
}
template <class T>
inline bool is_normal(T a) {
    return is_finite(a) && absolute(a) >= std::numeric_limits<T>::min();
}
/// Zero counts, as the PTX manual has it.
template <class T>
inline bool is_subnormal(T a) {
    return absolute(a) < std::numeric_limits<T>::min();
}

// Rounding other than to the nearest: out of line, where the compiler is told that the mode changes.
f32 rounded_add(f32 a, f32 b, Rounding);
f64 rounded_add(f64 a, f64 b, Rounding);
f32 rounded_sub(f32 a, f32 b, Rounding);
f64 rounded_sub(f64 a, f64 b, Rounding);
f32 rounded_mul(f32 a, f32 b, Rounding);
f64 rounded_mul(f64 a, f64 b, Rounding);
f32 rounded_div(f32 a, f32 b, Rounding);
f64 rounded_div(f64 a, f64 b, Rounding);
f32 rounded_fma(f32 a, f32 b, f32 c, Rounding);
f64 rounded_fma(f64 a, f64 b, f64 c, Rounding);
f32 rounded_square_root(f32 a, Rounding);
f64 rounded_square_root(f64 a, Rounding);
f32 rounded_reciprocal(f32 a, Rounding);
f64 rounded_reciprocal(f64 a, Rounding);
template <class To, class From>
To rounded_from(From, Rounding);

/// cvt.rni and the like, from float to float.
template <class T>
inline T to_whole(T a, Rounding rounding) {
    switch (rounding) {
        case Rounding::rz:
            return std::trunc(a);
        case Rounding::rm:
            return std::floor(a);
        case Rounding::rp:
            return std::ceil(a);
        default:
            return std::nearbyint(a);
    }
}
/// To the nearest integer that there is; NaN becomes 0.
template <class To, class From>
inline To to_integer(From a, Rounding rounding) {
    if (a != a) return To(0);
    const From whole = to_whole(a, rounding);
    // 2^width is a float, the largest integer may not be.
    const From limit = std::ldexp(From(1), int(8 * sizeof(To)) - (std::is_signed_v<To> ? 1 : 0));
    if (whole >= limit) return std::numeric_limits<To>::max();
    if (whole < (std::is_signed_v<To> ? -limit : From(0))) return std::numeric_limits<To>::min();
    return To(whole);
}
f32 half_to_float(u16);
u16 float_to_half(f32);  ///< to the nearest, ties to even

}  // namespace firn::cuda_on_cpu
