#pragma once
// Fake of <UT/UT_Vector2.h>: https://www.sidefx.com/docs/hdk/class_u_t___vector2_t.html

#include <UT/UT_VectorTypes.h>

template <typename T>
class UT_Vector2T {
public:
    typedef T value_type;
    static const int tuple_size = 2;

    UT_Vector2T() = default;
    UT_Vector2T(T x, T y) : vec{x, y} {}
    template <typename S>
    UT_Vector2T(const UT_Vector2T<S>& v) : vec{static_cast<T>(v.x()), static_cast<T>(v.y())} {}
    T& x() { return vec[0]; }
    T& y() { return vec[1]; }
    T x() const { return vec[0]; }
    T y() const { return vec[1]; }
    T& operator()(int i) { return vec[i]; }
    T operator()(int i) const { return vec[i]; }
    T* data() { return vec; }
    const T* data() const { return vec; }

private:
    T vec[2];
};
