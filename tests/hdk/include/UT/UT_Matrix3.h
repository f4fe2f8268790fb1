#pragma once
// Fake of <UT/UT_Matrix3.h>: https://www.sidefx.com/docs/hdk/class_u_t___matrix3_t.html
// Row vectors: a point is transformed as p * M.

#include <UT/UT_Vector3.h>

template <typename T>
class UT_Matrix3T {
public:
    typedef T value_type;
    static const int tuple_size = 9;

    UT_Matrix3T() = default;
    /// `diagonal` on the diagonal, 0 elsewhere.
    explicit UT_Matrix3T(fpreal64 diagonal) {
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) matx[r][c] = r == c ? static_cast<T>(diagonal) : T(0);
    }
    void identity() { *this = UT_Matrix3T(1.0); }
    T& operator()(unsigned row, unsigned col) { return matx[row][col]; }
    T operator()(unsigned row, unsigned col) const { return matx[row][col]; }
    T* data() { return matx[0]; }
    const T* data() const { return matx[0]; }

private:
    T matx[3][3];
};
