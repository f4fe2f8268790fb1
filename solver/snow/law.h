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
/// `compaction` is rho0_t / rho0. With `softening`, snow that is looser than at rest loses its strength by that instead
/// of xi: the spacing over the opening of a crack, so that the work of breaking does not depend on the spacing.
/// `solid` is the compaction at which it is as dense as ice; from there on it resists more, up to
/// twentyfold. 0 = nowhere.
FIRN_HD Real hardening_factor(Real xi, Real compaction, float softening, Real solid) {
    const Real packed = 1.0f - 1.0f / max(compaction, 1e-6f);
    const Real steepness = softening > 0.0f ? select(packed < 0.0f, splat(softening), xi) : xi;
    const Real beyond = select(solid > 0.0f, max(compaction / max(solid, 1e-6f) - 1.0f, 0.0f), 0.0f);
    return exp(min(max(steepness * packed + min(5.0f * beyond, 3.0f), -30.0f), 30.0f));
}

/// Snow is at most as dense as ice, kg/m^3.
constexpr float ice_density = 917.0f;

FIRN_HD Lame lame(Real E, Real nu, Real hardening) {
    const Real one = splat(1.0f);
    const Real base = E * hardening / (one + nu);
    return {0.5f * base, base * nu / (one - 2.0f * nu)};
}

/// What limits the stress of one particle.
struct Strength {
    Real nu;
    Real theta_c, theta_s;  ///< strains at which it yields in one direction: stress / E
    bool by_stress;         ///< else the strains themselves are limited, as published
};

/// Strains along the principal axes, after yield, and what became plastic.
struct Yielded {
    Real strain[3];
    Real plastic[3];
};

/// No principal stress leaves [-E theta_c, E theta_s]. Plastic strain arises only along the axes whose stress is at a
/// limit, as much as brings it back there: the nearest allowed state in elastic energy, so that yield never adds
/// energy. Limits on strains do add some: snow under load spreads sideways, and to cut that strain although the
/// stress there presses, compresses the snow further.
FIRN_HD Yielded yield_by_stress(const Real (&strain)[3], const Strength& limit) {
    // In units of 2 G: stress = strain + r tr(strain), and E = 1 + nu.
    const Real r = limit.nu / (1.0f - 2.0f * limit.nu), mean = r * (strain[0] + strain[1] + strain[2]);
    const Real high = (1.0f + limit.nu) * limit.theta_s, low = -(1.0f + limit.nu) * limit.theta_c;
    const Real zero = splat(0.0f), one = splat(1.0f);
    // Every axis yields by what of its stress is beyond the limits once all plastic strain is taken out of the mean:
    // one equation for that sum. It lies between 0 and what the axes would yield alone; Newton finds it in a few steps,
    // and where it would leave the bracket, half of that is taken.
    Yielded y;
    Real sum = zero, least = zero, most = zero;
    for (int step = 0; step < 8; ++step) {
        Real yields = zero, axes = zero;
        for (int k = 0; k < 3; ++k) {
            const Real stress = strain[k] + mean - r * sum;
            y.plastic[k] = max(stress - high, 0.0f) + min(stress - low, 0.0f);
            yields += y.plastic[k];
            axes += select(abs(y.plastic[k]) > 0.0f, one, zero);
        }
        if (step == 0) {
            least = min(yields, 0.0f);
            most = max(yields, 0.0f);
        }
        const Real excess = sum - yields;
        least = select(excess < 0.0f, sum, least);
        most = select(excess > 0.0f, sum, most);
        const Real next = sum - excess / (1.0f + r * axes);
        sum = select(both(next >= least, next <= most), next, 0.5f * (least + most));
    }
    for (int k = 0; k < 3; ++k) y.strain[k] = strain[k] - y.plastic[k];
    return y;
}

/// Gissler 2020, 3.3.1: strains in [-theta_c, theta_s], the rest is plastic.
FIRN_HD Yielded yield_by_strain(const Real (&strain)[3], const Strength& limit) {
    Yielded y;
    for (int k = 0; k < 3; ++k) {
        y.strain[k] = min(max(strain[k], -limit.theta_c), limit.theta_s);
        y.plastic[k] = strain[k] - y.strain[k];
    }
    return y;
}

FIRN_HD Yielded yielded(const Real (&strain)[3], const Strength& limit) {
    return limit.by_stress ? yield_by_stress(strain, limit) : yield_by_strain(strain, limit);
}

/// From the squared stretch to the elastic strain.
FIRN_HD Sym elastic_part(const Sym& squared_stretch_minus_one, const Strength& limit) {
    const Eigen e = eigen_decomposition(squared_stretch_minus_one);
    Real strain[3];
    for (int k = 0; k < 3; ++k) {
        // sqrt(1 + value) - 1 without cancellation
        strain[k] = e.values[k] / (sqrt(max(1.0f + e.values[k], 0.0f)) + 1.0f);
    }
    return compose(yielded(strain, limit).strain, e.vectors);
}

/// a^T a for general a
FIRN_HD Sym own_transpose_times(const Mat& a) {
    return times_own_transpose(transposed(a));
}

/// Gissler 2020, 3.3.1: F' = F + dt grad(v) F, singular values clamped, V S V^T kept. `strain` is F - 1.
FIRN_HD Sym advance_strain_published(const Sym& strain, const Mat& dt_gradient, const Strength& limit) {
    const Mat a = matrix(strain) + dt_gradient + dt_gradient * strain;  // F' - 1
    return elastic_part(twice_symmetric(a) + own_transpose_times(a), limit);
}

/// The same with the left stretch U S U^T kept: the strain turns with the snow, where the published update leaves it
/// behind in the direction that the snow had before the step.
FIRN_HD Sym advance_strain_objective(const Sym& strain, const Mat& dt_gradient, const Strength& limit) {
    const Mat a = matrix(strain) + dt_gradient + dt_gradient * strain;  // F' - 1
    return elastic_part(twice_symmetric(a) + times_own_transpose(a), limit);
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
