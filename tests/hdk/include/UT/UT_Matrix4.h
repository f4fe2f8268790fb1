#pragma once
// Double of <UT/UT_Matrix4.h>: https://www.sidefx.com/docs/hdk/class_u_t___matrix4_t.html
// Row vectors: a point is transformed as p * M; row 3 is the translation.

#include <UT/UT_Matrix3.h>
#include <UT/UT_Vector3.h>
#include <UT/UT_Vector4.h>

template <typename T>
class UT_Matrix4T {
public:
    typedef T value_type;
    static const int tuple_size = 16;

    UT_Matrix4T() = default;
    /// `diagonal` on the diagonal, 0 elsewhere.
    explicit UT_Matrix4T(fpreal64 diagonal) {
        for (int r = 0; r < 4; ++r)
            for (int c = 0; c < 4; ++c) matx[r][c] = r == c ? static_cast<T>(diagonal) : T(0);
    }
    void identity() { *this = UT_Matrix4T(1.0); }
    T& operator()(unsigned row, unsigned col) { return matx[row][col]; }
    T operator()(unsigned row, unsigned col) const { return matx[row][col]; }
    T* data() { return matx[0]; }
    const T* data() const { return matx[0]; }
    UT_Matrix4T operator*(const UT_Matrix4T& o) const {
        UT_Matrix4T m(0.0);
        for (int r = 0; r < 4; ++r)
            for (int c = 0; c < 4; ++c)
                for (int k = 0; k < 4; ++k) m.matx[r][c] += matx[r][k] * o.matx[k][c];
        return m;
    }

private:
    T matx[4][4];
};

template <typename T, typename S>
inline UT_Vector3T<T> operator*(const UT_Vector3T<T>& v, const UT_Matrix4T<S>& m) {
    UT_Vector3T<T> out;
    for (unsigned c = 0; c < 3; ++c)
        out(static_cast<int>(c)) = static_cast<T>(v(0) * m(0, c) + v(1) * m(1, c) + v(2) * m(2, c) + m(3, c));
    return out;
}
