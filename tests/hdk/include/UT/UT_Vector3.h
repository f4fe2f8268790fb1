#pragma once
// Fake of <UT/UT_Vector3.h>: https://www.sidefx.com/docs/hdk/class_u_t___vector3_t.html

#include <UT/UT_VectorTypes.h>

#include <cmath>
#include <functional>

template <typename T>
class UT_Vector3T {
public:
    typedef T value_type;
    static const int tuple_size = 3;

    UT_Vector3T() = default;
    explicit UT_Vector3T(T v) : vec{v, v, v} {}
    UT_Vector3T(T x, T y, T z) : vec{x, y, z} {}
    template <typename S>
    UT_Vector3T(const UT_Vector3T<S>& v) : vec{static_cast<T>(v.x()), static_cast<T>(v.y()), static_cast<T>(v.z())} {}

    T& x() { return vec[0]; }
    T& y() { return vec[1]; }
    T& z() { return vec[2]; }
    T x() const { return vec[0]; }
    T y() const { return vec[1]; }
    T z() const { return vec[2]; }
    T& operator()(int i) { return vec[i]; }
    T operator()(int i) const { return vec[i]; }
    T& operator[](int i) { return vec[i]; }
    T operator[](int i) const { return vec[i]; }
    T* data() { return vec; }
    const T* data() const { return vec; }
    UT_Vector3T& operator=(T v) { return *this = UT_Vector3T(v); }
    void assign(T x, T y, T z) { *this = UT_Vector3T(x, y, z); }

    UT_Vector3T operator+(const UT_Vector3T& o) const {
        return {vec[0] + o.vec[0], vec[1] + o.vec[1], vec[2] + o.vec[2]};
    }
    UT_Vector3T operator-(const UT_Vector3T& o) const {
        return {vec[0] - o.vec[0], vec[1] - o.vec[1], vec[2] - o.vec[2]};
    }
    UT_Vector3T operator*(T s) const { return {vec[0] * s, vec[1] * s, vec[2] * s}; }
    UT_Vector3T operator/(T s) const { return {vec[0] / s, vec[1] / s, vec[2] / s}; }
    UT_Vector3T& operator/=(T s) { return *this = *this / s; }
    UT_Vector3T& operator*=(T s) { return *this = *this * s; }
    /// Each component by its own.
    UT_Vector3T& operator*=(const UT_Vector3T& o) {
        return *this = UT_Vector3T(vec[0] * o.vec[0], vec[1] * o.vec[1], vec[2] * o.vec[2]);
    }
    /// By a matrix: as a position.
    template <typename S>
    UT_Vector3T& operator*=(const UT_Matrix4T<S>& m) {
        return *this = *this * m;
    }
    UT_Vector3T& operator+=(const UT_Vector3T& o) { return *this = *this + o; }
    UT_Vector3T& operator-=(const UT_Vector3T& o) { return *this = *this - o; }
    UT_Vector3T& operator+=(T s) { return *this = *this + UT_Vector3T(s); }
    UT_Vector3T& operator-=(T s) { return *this = *this - UT_Vector3T(s); }
    bool operator==(const UT_Vector3T& o) const {
        return vec[0] == o.vec[0] && vec[1] == o.vec[1] && vec[2] == o.vec[2];
    }
    bool operator!=(const UT_Vector3T& o) const { return !(*this == o); }
    T dot(const UT_Vector3T& o) const { return vec[0] * o.vec[0] + vec[1] * o.vec[1] + vec[2] * o.vec[2]; }
    T length2() const { return vec[0] * vec[0] + vec[1] * vec[1] + vec[2] * vec[2]; }
    T length() const { return std::sqrt(length2()); }
    /// Its length before; a vector without one stays as it is.
    T normalize() {
        const T before = length();
        if (before > T(0)) *this = *this / before;
        return before;
    }
    /// By a matrix: as a direction.
    template <typename S>
    void multiply3(const UT_Matrix4T<S>& m) {
        UT_Vector3T out;
        for (unsigned c = 0; c < 3; ++c)
            out.vec[c] = static_cast<T>(vec[0] * m(0, c) + vec[1] * m(1, c) + vec[2] * m(2, c));
        *this = out;
    }

private:
    T vec[3];
};

template <typename T, typename S>
inline UT_Vector3T<T> operator*(S s, const UT_Vector3T<T>& v) {
    return v * static_cast<T>(s);
}

template <typename T>
inline T distance2(const UT_Vector3T<T>& a, const UT_Vector3T<T>& b) {
    return (a - b).length2();
}

template <typename T>
struct std::hash<UT_Vector3T<T>> {
    size_t operator()(const UT_Vector3T<T>& v) const {
        const std::hash<T> one;
        return one(v.x()) ^ (one(v.y()) << 1) ^ (one(v.z()) << 2);
    }
};
