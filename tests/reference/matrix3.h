#pragma once

#include <array>
#include <cmath>
#include <vector>

namespace reference {

struct Vec3 {
    double x = 0, y = 0, z = 0;

    double& operator[](int k) { return k == 0 ? x : k == 1 ? y : z; }
    double operator[](int k) const { return k == 0 ? x : k == 1 ? y : z; }
};

inline Vec3 operator+(const Vec3& a, const Vec3& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vec3 operator-(const Vec3& a, const Vec3& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vec3 operator-(const Vec3& a) {
    return {-a.x, -a.y, -a.z};
}
inline Vec3 operator*(double s, const Vec3& a) {
    return {s * a.x, s * a.y, s * a.z};
}
inline Vec3 operator/(const Vec3& a, double s) {
    return {a.x / s, a.y / s, a.z / s};
}
inline Vec3& operator+=(Vec3& a, const Vec3& b) {
    return a = a + b;
}
inline Vec3& operator-=(Vec3& a, const Vec3& b) {
    return a = a - b;
}
inline double dot(const Vec3& a, const Vec3& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline double length(const Vec3& a) {
    return std::sqrt(dot(a, a));
}
inline Vec3 cross(const Vec3& a, const Vec3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Row-major; Mat3{} is zero.
struct Mat3 {
    std::array<std::array<double, 3>, 3> m{};

    double& operator()(int row, int column) { return m[row][column]; }
    double operator()(int row, int column) const { return m[row][column]; }
};

inline Mat3 diagonal(double a, double b, double c) {
    Mat3 d;
    d(0, 0) = a;
    d(1, 1) = b;
    d(2, 2) = c;
    return d;
}
inline Mat3 identity() {
    return diagonal(1, 1, 1);
}

inline Mat3 operator*(double s, const Mat3& a) {
    Mat3 c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) c(i, j) = s * a(i, j);
    return c;
}
inline Mat3 operator+(const Mat3& a, const Mat3& b) {
    Mat3 c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) c(i, j) = a(i, j) + b(i, j);
    return c;
}
inline Mat3 operator-(const Mat3& a, const Mat3& b) {
    return a + (-1.0) * b;
}
inline Mat3& operator+=(Mat3& a, const Mat3& b) {
    return a = a + b;
}
inline Mat3 operator*(const Mat3& a, const Mat3& b) {
    Mat3 c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) c(i, j) += a(i, k) * b(k, j);
    return c;
}
inline Vec3 operator*(const Mat3& a, const Vec3& v) {
    Vec3 r;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) r[i] += a(i, k) * v[k];
    return r;
}
inline Mat3 transpose(const Mat3& a) {
    Mat3 c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) c(i, j) = a(j, i);
    return c;
}
inline double trace(const Mat3& a) {
    return a(0, 0) + a(1, 1) + a(2, 2);
}
inline double determinant(const Mat3& a) {
    return a(0, 0) * (a(1, 1) * a(2, 2) - a(1, 2) * a(2, 1)) - a(0, 1) * (a(1, 0) * a(2, 2) - a(1, 2) * a(2, 0)) +
           a(0, 2) * (a(1, 0) * a(2, 1) - a(1, 1) * a(2, 0));
}
/// a b^T
inline Mat3 outer(const Vec3& a, const Vec3& b) {
    Mat3 c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) c(i, j) = a[i] * b[j];
    return c;
}
inline Vec3 column(const Mat3& a, int j) {
    return {a(0, j), a(1, j), a(2, j)};
}

/// Frobenius
inline double norm(const Mat3& a) {
    double sum = 0;
    for (const auto& row : a.m)
        for (double e : row) sum += e * e;
    return std::sqrt(sum);
}

using Scalars = std::vector<double>;
using Vectors = std::vector<Vec3>;
using Matrices = std::vector<Mat3>;

}  // namespace reference
