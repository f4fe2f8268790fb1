#pragma once

// Small vectors and matrices over Real.

#include "particles/lane.h"

namespace firn::FIRN_LANES {

struct Vec3 {
    Real x, y, z;
};

FIRN_HD Vec3 operator+(const Vec3& a, const Vec3& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
FIRN_HD Vec3 operator-(const Vec3& a, const Vec3& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
FIRN_HD Vec3 operator*(Real s, const Vec3& a) {
    return {s * a.x, s * a.y, s * a.z};
}
template <class T, Scalar<T> = 0>
FIRN_HD Vec3 operator*(T s, const Vec3& a) {
    return splat(s) * a;
}
FIRN_HD Vec3 operator-(const Vec3& a) {
    return {-a.x, -a.y, -a.z};
}
FIRN_HD Vec3& operator+=(Vec3& a, const Vec3& b) {
    return a = a + b;
}
FIRN_HD Vec3& operator-=(Vec3& a, const Vec3& b) {
    return a = a - b;
}
FIRN_HD Real dot(const Vec3& a, const Vec3& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
FIRN_HD Vec3 cross(const Vec3& a, const Vec3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
FIRN_HD Vec3 zero3() {
    return {splat(0), splat(0), splat(0)};
}
FIRN_HD Vec3 select(Mask m, const Vec3& a, const Vec3& b) {
    return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z)};
}
FIRN_HD Vec3 xyz(const Vec4& a) {
    return {a.x, a.y, a.z};
}
FIRN_HD Vec4 with_w(const Vec3& a, Real w) {
    return {a.x, a.y, a.z, w};
}

/// Symmetric 3x3 matrix.
struct Sym {
    Real xx, xy, xz, yy, yz, zz;
};

FIRN_HD Sym operator+(const Sym& a, const Sym& b) {
    return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}
FIRN_HD Sym operator*(Real s, const Sym& a) {
    return {s * a.xx, s * a.xy, s * a.xz, s * a.yy, s * a.yz, s * a.zz};
}
template <class T, Scalar<T> = 0>
FIRN_HD Sym operator*(T s, const Sym& a) {
    return splat(s) * a;
}
FIRN_HD Sym& operator+=(Sym& a, const Sym& b) {
    return a = a + b;
}
/// The sum of the squares of its nine elements.
FIRN_HD Real square(const Sym& a) {
    const Real off = a.xy * a.xy + a.xz * a.xz + a.yz * a.yz;
    return a.xx * a.xx + a.yy * a.yy + a.zz * a.zz + off + off;
}
FIRN_HD Vec3 operator*(const Sym& a, const Vec3& b) {
    return {a.xx * b.x + a.xy * b.y + a.xz * b.z, a.xy * b.x + a.yy * b.y + a.yz * b.z,
            a.xz * b.x + a.yz * b.y + a.zz * b.z};
}
FIRN_HD Real trace(const Sym& a) {
    return a.xx + a.yy + a.zz;
}
FIRN_HD Sym identity_times(Real s) {
    return {s, splat(0), splat(0), s, splat(0), s};
}

/// det(1 + a) - 1, without the cancellation that would eat small strains.
FIRN_HD Real det_minus_one(const Sym& a) {
    const Real minors = (a.xx * a.yy - a.xy * a.xy) + (a.xx * a.zz - a.xz * a.xz) + (a.yy * a.zz - a.yz * a.yz);
    const Real det =
        a.xx * (a.yy * a.zz - a.yz * a.yz) - a.xy * (a.xy * a.zz - a.yz * a.xz) + a.xz * (a.xy * a.yz - a.yy * a.xz);
    return trace(a) + minors + det;
}

/// General 3x3 matrix, row by row.
struct Mat {
    Vec3 x, y, z;
};

FIRN_HD Mat zero_matrix() {
    return {zero3(), zero3(), zero3()};
}
FIRN_HD Mat operator+(const Mat& a, const Mat& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
FIRN_HD Mat operator*(Real s, const Mat& a) {
    return {s * a.x, s * a.y, s * a.z};
}
template <class T, Scalar<T> = 0>
FIRN_HD Mat operator*(T s, const Mat& a) {
    return splat(s) * a;
}
FIRN_HD Mat& operator+=(Mat& a, const Mat& b) {
    return a = a + b;
}
FIRN_HD Vec3 operator*(const Mat& a, const Vec3& b) {
    return {dot(a.x, b), dot(a.y, b), dot(a.z, b)};
}
FIRN_HD Mat operator*(const Mat& a, const Sym& b) {
    return {b * a.x, b * a.y, b * a.z};
}
FIRN_HD Mat outer(const Vec3& a, const Vec3& b) {
    return {a.x * b, a.y * b, a.z * b};
}
FIRN_HD Real trace(const Mat& a) {
    return a.x.x + a.y.y + a.z.z;
}
FIRN_HD Mat matrix(const Sym& a) {
    return {{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}};
}
FIRN_HD Mat transposed(const Mat& a) {
    return {{a.x.x, a.y.x, a.z.x}, {a.x.y, a.y.y, a.z.y}, {a.x.z, a.y.z, a.z.z}};
}
/// a + a^T
FIRN_HD Sym twice_symmetric(const Mat& a) {
    return {a.x.x + a.x.x, a.x.y + a.y.x, a.x.z + a.z.x, a.y.y + a.y.y, a.y.z + a.z.y, a.z.z + a.z.z};
}
/// a a^T
FIRN_HD Sym times_own_transpose(const Mat& a) {
    return {dot(a.x, a.x), dot(a.x, a.y), dot(a.x, a.z), dot(a.y, a.y), dot(a.y, a.z), dot(a.z, a.z)};
}

// Arrays of vectors that only their own particle reads: one float array per component, `stride` apart.

struct Columns {
    float* data;
    uint32_t stride;
};

FIRN_HD Vec3 load3(Columns c, uint32_t i) {
    return {load(c.data + i), load(c.data + c.stride + i), load(c.data + 2 * size_t(c.stride) + i)};
}
FIRN_HD void store3(Columns c, uint32_t i, const Vec3& v) {
    store(c.data + i, v.x);
    store(c.data + c.stride + i, v.y);
    store(c.data + 2 * size_t(c.stride) + i, v.z);
}
FIRN_HD Sym select(Mask m, const Sym& a, const Sym& b) {
    return {select(m, a.xx, b.xx), select(m, a.xy, b.xy), select(m, a.xz, b.xz),
            select(m, a.yy, b.yy), select(m, a.yz, b.yz), select(m, a.zz, b.zz)};
}
FIRN_HD Sym load_sym(Columns c, uint32_t i) {
    const size_t s = c.stride;
    const float* a = c.data + i;
    return {load(a), load(a + s), load(a + 2 * s), load(a + 3 * s), load(a + 4 * s), load(a + 5 * s)};
}
FIRN_HD void store_sym(Columns c, uint32_t i, const Sym& m) {
    const size_t s = c.stride;
    float* a = c.data + i;
    store(a, m.xx);
    store(a + s, m.xy);
    store(a + 2 * s, m.xz);
    store(a + 3 * s, m.yy);
    store(a + 4 * s, m.yz);
    store(a + 5 * s, m.zz);
}

}  // namespace firn::FIRN_LANES
