#pragma once

// The constitutive law of one particle: hardening and plasticity. No neighbours here.

#include "particles/eigen.h"

namespace firn::FIRN_LANES {

struct Lame {
    Real shear;  ///< G, Pa
    Real first;  ///< lambda, Pa
};

/// Gissler 2020, Eq. 22 and 23: e^(xi (rho0_t - rho0) / rho0_t). The exponent is bounded so that no lone flake and no
/// absurd xi makes it zero or infinite.
FIRN_HD Real hardening_factor(Real xi, Real rest_density_now, Real rho0) {
    const Real exponent = xi * (1.0f - rho0 / max(rest_density_now, 1e-6f * rho0));
    return exp(min(max(exponent, -30.0f), 30.0f));
}

FIRN_HD Lame lame(Real E, Real nu, Real hardening) {
    const Real one = splat(1.0f);
    const Real base = E * hardening / (one + nu);
    return {0.5f * base, base * nu / (one - 2.0f * nu)};
}

/// How far singular values may go: strains in [-theta_c, theta_s], the rest is plastic.
FIRN_HD Sym clamp_strain(const Sym& squared_stretch_minus_one, Real theta_c, Real theta_s) {
    Eigen e = eigen_decomposition(squared_stretch_minus_one);
    for (Real& value : e.values) {
        // sqrt(1 + value) - 1 without cancellation
        const Real root = sqrt(max(1.0f + value, 0.0f));
        const Real strain = value / (root + 1.0f);
        value = min(max(strain, -theta_c), theta_s);
    }
    return compose(e.values, e.vectors);
}

/// a^T a for general a
FIRN_HD Sym own_transpose_times(const Mat& a) {
    return times_own_transpose(transposed(a));
}

/// Gissler 2020, 3.3.1: F' = F + dt grad(v) F, singular values clamped, V S V^T kept. `strain` is F - 1.
FIRN_HD Sym advance_strain_published(const Sym& strain, const Mat& dt_gradient, Real theta_c, Real theta_s) {
    const Mat a = matrix(strain) + dt_gradient + dt_gradient * strain;  // F' - 1
    return clamp_strain(twice_symmetric(a) + own_transpose_times(a), theta_c, theta_s);
}

/// The same with the left stretch U S U^T kept: the strain turns with the snow, where the published update leaves it
/// behind in the direction that the snow had before the step.
FIRN_HD Sym advance_strain_objective(const Sym& strain, const Mat& dt_gradient, Real theta_c, Real theta_s) {
    const Mat a = matrix(strain) + dt_gradient + dt_gradient * strain;  // F' - 1
    return clamp_strain(twice_symmetric(a) + times_own_transpose(a), theta_c, theta_s);
}

/// Moore-Penrose inverse of the symmetric matrix of Gissler 2020, Eq. 15: directions in which the neighbours spread
/// less than `flatness` of what they do in the widest are left out, from there to half of it by degrees.
FIRN_HD Sym pseudo_inverse(const Sym& m, float flatness) {
    Eigen e = eigen_decomposition(m);
    const Real largest = max(max(e.values[0], e.values[1]), e.values[2]);
    const Real cut = max(flatness * largest, 1e-20f);
    for (Real& value : e.values) {
        const Real share = min(max(2.0f * value / cut - 1.0f, 0.0f), 1.0f);
        value = share / max(value, 0.5f * cut);
    }
    return compose(e.values, e.vectors);
}

}  // namespace firn::FIRN_LANES
