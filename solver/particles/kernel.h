#pragma once

#include "particles/vec.h"

namespace firn::FIRN_LANES {

/// The cubic spline with support `H` = two particle spacings, in 3D.
struct CubicSpline {
    float support_squared;  ///< H^2
    float inverse_support;  ///< 1 / H
    float norm;             ///< 8 / (pi H^3) = W(0)
    float gradient_norm;    ///< norm / H^2

    /// W(r)
    FIRN_HD Real value(Real r_squared) const {
        const Real q = min(sqrt(r_squared) * inverse_support, 1.0f);
        const Real outer = 1.0f - q;
        const Real inner = max(0.5f - q, 0.0f);
        return norm * (2.0f * outer * outer * outer - 8.0f * inner * inner * inner);
    }

    /// W'(r) / r: the gradient is this times x_i - x_j. Zero at and beyond the support, finite at r = 0.
    FIRN_HD Real slope(Real r_squared) const {
        const Real q = sqrt(r_squared) * inverse_support;
        const Real outer = max(1.0f - q, 0.0f);
        const Real far = -6.0f * outer * outer / q;
        const Real near = 18.0f * q - 12.0f;
        return gradient_norm * select(q < 0.5f, near, far);
    }
};

inline CubicSpline cubic_spline(float support) {
    const float norm = static_cast<float>(8.0 / (3.14159265358979323846 * double(support) * support * support));
    return {support * support, 1.0f / support, norm, norm / (support * support)};
}

}  // namespace firn::FIRN_LANES
