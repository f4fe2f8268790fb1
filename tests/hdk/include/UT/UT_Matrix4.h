#pragma once
// Fake of <UT/UT_Matrix4.h>: https://www.sidefx.com/docs/hdk/class_u_t___matrix4_t.html
// Row vectors: a point is transformed as p * M; row 3 is the translation.

#include <UT/UT_Assert.h>
#include <UT/UT_Matrix3.h>
#include <UT/UT_Vector3.h>
#include <UT/UT_Vector4.h>

#include <cmath>
#include <utility>

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
    template <typename S>
    UT_Matrix4T(const UT_Matrix4T<S>& m) {
        for (unsigned r = 0; r < 4; ++r)
            for (unsigned c = 0; c < 4; ++c) matx[r][c] = static_cast<T>(m(r, c));
    }
    void identity() { *this = UT_Matrix4T(1.0); }
    T& operator()(unsigned row, unsigned col) { return matx[row][col]; }
    T operator()(unsigned row, unsigned col) const { return matx[row][col]; }
    /// Afterwards: p * M, then scaled or moved.
    void scale(T x, T y, T z) {
        const T by[3] = {x, y, z};
        for (int r = 0; r < 4; ++r)
            for (int c = 0; c < 3; ++c) matx[r][c] *= by[c];
    }
    void translate(T x, T y, T z) {
        const T by[3] = {x, y, z};
        for (int r = 0; r < 4; ++r)
            for (int c = 0; c < 3; ++c) matx[r][c] += matx[r][3] * by[c];
    }
    /// Beforehand: moved, then p * M.
    void pretranslate(T x, T y, T z) {
        for (int c = 0; c < 4; ++c) matx[3][c] += x * matx[0][c] + y * matx[1][c] + z * matx[2][c];
    }
    /// 0 when it worked; else nothing has changed.
    int invert();
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

// Gauss and Jordan, with the largest pivot of each column.
template <typename T>
int UT_Matrix4T<T>::invert() {
    UT_Matrix4T from = *this, inverse(1.0);
    for (int column = 0; column < 4; ++column) {
        int pivot = column;
        for (int r = column + 1; r < 4; ++r)
            if (std::abs(from.matx[r][column]) > std::abs(from.matx[pivot][column])) pivot = r;
        if (from.matx[pivot][column] == T(0)) return 1;
        std::swap(from.matx[column], from.matx[pivot]);
        std::swap(inverse.matx[column], inverse.matx[pivot]);
        const T by = T(1) / from.matx[column][column];
        for (int c = 0; c < 4; ++c) {
            from.matx[column][c] *= by;
            inverse.matx[column][c] *= by;
        }
        for (int r = 0; r < 4; ++r) {
            const T factor = from.matx[r][column];
            if (r == column) continue;
            for (int c = 0; c < 4; ++c) {
                from.matx[r][c] -= factor * from.matx[column][c];
                inverse.matx[r][c] -= factor * inverse.matx[column][c];
            }
        }
    }
    *this = inverse;
    return 0;
}

template <typename T, typename S>
inline UT_Vector3T<T> operator*(const UT_Vector3T<T>& v, const UT_Matrix4T<S>& m) {
    UT_Vector3T<T> out;
    for (unsigned c = 0; c < 3; ++c)
        out(static_cast<int>(c)) = static_cast<T>(v(0) * m(0, c) + v(1) * m(1, c) + v(2) * m(2, c) + m(3, c));
    return out;
}
