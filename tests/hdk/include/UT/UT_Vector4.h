#pragma once
// Fake of <UT/UT_Vector4.h>: https://www.sidefx.com/docs/hdk/class_u_t___vector4_t.html

#include <UT/UT_Vector3.h>
#include <UT/UT_VectorTypes.h>

template <typename T>
class UT_Vector4T {
public:
    typedef T value_type;
    static const int tuple_size = 4;

    UT_Vector4T() = default;
    UT_Vector4T(T x, T y, T z, T w = 1) : vec{x, y, z, w} {}
    explicit UT_Vector4T(const UT_Vector3T<T>& v, T w = 1) : vec{v.x(), v.y(), v.z(), w} {}
    void assign(T x, T y, T z, T w = 1) { *this = UT_Vector4T(x, y, z, w); }
    T x() const { return vec[0]; }
    T y() const { return vec[1]; }
    T z() const { return vec[2]; }
    T w() const { return vec[3]; }
    T& operator()(int i) { return vec[i]; }
    T operator()(int i) const { return vec[i]; }
    template <typename S>
    UT_Vector4T& operator*=(const UT_Matrix4T<S>& m) {
        UT_Vector4T out(0, 0, 0, 0);
        for (unsigned c = 0; c < 4; ++c)
            for (unsigned r = 0; r < 4; ++r) out.vec[c] += static_cast<T>(vec[r] * m(r, c));
        return *this = out;
    }
    template <typename S>
    UT_Vector4T operator*(const UT_Matrix4T<S>& m) const {
        UT_Vector4T out(*this);
        return out *= m;
    }
    T* data() { return vec; }
    const T* data() const { return vec; }

private:
    T vec[4];
};
