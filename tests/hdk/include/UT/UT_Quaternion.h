#pragma once
// Fake of <UT/UT_Quaternion.h>: https://www.sidefx.com/docs/hdk/class_u_t___quaternion_t.html

#include <UT/UT_Matrix4.h>

#include <cmath>

/// x, y, z, w; turns row vectors as the matrix does that it is taken from.
class UT_Quaternion {
public:
    UT_Quaternion() = default;
    float& operator[](int i) { return vec[i]; }
    float operator[](int i) const { return vec[i]; }
    float operator()(int i) const { return vec[i]; }
    /// Of the rotation in a matrix without scale.
    void updateFromRotationMatrix(const UT_DMatrix4& m) {
        const auto root = [](double square) { return 0.5 * std::sqrt(square > 0 ? square : 0.0); };
        const double x = root(1 + m(0, 0) - m(1, 1) - m(2, 2)), y = root(1 - m(0, 0) + m(1, 1) - m(2, 2)),
                     z = root(1 - m(0, 0) - m(1, 1) + m(2, 2)), w = root(1 + m(0, 0) + m(1, 1) + m(2, 2));
        vec[0] = static_cast<float>(std::copysign(x, m(1, 2) - m(2, 1)));
        vec[1] = static_cast<float>(std::copysign(y, m(2, 0) - m(0, 2)));
        vec[2] = static_cast<float>(std::copysign(z, m(0, 1) - m(1, 0)));
        vec[3] = static_cast<float>(w);
    }

private:
    float vec[4] = {0, 0, 0, 1};
};
