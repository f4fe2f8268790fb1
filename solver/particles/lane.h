#pragma once

// The arithmetic type that every kernel is written in: `Real` holds one particle's number on CUDA and in the width-1
// build, four or eight particles' numbers under SSE2 and AVX2. Kernels are branch-free over it (select, max) and are
// compiled once per width, each time in a namespace of its own, so that the linker can never hand a function compiled
// for AVX2 to a machine without it.
//
// A translation unit defines FIRN_LANES (the namespace) and FIRN_LANE_WIDTH (1, 4 or 8) before it includes this.

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "firn/vector.h"

#if defined(__CUDACC__)
#define FIRN_HD __host__ __device__ __forceinline__
#else
#define FIRN_HD inline __attribute__((always_inline))
#endif

#if FIRN_LANE_WIDTH > 1
#include <immintrin.h>
#endif

namespace firn::FIRN_LANES {

constexpr uint32_t lane_width = FIRN_LANE_WIDTH;

#if FIRN_LANE_WIDTH == 1

using Real = float;
using Mask = bool;
using Int = uint32_t;

/// Which particle a kernel gathers from.
struct Index {
    uint32_t value;
};
FIRN_HD Index index_at(const uint32_t* entry) {
    return {*entry};
}
FIRN_HD Int indices(Index j) {
    return j.value;
}

FIRN_HD Real splat(float a) {
    return a;
}
FIRN_HD Real select(Mask m, Real a, Real b) {
    return m ? a : b;
}
FIRN_HD Int select(Mask m, Int a, Int b) {
    return m ? a : b;
}
FIRN_HD Int load(const uint32_t* a) {
    return *a;
}
FIRN_HD void store(uint32_t* a, Int v) {
    *a = v;
}
FIRN_HD Real max(Real a, Real b) {
    return a > b ? a : b;
}
FIRN_HD Real min(Real a, Real b) {
    return a < b ? a : b;
}
FIRN_HD Real sqrt(Real a) {
    return ::sqrtf(a);
}
FIRN_HD Real exp(Real a) {
    return ::expf(a);
}
FIRN_HD Real abs(Real a) {
    return ::fabsf(a);
}
FIRN_HD bool any(Mask m) {
    return m;
}
FIRN_HD Mask both(Mask a, Mask b) {
    return a && b;
}
FIRN_HD Mask either(Mask a, Mask b) {
    return a || b;
}

FIRN_HD Real load(const float* a) {
    return *a;
}
FIRN_HD Real load_unaligned(const float* a) {
    return *a;
}
FIRN_HD void store(float* a, Real v) {
    *a = v;
}
/// The bits of a float without its sign: a larger number has larger bits, and what is no number has the largest.
FIRN_HD uint32_t size_bits(Real a) {
    union {
        float number;
        uint32_t bits;
    } const as = {a};
    return as.bits & 0x7fffffffu;
}
FIRN_HD float lane(Real a, uint32_t) {
    return a;
}
FIRN_HD uint32_t lane(Int a, uint32_t) {
    return a;
}
/// True for the lanes of the block at `i` that lie below `count`.
FIRN_HD Mask below(uint32_t i, uint32_t count) {
    return i < count;
}
FIRN_HD uint32_t mask_bits(Mask m) {
    return m ? 1u : 0u;
}
FIRN_HD uint32_t count_bits(uint32_t bits) {
    return bits;
}
FIRN_HD uint32_t lowest_bit(uint32_t) {
    return 0;
}
FIRN_HD Real gather(const float* a, const uint32_t* index) {
    return a[*index];
}
FIRN_HD Real gather(const float* a, Index j) {
    return a[j.value];
}

#else

using Real = float __attribute__((vector_size(4 * FIRN_LANE_WIDTH)));
using Mask = int32_t __attribute__((vector_size(4 * FIRN_LANE_WIDTH)));
using Int = uint32_t __attribute__((vector_size(4 * FIRN_LANE_WIDTH)));

/// Which particles a kernel gathers from: `lane_width` consecutive entries of a neighbour list.
struct Index {
    const uint32_t* at;
};
FIRN_HD Index index_at(const uint32_t* entry) {
    return {entry};
}

FIRN_HD Real splat(float a) {
    return a - Real{};
}
FIRN_HD Real select(Mask m, Real a, Real b) {
    return m ? a : b;
}
FIRN_HD Int select(Mask m, Int a, Int b) {
    return m ? a : b;
}
FIRN_HD Int load(const uint32_t* a) {
    return *reinterpret_cast<const Int*>(a);
}
FIRN_HD Int indices(Index j) {
    return load(j.at);
}
FIRN_HD void store(uint32_t* a, Int v) {
    *reinterpret_cast<Int*>(a) = v;
}
FIRN_HD Mask both(Mask a, Mask b) {
    return a & b;
}
FIRN_HD Mask either(Mask a, Mask b) {
    return a | b;
}
FIRN_HD Real load(const float* a) {
    return *reinterpret_cast<const Real*>(a);
}
FIRN_HD Real load_unaligned(const float* a) {
    Real r;
    __builtin_memcpy(&r, a, sizeof r);
    return r;
}
FIRN_HD void store(float* a, Real v) {
    *reinterpret_cast<Real*>(a) = v;
}
/// The bits of floats without their signs: a larger number has larger bits, and what is no number has the largest.
FIRN_HD Int size_bits(Real a) {
    return reinterpret_cast<Int>(a) & 0x7fffffffu;
}
FIRN_HD float lane(Real a, uint32_t k) {
    return a[k];
}
FIRN_HD uint32_t lane(Int a, uint32_t k) {
    return a[k];
}

// Once per particle and step: the library's exp, a lane at a time, keeps the same bits at every width.
FIRN_HD Real exp(Real a) {
    Real r = a;
    for (uint32_t k = 0; k < lane_width; ++k) r[k] = ::expf(a[k]);
    return r;
}
FIRN_HD Real gather(const float* a, const uint32_t* index) {
    Real r;
    for (uint32_t k = 0; k < lane_width; ++k) r[k] = a[index[k]];
    return r;
}
FIRN_HD Real gather(const float* a, Index j) {
    return gather(a, j.at);
}

#if FIRN_LANE_WIDTH == 8
FIRN_HD Real max(Real a, Real b) {
    return _mm256_max_ps(a, b);
}
FIRN_HD Real min(Real a, Real b) {
    return _mm256_min_ps(a, b);
}
FIRN_HD Real sqrt(Real a) {
    return _mm256_sqrt_ps(a);
}
FIRN_HD Real abs(Real a) {
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}
FIRN_HD uint32_t mask_bits(Mask m) {
    return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(reinterpret_cast<__m256i>(m))));
}
FIRN_HD Mask below(uint32_t i, uint32_t count) {
    const Mask k = {0, 1, 2, 3, 4, 5, 6, 7};
    return static_cast<int32_t>(count - i) > k;
}
#else
FIRN_HD Real max(Real a, Real b) {
    return _mm_max_ps(a, b);
}
FIRN_HD Real min(Real a, Real b) {
    return _mm_min_ps(a, b);
}
FIRN_HD Real sqrt(Real a) {
    return _mm_sqrt_ps(a);
}
FIRN_HD Real abs(Real a) {
    return _mm_andnot_ps(_mm_set1_ps(-0.0f), a);
}
FIRN_HD uint32_t mask_bits(Mask m) {
    return static_cast<uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(reinterpret_cast<__m128i>(m))));
}
FIRN_HD Mask below(uint32_t i, uint32_t count) {
    const Mask k = {0, 1, 2, 3};
    return static_cast<int32_t>(count - i) > k;
}
#endif

// Numbers that are the same for every lane need no splat() beside a Real: operators take them as they are, and so do
// these.
FIRN_HD Real max(Real a, float b) {
    return max(a, splat(b));
}
FIRN_HD Real min(Real a, float b) {
    return min(a, splat(b));
}
FIRN_HD Real select(Mask m, Real a, float b) {
    return select(m, a, splat(b));
}
FIRN_HD Real select(Mask m, float a, Real b) {
    return select(m, splat(a), b);
}

FIRN_HD bool any(Mask m) {
    return mask_bits(m) != 0;
}
FIRN_HD uint32_t count_bits(uint32_t bits) {
    return static_cast<uint32_t>(__builtin_popcount(bits));
}
FIRN_HD uint32_t lowest_bit(uint32_t bits) {
    return static_cast<uint32_t>(__builtin_ctz(bits));
}

#endif

/// A float that stands beside Reals, where the two are different types.
template <class T>
using Scalar = std::enable_if_t<std::is_same<T, float>::value && lane_width != 1, int>;

struct Vec4 {
    Real x, y, z, w;
};

// Four floats of each of `lane_width` particles, transposed: 16-byte loads and shuffles, three times faster than the
// gather instruction. `Stride` is the number of records that a particle has in the table.

#if FIRN_LANE_WIDTH == 1

template <int Stride = 1>
FIRN_HD Vec4 load4(const Float4* a) {
    return {a->x, a->y, a->z, a->w};
}
template <int Stride = 1>
FIRN_HD Vec4 gather4(const Float4* a, Index j) {
    return load4(a + size_t(j.value) * Stride);
}
template <int Stride = 1>
FIRN_HD void store4(Float4* a, const Vec4& v) {
    *a = Float4{v.x, v.y, v.z, v.w};
}

#elif FIRN_LANE_WIDTH == 4

FIRN_HD Vec4 transpose(__m128 a, __m128 b, __m128 c, __m128 d) {
    _MM_TRANSPOSE4_PS(a, b, c, d);
    return {a, b, c, d};
}
FIRN_HD __m128 row(const Float4* a) {
    return _mm_load_ps(&a->x);
}
template <int Stride = 1>
FIRN_HD Vec4 load4(const Float4* a) {
    return transpose(row(a), row(a + Stride), row(a + 2 * Stride), row(a + 3 * Stride));
}
template <int Stride = 1>
FIRN_HD Vec4 gather4(const Float4* a, Index j) {
    const auto at = [&](int k) { return row(a + size_t(j.at[k]) * Stride); };
    return transpose(at(0), at(1), at(2), at(3));
}
template <int Stride = 1>
FIRN_HD void store4(Float4* a, const Vec4& v) {
    const Vec4 r = transpose(v.x, v.y, v.z, v.w);
    _mm_store_ps(&a[0].x, r.x);
    _mm_store_ps(&a[Stride].x, r.y);
    _mm_store_ps(&a[2 * Stride].x, r.z);
    _mm_store_ps(&a[3 * Stride].x, r.w);
}

#else

FIRN_HD __m256 rows(const Float4* a, const Float4* b) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(&a->x)), _mm_load_ps(&b->x), 1);
}
FIRN_HD Vec4 transpose(__m256 a, __m256 b, __m256 c, __m256 d) {
    const __m256 ab_low = _mm256_unpacklo_ps(a, b), ab_high = _mm256_unpackhi_ps(a, b);
    const __m256 cd_low = _mm256_unpacklo_ps(c, d), cd_high = _mm256_unpackhi_ps(c, d);
    return {_mm256_shuffle_ps(ab_low, cd_low, 0x44), _mm256_shuffle_ps(ab_low, cd_low, 0xEE),
            _mm256_shuffle_ps(ab_high, cd_high, 0x44), _mm256_shuffle_ps(ab_high, cd_high, 0xEE)};
}
template <int Stride = 1>
FIRN_HD Vec4 load4(const Float4* a) {
    const auto pair = [&](int k) { return rows(a + k * Stride, a + (k + 4) * Stride); };
    return transpose(pair(0), pair(1), pair(2), pair(3));
}
template <int Stride = 1>
FIRN_HD Vec4 gather4(const Float4* a, Index j) {
    const auto pair = [&](int k) { return rows(a + size_t(j.at[k]) * Stride, a + size_t(j.at[k + 4]) * Stride); };
    return transpose(pair(0), pair(1), pair(2), pair(3));
}
template <int Stride = 1>
FIRN_HD void store4(Float4* a, const Vec4& v) {
    const Vec4 r = transpose(v.x, v.y, v.z, v.w);
    const Real columns[4] = {r.x, r.y, r.z, r.w};
    for (int k = 0; k < 4; ++k) {
        _mm_store_ps(&a[k * Stride].x, _mm256_castps256_ps128(columns[k]));
        _mm_store_ps(&a[(k + 4) * Stride].x, _mm256_extractf128_ps(columns[k], 1));
    }
}

#endif

}  // namespace firn::FIRN_LANES
