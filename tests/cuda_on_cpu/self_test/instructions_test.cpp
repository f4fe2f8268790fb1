// Every family of instructions on edge values, against references that are written another way than ptx_math.h: wider
// types, loops over bits, the definitions of IEEE 754.

#include <gtest/gtest.h>

#include <bitset>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "control.h"
#include "instruction_kernels.h"

namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;
__extension__ using Quad = __float128;  // 113 bits: holds every product of two floats, and the sums below

float as_float(u64 bits) {
    const u32 low = u32(bits);
    float x;
    std::memcpy(&x, &low, sizeof x);
    return x;
}
double as_double(u64 bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}
u32 bits_of(float x) {
    u32 bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}
u64 bits_of(double x) {
    u64 bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

const std::vector<u64> words = {0,          1,          2,          3,          31,         32,         33,
                                63,         64,         65,         127,        128,        255,        256,
                                0x7fff,     0x8000,     0xffff,     0x10000,    0x12345678, 0x7ffffffe, 0x7fffffff,
                                0x80000000, 0x80000001, 0xdeadbeef, 0xfffffffe, 0xffffffff};
const std::vector<u64> longs = {0,
                                1,
                                5,
                                63,
                                64,
                                0xffffffff,
                                0x100000000,
                                0x123456789abcdef0,
                                0x7fffffffffffffff,
                                0x8000000000000000,
                                0xfffffffffffffffe,
                                0xffffffffffffffff};
// Zeros, subnormals, halves, the limits of integers, infinities, NaNs of both kinds.
const std::vector<u64> floats = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x80800000,
                                 0x3f000000, 0xbf000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0xbf800000, 0x3fc00000,
                                 0xbfc00000, 0x40200000, 0x40490fdb, 0xc0490fdb, 0x42fe0000, 0x437f8000, 0x4effffff,
                                 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x5f000000, 0x7f7fffff,
                                 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345};

std::vector<u64> doubles() {
    std::vector<u64> out;
    for (double x : {0.0,
                     -0.0,
                     5e-324,
                     1.0,
                     -1.5,
                     2.5,
                     1e30,
                     -1e30,
                     9007199254740993.0,
                     4294967295.5,
                     -4294967296.5,
                     9.2233720368547748e18,
                     9.2233720368547758e18,
                     -9.2233720368547758e18,
                     1.8446744073709552e19,
                     1.00000005960464477539,
                     1.0000000596046449,
                     3.4028235677973366e38,
                     1.0e-45,
                     7e-46,
                     std::numeric_limits<double>::infinity(),
                     -std::numeric_limits<double>::infinity(),
                     std::numeric_limits<double>::quiet_NaN()}) {
        out.push_back(bits_of(x));
    }
    return out;
}

using Reference = std::function<u64(u64, u64, u64)>;
using Same = std::function<bool(u64, u64)>;

bool equal(u64 a, u64 b) {
    return a == b;
}
bool equal_floats(u64 a, u64 b) {
    return a == b || (std::isnan(as_float(a)) && std::isnan(as_float(b)));
}
bool equal_doubles(u64 a, u64 b) {
    return a == b || (std::isnan(as_double(a)) && std::isnan(as_double(b)));
}
/// The manual allows approximate instructions two units in the last place and more.
bool near_floats(u64 a, u64 b) {
    const float x = as_float(a), y = as_float(b);
    return equal_floats(a, b) || std::abs(x - y) <= 4e-7f * std::abs(y);
}

void check(const char* name, const std::vector<u64>& as, const std::vector<u64>& bs, const std::vector<u64>& cs,
           const Reference& reference, const Same& same = equal) {
    std::vector<u64> a, b, c;
    for (u64 x : as) {
        for (u64 y : bs) {
            for (u64 z : cs) {
                a.push_back(x);
                b.push_back(y);
                c.push_back(z);
            }
        }
    }
    const std::vector<u64> got = run_instruction(name, a, b, c);
    int shown = 0;
    for (std::size_t k = 0; k < got.size() && shown < 5; ++k) {
        const u64 wanted = reference(a[k], b[k], c[k]);
        if (same(got[k], wanted)) continue;
        ++shown;
        ADD_FAILURE() << name << std::hex << "(0x" << a[k] << ", 0x" << b[k] << ", 0x" << c[k] << ") = 0x" << got[k]
                      << ", not 0x" << wanted;
    }
}

const std::vector<u64> none = {0};

TEST(CudaOnCpuInstructions, IntegerSums) {
    check("add_u32", words, words, none, [](u64 a, u64 b, u64) { return (a + b) % 0x100000000; });
    check("sub_s32", words, words, none, [](u64 a, u64 b, u64) { return (a + 0x100000000 - b) % 0x100000000; });
    const auto clamp = [](s64 x) { return u64(u32(std::min<s64>(std::max<s64>(x, -0x80000000ll), 0x7fffffff))); };
    check("add_sat_s32", words, words, none, [&](u64 a, u64 b, u64) { return clamp(s64(s32(a)) + s32(b)); });
    check("sub_sat_s32", words, words, none, [&](u64 a, u64 b, u64) { return clamp(s64(s32(a)) - s32(b)); });
    check("add_by_carry", longs, longs, none, [](u64 a, u64 b, u64) { return a + b; });
    check("sub_by_borrow", longs, longs, none, [](u64 a, u64 b, u64) { return a - b; });
    check("min_s32", words, words, none, [](u64 a, u64 b, u64) { return s32(a) < s32(b) ? a : b; });
    check("max_u32", words, words, none, [](u64 a, u64 b, u64) { return a > b ? a : b; });
    check("abs_s32", words, none, none, [](u64 a, u64, u64) { return u64(u32(std::abs(s64(s32(a))))); });
    check("neg_s32", words, none, none, [](u64 a, u64, u64) { return u64(u32(-s64(s32(a)))); });
    check("sad_s32", words, words, words,
          [](u64 a, u64 b, u64 c) { return u64(u32(std::abs(s64(s32(a)) - s64(s32(b))) + s64(c))); });
}

TEST(CudaOnCpuInstructions, Products) {
    check("mul_lo_u32", words, words, none, [](u64 a, u64 b, u64) { return a * b % 0x100000000; });
    check("mul_hi_u32", words, words, none, [](u64 a, u64 b, u64) { return a * b / 0x100000000; });
    check("mul_hi_s32", words, words, none,
          [](u64 a, u64 b, u64) { return u64(u32(u64(s64(s32(a)) * s64(s32(b))) >> 32)); });
    check("mul_wide_u32", words, words, none, [](u64 a, u64 b, u64) { return a * b; });
    check("mul_wide_s32", words, words, none, [](u64 a, u64 b, u64) { return u64(s64(s32(a)) * s64(s32(b))); });
    check("mad_wide_s32", words, words, longs, [](u64 a, u64 b, u64 c) { return u64(s64(s32(a)) * s64(s32(b))) + c; });
    check("mad_lo_s32", words, words, words, [](u64 a, u64 b, u64 c) { return (a * b + c) % 0x100000000; });
    check("mad_hi_u32", words, words, words,
          [](u64 a, u64 b, u64 c) { return (a * b / 0x100000000 + c) % 0x100000000; });
    check("mul_hi_u64", longs, longs, none, [](u64 a, u64 b, u64) { return u64((UnsignedWide(a) * b) >> 64); });
    check("mul_hi_s64", longs, longs, none, [](u64 a, u64 b, u64) { return u64((Wide(s64(a)) * Wide(s64(b))) >> 64); });
    check("mad_lo_s64", longs, longs, longs, [](u64 a, u64 b, u64 c) { return a * b + c; });
    check("mad_by_carry", words, words, longs, [](u64 a, u64 b, u64 c) { return a * b + c; });
    check("dp4a_s32", words, words, words, [](u64 a, u64 b, u64 c) {
        s64 sum = s64(c);
        for (int k = 0; k < 4; ++k) sum += s64(s8(a >> 8 * k)) * s64(s8(b >> 8 * k));
        return u64(u32(sum));
    });
}

TEST(CudaOnCpuInstructions, Divisions) {
    std::vector<u64> divisors(words.begin() + 1, words.end());
    check("div_u32", words, divisors, none, [](u64 a, u64 b, u64) { return a / b; });
    check("div_s32", words, divisors, none, [](u64 a, u64 b, u64) { return u64(u32(s64(s32(a)) / s64(s32(b)))); });
    check("rem_s32", words, divisors, none, [](u64 a, u64 b, u64) { return u64(u32(s64(s32(a)) % s64(s32(b)))); });
    check("rem_u64", longs, {1, 3, 0xffffffffffffffff}, none, [](u64 a, u64 b, u64) { return a % b; });
    // A card gives all ones, and does not stop.
    check("div_u32", words, {0}, none, [](u64, u64, u64) { return u64(0xffffffff); });
}

TEST(CudaOnCpuInstructions, Shifts) {
    check("shl_b32", words, none, words, [](u64 a, u64, u64 by) { return by > 31 ? 0 : u64(u32(a << by)); });
    check("shr_u32", words, none, words, [](u64 a, u64, u64 by) { return by > 31 ? 0 : a >> by; });
    check("shr_s32", words, none, words,
          [](u64 a, u64, u64 by) { return u64(u32(s64(s32(a)) >> std::min<u64>(by, 63))); });
    check("shl_b64", longs, none, words, [](u64 a, u64, u64 by) { return by > 63 ? 0 : a << by; });
    check("shr_u64", longs, none, words, [](u64 a, u64, u64 by) { return by > 63 ? 0 : a >> by; });
    check("shr_s64", longs, none, words, [](u64 a, u64, u64 by) { return u64(s64(a) >> std::min<u64>(by, 63)); });
    const auto pair = [](u64 low, u64 high) { return high << 32 | low; };
    check("shf_l_wrap", words, words, words,
          [&](u64 a, u64 b, u64 c) { return u64(u32((UnsignedWide(pair(a, b)) << (c % 32)) >> 32)); });
    check("shf_l_clamp", words, words, words,
          [&](u64 a, u64 b, u64 c) { return u64(u32((UnsignedWide(pair(a, b)) << std::min<u64>(c, 32)) >> 32)); });
    check("shf_r_wrap", words, words, words, [&](u64 a, u64 b, u64 c) { return u64(u32(pair(a, b) >> (c % 32))); });
    check("shf_r_clamp", words, words, words,
          [&](u64 a, u64 b, u64 c) { return u64(u32(pair(a, b) >> std::min<u64>(c, 32))); });
}

TEST(CudaOnCpuInstructions, Bits) {
    check("lop3_96", words, words, words, [](u64 a, u64 b, u64 c) { return a ^ b ^ c; });
    check("lop3_e8", words, words, words, [](u64 a, u64 b, u64 c) { return (a & b) | (b & c) | (a & c); });
    check("lop3_ca", words, words, words, [](u64 a, u64 b, u64 c) { return (a & b) | (~a & c & 0xffffffff); });
    check("popc_b32", words, none, none, [](u64 a, u64, u64) { return std::bitset<64>(a).count(); });
    check("popc_b64", longs, none, none, [](u64 a, u64, u64) { return std::bitset<64>(a).count(); });
    const auto zeros = [](u64 a, int width) {
        u64 n = 0;
        while (n < u64(width) && !(a >> (u64(width) - 1 - n) & 1)) ++n;
        return n;
    };
    check("clz_b32", words, none, none, [&](u64 a, u64, u64) { return zeros(a, 32); });
    check("clz_b64", longs, none, none, [&](u64 a, u64, u64) { return zeros(a, 64); });
    check("brev_b32", words, none, none, [](u64 a, u64, u64) {
        u64 out = 0;
        for (int k = 0; k < 32; ++k) out += (a >> k & 1) << (31 - k);
        return out;
    });
    const auto highest = [](u64 a) {
        u64 at = 0xffffffff;
        for (u64 k = 0; k < 32; ++k) at = a >> k & 1 ? k : at;
        return at;
    };
    check("bfind_u32", words, none, none, [&](u64 a, u64, u64) { return highest(a); });
    check("bfind_s32", words, none, none, [&](u64 a, u64, u64) { return highest(s32(a) < 0 ? ~a & 0xffffffff : a); });
    check("bfind_shift", words, none, none, [&](u64 a, u64, u64) { return a ? 31 - highest(a) : u64(0xffffffff); });
    check("bmsk_clamp", none, words, words, [](u64, u64 first, u64 count) {
        u64 out = 0;
        for (u64 k = first; k < 32 && k - first < count; ++k) out |= u64(1) << k;
        return out;
    });
    check("cnot_b32", words, none, none, [](u64 a, u64, u64) { return u64(a == 0); });
}

TEST(CudaOnCpuInstructions, BitFields) {
    const std::vector<u64> places = {0, 1, 5, 16, 30, 31, 32, 33, 63, 64, 255, 256, 0xffffffff};
    // The field as a number: shift the rest out on the left, then down; what lies past the end is zero or the sign.
    const auto field = [](u64 a, u64 first, u64 count, int width, bool has_sign) {
        first %= 256;
        count %= 256;
        const u64 ones = width == 64 ? ~u64(0) : (u64(1) << width) - 1;
        if (count == 0) return u64(0);
        const u64 last = std::min<u64>(first + count - 1, u64(width) - 1);
        const bool negative = has_sign && (a >> last & 1);
        const u64 shifted = first >= u64(width) ? 0 : (a & ones) >> first;
        const u64 length = first >= u64(width) ? 0 : std::min<u64>(count, u64(width) - first);
        const u64 mask = length >= 64 ? ~u64(0) : (u64(1) << length) - 1;
        return ((shifted & mask) | (negative ? ~mask : 0)) & ones;
    };
    check("bfe_u32", words, places, places, [&](u64 a, u64 b, u64 c) { return field(a, b, c, 32, false); });
    check("bfe_s32", words, places, places, [&](u64 a, u64 b, u64 c) { return field(a, b, c, 32, true); });
    check("bfe_u64", longs, places, places, [&](u64 a, u64 b, u64 c) { return field(a, b, c, 64, false); });
    check("bfe_s64", longs, places, places, [&](u64 a, u64 b, u64 c) { return field(a, b, c, 64, true); });
    check("bfi_b32", words, places, places, [](u64 a, u64 first, u64 count) {
        std::bitset<32> out(0x12345678), from(a);
        first %= 256;
        count %= 256;
        for (u64 k = 0; k < count && first + k < 32; ++k) out[first + k] = from[k];
        return u64(out.to_ulong());
    });
    check("szext_wrap_s32", words, none, places, [](u64 a, u64, u64 count) {
        count %= 32;
        return count ? u64(u32(s32(u32(a) << (32 - count)) >> (32 - count))) : u64(0);
    });
}

TEST(CudaOnCpuInstructions, Permutations) {
    const auto byte = [](u64 a, u64 b, u64 k) { return u64(u8((b << 32 | a) >> 8 * (k % 8))); };
    const auto four = [](u64 b0, u64 b1, u64 b2, u64 b3) { return b0 | b1 << 8 | b2 << 16 | b3 << 24; };
    const std::vector<u64> selectors = {0x3210, 0x7654, 0x0123, 0xfedc, 0x8888, 0x4444, 0xb3b3, 0xffff, 0xabcd3210};
    check("prmt_b32", words, words, selectors, [&](u64 a, u64 b, u64 c) {
        u64 part[4];
        for (u64 k = 0; k < 4; ++k) {
            const u64 nibble = c >> 4 * k & 15;
            part[k] = nibble < 8 ? byte(a, b, nibble) : byte(a, b, nibble) > 127 ? 255 : 0;
        }
        return four(part[0], part[1], part[2], part[3]);
    });
    const std::vector<u64> modes = {0, 1, 2, 3, 4, 7};
    check("prmt_f4e", words, words, modes, [&](u64 a, u64 b, u64 c) {
        c %= 4;
        return four(byte(a, b, c), byte(a, b, c + 1), byte(a, b, c + 2), byte(a, b, c + 3));
    });
    check("prmt_b4e", words, words, modes, [&](u64 a, u64 b, u64 c) {
        c %= 4;
        return four(byte(a, b, c), byte(a, b, c + 7), byte(a, b, c + 6), byte(a, b, c + 5));
    });
    check("prmt_rc8", words, words, modes, [&](u64 a, u64 b, u64 c) { return byte(a, b, c % 4) * 0x01010101; });
    check("prmt_ecl", words, words, modes, [&](u64 a, u64 b, u64 c) {
        c %= 4;
        return four(byte(a, b, std::max<u64>(0, c)), byte(a, b, std::max<u64>(1, c)), byte(a, b, std::max<u64>(2, c)),
                    byte(a, b, 3));
    });
    check("prmt_ecr", words, words, modes, [&](u64 a, u64 b, u64 c) {
        c %= 4;
        return four(byte(a, b, 0), byte(a, b, std::min<u64>(1, c)), byte(a, b, std::min<u64>(2, c)),
                    byte(a, b, std::min<u64>(3, c)));
    });
    check("prmt_rc16", words, words, modes, [&](u64 a, u64 b, u64 c) {
        const u64 first = c % 2 * 2;
        return four(byte(a, b, first), byte(a, b, first + 1), byte(a, b, first), byte(a, b, first + 1));
    });
}

// Floats.

float flushed(float x) {
    return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

/// The float next to an exact value, below it, above it or towards zero.
u64 directed(Quad exact, int direction, float zero) {
    float x = float(exact);
    if (std::isnan(x)) return bits_of(x);
    if (exact == 0) return bits_of(zero);
    const float infinity = std::numeric_limits<float>::infinity();
    if (Quad(x) == exact) return bits_of(x);
    const bool up = direction > 0 || (direction == 0 && exact < 0);
    if (up && Quad(x) < exact) x = std::nextafter(x, infinity);
    if (!up && Quad(x) > exact) x = std::nextafter(x, -infinity);
    return bits_of(x);
}

TEST(CudaOnCpuInstructions, FloatSums) {
    check(
        "add_f32", floats, floats, none,
        [](u64 a, u64 b, u64) { return bits_of(float(double(as_float(a)) + double(as_float(b)))); }, equal_floats);
    check(
        "sub_f32", floats, floats, none,
        [](u64 a, u64 b, u64) { return bits_of(float(double(as_float(a)) - double(as_float(b)))); }, equal_floats);
    check(
        "mul_f32", floats, floats, none,
        [](u64 a, u64 b, u64) { return bits_of(float(Quad(as_float(a)) * Quad(as_float(b)))); }, equal_floats);
    check(
        "add_ftz_f32", floats, floats, none,
        [](u64 a, u64 b, u64) {
            return bits_of(flushed(float(double(flushed(as_float(a))) + double(flushed(as_float(b))))));
        },
        equal_floats);
    check(
        "mul_ftz_f32", floats, floats, none,
        [](u64 a, u64 b, u64) {
            return bits_of(flushed(float(Quad(flushed(as_float(a))) * Quad(flushed(as_float(b))))));
        },
        equal_floats);
    check("add_sat_f32", floats, floats, none, [](u64 a, u64 b, u64) {
        const double sum = double(as_float(a)) + double(as_float(b));
        return u64(bits_of(std::isnan(sum) || sum <= 0 ? 0.0f : sum >= 1 ? 1.0f : float(sum)));
    });
}

TEST(CudaOnCpuInstructions, DirectedRounding) {
    // Within reach of each other, so that their sums fit 113 bits; what is no number; and, apart, what overflows.
    std::vector<u64> near, large;
    for (float x : {0.0f, -0.0f, 1.0f, -1.0f, 0.1f, -0.3f, 1e-7f, -1e-7f, 3e7f, -1e10f, 1e20f,
                    std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        near.push_back(bits_of(x));
    }
    for (float x : {3.4028235e38f, -3.4028235e38f, 1e31f, -1e31f, 1e20f}) large.push_back(bits_of(x));
    const auto sum = [](u64 a, u64 b) { return Quad(as_float(a)) + Quad(as_float(b)); };
    // The sum of two opposite numbers is +0, but for rounding down; of two equal zeros, that zero.
    const auto zero = [](u64 a, u64 b, bool down) {
        const bool minus = std::signbit(as_float(a)) && std::signbit(as_float(b));
        const bool plus = !std::signbit(as_float(a)) && !std::signbit(as_float(b));
        return minus || (down && !plus) ? -0.0f : 0.0f;
    };
    for (const std::vector<u64>& each : {near, large}) {
        check(
            "add_rz_f32", each, each, none,
            [&](u64 a, u64 b, u64) { return directed(sum(a, b), 0, zero(a, b, false)); }, equal_floats);
    }
    for (const std::vector<u64>& each : {near, large}) {
        check(
            "add_rm_f32", each, each, none,
            [&](u64 a, u64 b, u64) { return directed(sum(a, b), -1, zero(a, b, true)); }, equal_floats);
    }
    for (const std::vector<u64>& each : {near, large}) {
        check(
            "add_rp_f32", each, each, none,
            [&](u64 a, u64 b, u64) { return directed(sum(a, b), 1, zero(a, b, false)); }, equal_floats);
    }
    check(
        "mul_rz_f32", near, near, none,
        [&](u64 a, u64 b, u64) {
            const bool minus = std::signbit(as_float(a)) != std::signbit(as_float(b));
            return directed(Quad(as_float(a)) * Quad(as_float(b)), 0, minus ? -0.0f : 0.0f);
        },
        equal_floats);
    std::vector<u64> normal;
    for (float x : {1.0f, -1.0f, 0.1f, -0.3f, 1e-7f, 3e7f}) normal.push_back(bits_of(x));
    check("fma_rm_f32", normal, normal, normal, [](u64 a, u64 b, u64 c) {
        return directed(Quad(as_float(a)) * Quad(as_float(b)) + Quad(as_float(c)), -1, -0.0f);
    });
}

TEST(CudaOnCpuInstructions, FusedMultiplyAdd) {
    std::vector<u64> some;
    for (float x : {0.0f, -0.0f, 1.0f, -1.0f, 1.0000001f, 0.99999994f, 0.1f, 3e7f, -1e10f, 1e-20f, 1e-38f, 1e-45f,
                    1e19f, 3.4e38f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        some.push_back(bits_of(x));
    }
    check(
        "fma_f32", some, some, some,
        [](u64 a, u64 b, u64 c) {
            const float x = as_float(a), y = as_float(b), z = as_float(c);
            const Quad exact = Quad(x) * Quad(y) + Quad(z);  // rounded at 113 bits: far below half a unit
            const bool minus = (std::signbit(x) != std::signbit(y)) && std::signbit(z);
            if (exact == 0) return u64(bits_of(minus ? -0.0f : 0.0f));
            return u64(bits_of(float(exact)));
        },
        equal_floats);
    const std::vector<u64> wide = {bits_of(1.0), bits_of(1.0 + 1e-15), bits_of(-1.0),
                                   bits_of(0.1), bits_of(3e20),        bits_of(-1e-20)};
    check(
        "fma_f64", wide, wide, wide,
        [](u64 a, u64 b, u64 c) {
            const Quad exact = Quad(as_double(a)) * Quad(as_double(b)) + Quad(as_double(c));
            return bits_of(double(exact));
        },
        equal_doubles);
}

TEST(CudaOnCpuInstructions, DivisionsAndRoots) {
    check(
        "div_f32", floats, floats, none,
        [](u64 a, u64 b, u64) { return bits_of(float(Quad(as_float(a)) / Quad(as_float(b)))); }, equal_floats);
    const auto root = [](u64 a, u64, u64) { return u64(bits_of(float(std::sqrt(double(as_float(a)))))); };
    check("sqrt_f32", floats, none, none, root, equal_floats);
    check(
        "rcp_f32", floats, none, none, [](u64 a, u64, u64) { return bits_of(float(Quad(1) / Quad(as_float(a)))); },
        equal_floats);
    check(
        "rcp_ftz_f32", floats, none, none,
        [](u64 a, u64, u64) { return bits_of(flushed(float(Quad(1) / Quad(flushed(as_float(a)))))); }, near_floats);
    check(
        "rsqrt_f32", floats, none, none,
        [](u64 a, u64, u64) { return bits_of(float(1 / std::sqrt(static_cast<long double>(as_float(a))))); },
        near_floats);
    check(
        "ex2_f32", floats, none, none,
        [](u64 a, u64, u64) { return bits_of(float(std::exp2(static_cast<long double>(as_float(a))))); }, near_floats);
    check(
        "lg2_f32", floats, none, none,
        [](u64 a, u64, u64) { return bits_of(float(std::log2(static_cast<long double>(as_float(a))))); }, near_floats);
}

TEST(CudaOnCpuInstructions, MinimaAndSigns) {
    // NaN loses against a number; -0 lies below +0: as integers with the sign turned, floats are in order.
    const auto order = [](float x) {
        const s32 size = s32(bits_of(x) & 0x7fffffffu);
        return std::signbit(x) ? -size - 1 : size;
    };
    const auto lesser = [&](float a, float b) {
        return std::isnan(a) ? b : std::isnan(b) ? a : order(a) < order(b) ? a : b;
    };
    const auto greater = [&](float a, float b) {
        return std::isnan(a) ? b : std::isnan(b) ? a : order(a) > order(b) ? a : b;
    };
    check(
        "min_f32", floats, floats, none, [&](u64 a, u64 b, u64) { return bits_of(lesser(as_float(a), as_float(b))); },
        equal_floats);
    check(
        "max_f32", floats, floats, none, [&](u64 a, u64 b, u64) { return bits_of(greater(as_float(a), as_float(b))); },
        equal_floats);
    check(
        "min_ftz_f32", floats, floats, none,
        [&](u64 a, u64 b, u64) { return bits_of(lesser(flushed(as_float(a)), flushed(as_float(b)))); }, equal_floats);
    check(
        "neg_f32", floats, none, none, [](u64 a, u64, u64) { return a ^ 0x80000000; }, equal_floats);
    check(
        "abs_f32", floats, none, none, [](u64 a, u64, u64) { return a & 0x7fffffff; }, equal_floats);
    check(
        "copysign_f32", floats, floats, none, [](u64 a, u64 b, u64) { return (a & 0x80000000) | (b & 0x7fffffff); },
        equal_floats);
}

TEST(CudaOnCpuInstructions, Comparisons) {
    check("setp_f32", floats, floats, none, [](u64 a, u64 b, u64) {
        const float x = as_float(a), y = as_float(b);
        const bool unordered = std::isunordered(x, y), less = std::isless(x, y), more = std::isgreater(x, y);
        const bool same = !unordered && !less && !more;
        const bool answers[] = {
            same,  less || more,      less,  less || same,      more,  more || same, same || unordered,
            !same, less || unordered, !more, more || unordered, !less, !unordered,   unordered};
        u64 out = 0;
        for (int k = 0; k < 14; ++k) out |= u64(answers[k]) << k;
        return out;
    });
    check("setp_both", words, words, {0, 1}, [](u64 a, u64 b, u64 c) {
        if (!c) return u64(0);
        return s32(a) < s32(b) ? u64(1) : u64(2);
    });
    check("setp_lo", words, words, none, [](u64 a, u64 b, u64) { return u64(a < b); });
    check("set_f32", floats, floats, none,
          [](u64 a, u64 b, u64) { return std::isless(as_float(a), as_float(b)) ? u64(0xffffffff) : u64(0); });
    check("slct_s32", words, {7}, words, [](u64 a, u64 b, u64 c) { return c < 0x80000000 ? a : b; });
    check("testp_f32", floats, none, none, [](u64 a, u64, u64) {
        const float x = as_float(a);
        return u64(std::isfinite(x)) | u64(std::isinf(x)) << 1 | u64(!std::isnan(x)) << 2 | u64(std::isnan(x)) << 3 |
               u64(std::isnormal(x)) << 4;
    });
}

TEST(CudaOnCpuInstructions, ConversionsToIntegers) {
    const auto convert = [](double whole, double low, double high) {
        return std::isnan(whole) ? 0.0 : std::min(std::max(whole, low), high);
    };
    const auto to_s32 = [&](double whole) { return u64(u32(s32(convert(whole, -2147483648.0, 2147483647.0)))); };
    const auto nearest = [](double x) {
        const double low = std::floor(x), rest = x - low;
        if (rest != 0.5) return rest < 0.5 ? low : low + 1;
        return std::fmod(low, 2) == 0 ? low : low + 1;
    };
    check("cvt_rni_s32", floats, none, none, [&](u64 a, u64, u64) { return to_s32(nearest(as_float(a))); });
    check("cvt_rzi_s32", floats, none, none, [&](u64 a, u64, u64) { return to_s32(std::trunc(double(as_float(a)))); });
    check("cvt_rmi_s32", floats, none, none, [&](u64 a, u64, u64) { return to_s32(std::floor(double(as_float(a)))); });
    check("cvt_rpi_s32", floats, none, none, [&](u64 a, u64, u64) { return to_s32(std::ceil(double(as_float(a)))); });
    check("cvt_rzi_u32", floats, none, none,
          [&](u64 a, u64, u64) { return u64(convert(std::trunc(double(as_float(a))), 0, 4294967295.0)); });
    check("cvt_rzi_u8", floats, none, none,
          [&](u64 a, u64, u64) { return u64(convert(std::trunc(double(as_float(a))), 0, 255)); });
    check("cvt_rzi_s64", doubles(), none, none, [](u64 a, u64, u64) {
        const double x = as_double(a);
        if (std::isnan(x)) return u64(0);
        if (x >= 9.2233720368547758e18) return u64(0x7fffffffffffffff);
        if (x < -9.2233720368547758e18) return u64(0x8000000000000000);
        return u64(s64(x));
    });
    check("cvt_rzi_u64", doubles(), none, none, [](u64 a, u64, u64) {
        const double x = as_double(a);
        if (std::isnan(x) || x < 1) return u64(0);
        return x >= 1.8446744073709552e19 ? ~u64(0) : u64(x);
    });
    check(
        "cvt_rni_f32", floats, none, none,
        [&](u64 a, u64, u64) {
            const float x = as_float(a);
            return u64(bits_of(std::abs(x) < 1e7f ? std::copysign(float(nearest(x)), x) : x));
        },
        equal_floats);
    check("cvt_sat_s8", words, none, none,
          [](u64 a, u64, u64) { return u64(u32(std::min(std::max(s32(a), -128), 127))); });
    check("cvt_sat_u16", words, none, none, [](u64 a, u64, u64) { return u64(std::min(std::max(s32(a), 0), 65535)); });
    check("cvt_s64_s32", words, none, none, [](u64 a, u64, u64) { return u64(s64(s32(a))); });
    check("cvt_s64_s8", words, none, none, [](u64 a, u64, u64) { return u64(s64(s8(a))); });
}

TEST(CudaOnCpuInstructions, ConversionsToFloats) {
    check("cvt_sat_f32", floats, none, none, [](u64 a, u64, u64) {
        const float x = as_float(a);
        return u64(bits_of(std::isnan(x) || x <= 0 ? 0.0f : std::min(x, 1.0f)));
    });
    check(
        "cvt_ftz_f32", floats, none, none, [](u64 a, u64, u64) { return bits_of(flushed(as_float(a))); }, equal_floats);
    check(
        "cvt_f32_f64", doubles(), none, none, [](u64 a, u64, u64) { return bits_of(float(Quad(as_double(a)))); },
        equal_floats);
    check(
        "cvt_rz_f32_f64", doubles(), none, none,
        [](u64 a, u64, u64) { return directed(Quad(as_double(a)), 0, std::signbit(as_double(a)) ? -0.0f : 0.0f); },
        equal_floats);
    check("cvt_rn_f32_u64", longs, none, none, [](u64 a, u64, u64) { return bits_of(float(Quad(a))); });
    check("cvt_rp_f32_s64", longs, none, none, [](u64 a, u64, u64) { return directed(Quad(s64(a)), 1, 0.0f); });
    check(
        "cvt_f64_f32", floats, none, none, [](u64 a, u64, u64) { return bits_of(double(as_float(a))); }, equal_doubles);
}

TEST(CudaOnCpuInstructions, Halves) {
    // The value of a half by its definition; and the nearest of all 65536 for the way back.
    const auto value = [](u64 h) {
        const int exponent = int(h >> 10 & 31);
        const double fraction = double(h & 1023), sign = h & 0x8000 ? -1 : 1;
        if (exponent == 31) return fraction ? std::nan("") : sign * std::numeric_limits<double>::infinity();
        return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
    };
    std::vector<u64> halves;
    for (u64 h = 0; h < 65536; h += 7) halves.push_back(h);
    check(
        "cvt_from_f16", halves, none, none, [&](u64 a, u64, u64) { return bits_of(float(value(a))); }, equal_floats);

    std::vector<u64> inputs = floats;
    for (float x : {65504.0f, 65519.9f, 65520.0f, 1.00048828125f, 1.00146484375f, 5.9604645e-8f, 2.9802322e-8f,
                    2.98e-8f, 6.1e-5f}) {
        inputs.push_back(bits_of(x));
    }
    check(
        "cvt_f16", inputs, none, none,
        [&](u64 a, u64, u64) {
            const double x = as_float(a);
            if (std::isnan(x)) return u64(0x7fff);
            if (std::abs(x) >= 65520) return u64(x < 0 ? 0xfc00 : 0x7c00);
            u64 best = 0;
            double least = std::numeric_limits<double>::infinity();
            for (u64 h = 0; h < 0x7c00; ++h) {
                const double off = std::abs(value(h) - std::abs(x));
                if (off < least || (off == least && h % 2 == 0)) {
                    least = off;
                    best = h;
                }
            }
            return best | (std::signbit(x) ? 0x8000 : 0);
        },
        [](u64 a, u64 b) { return a == b || ((a & 0x7fff) > 0x7c00 && (b & 0x7fff) > 0x7c00); });
}

}  // namespace
