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
    Real sine;              ///< of the angle of inner friction; 1 = shear alone never breaks it
    Real collapse;          ///< share of its strength against pressure that it loses with its bonds
    bool by_stress;         ///< else the strains themselves are limited, as published
};

/// sin of an angle of 0 to 90 degrees, to 2e-6.
FIRN_HD Real sine_of_degrees(Real degrees) {
    const Real x = 0.017453293f * min(max(degrees, 0.0f), 90.0f), square = x * x;
    return x * (1.0f + square * (-0.16666654f + square * (0.0083321608f - 0.00019515296f * square)));
}

/// Strains along the principal axes, after yield, and what became plastic.
struct Yielded {
    Real strain[3];
    Real plastic[3];  ///< because the stress along the axis is at a limit
    Real slipped[3];  ///< because the axes differ by more than friction holds; their sum is 0
};

/// Snow gives way where its largest and its least principal stress differ by more than cohesion and inner friction
/// hold (Mohr-Coulomb, through the tensile strength `high`): s_max - s_min <= (1 + sin) high - sin (s_max + s_min).
/// It slips without change of volume, which leaves the pressure as it is; so the principal stresses, in units of 2 G,
/// are cut to an interval, and what is cut off is the slip.
FIRN_HD void slip(Yielded& y, Real r, Real high, Real sine) {
    const Real mean = r * (y.strain[0] + y.strain[1] + y.strain[2]);
    const Real s0 = y.strain[0] + mean, s1 = y.strain[1] + mean, s2 = y.strain[2] + mean;
    const Real most = max(max(s0, s1), s2), least = min(min(s0, s1), s2), sum = s0 + s1 + s2;
    const Real middle = sum - most - least, cohesion = (1.0f + sine) * high;
    const Real excess = max(most - least - cohesion + sine * (most + least), 0.0f);
    Real upper = most - 0.5f * excess, lower = least + 0.5f * excess;
    // Where the middle one is no longer between them, two slip alike against the third.
    const Real both_high = (cohesion + sum * (1.0f - sine)) / (3.0f - sine);
    const Real both_low = (sum * (1.0f + sine) - cohesion) / (3.0f + sine);
    const Mask crowded_above = both(middle > upper, excess > 0.0f), crowded_below = both(middle<lower, excess> 0.0f);
    upper = select(crowded_above, both_high, select(crowded_below, sum - 2.0f * both_low, upper));
    lower = select(crowded_above, sum - 2.0f * both_high, select(crowded_below, both_low, lower));
    const Mask slips = excess > 0.0f;
    for (int k = 0; k < 3; ++k) {
        const Real stress = y.strain[k] + mean;
        y.slipped[k] = select(slips, stress - min(max(stress, lower), upper), 0.0f);
        y.strain[k] -= y.slipped[k];
    }
}

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
        const Real before = sum;
        sum = select(both(next >= least, next <= most), next, 0.5f * (least + most));
        if (!any(abs(sum - before) > 0.0f)) break;
    }
    for (int k = 0; k < 3; ++k) y.strain[k] = strain[k] - y.plastic[k];
    slip(y, r, high, limit.sine);
    return y;
}

/// Gissler 2020, 3.3.1: strains in [-theta_c, theta_s], the rest is plastic.
FIRN_HD Yielded yield_by_strain(const Real (&strain)[3], const Strength& limit) {
    Yielded y;
    for (int k = 0; k < 3; ++k) {
        y.strain[k] = min(max(strain[k], -limit.theta_c), limit.theta_s);
        y.plastic[k] = strain[k] - y.strain[k];
        y.slipped[k] = splat(0.0f);
    }
    return y;
}

FIRN_HD Yielded yielded(const Real (&strain)[3], const Strength& limit) {
    return limit.by_stress ? yield_by_stress(strain, limit) : yield_by_strain(strain, limit);
}

/// False only where the snow certainly does not yield: the principal stresses lie within bounds that the size of the
/// deviator gives, without looking for them.
FIRN_HD Mask may_yield(const Sym& strain, const Strength& limit) {
    if (!limit.by_stress) return square(strain) >= 0.0f;
    const Real r = limit.nu / (1.0f - 2.0f * limit.nu), sum = trace(strain);
    const Real mean = (1.0f / 3.0f + r) * sum;
    const Real deviator = sqrt(max(square(strain) - (1.0f / 3.0f) * sum * sum, 0.0f)) * 1.0001f;
    const Real high = (1.0f + limit.nu) * limit.theta_s, low = -(1.0f + limit.nu) * limit.theta_c;
    // |s_k| <= sqrt(2/3) |s|, largest - least <= sqrt(2) |s|, |middle one| <= |s| / sqrt(6)
    const Real farthest = 0.8165f * deviator;
    const Real slips =
        1.4143f * deviator + limit.sine * (2.0f * mean + 0.4083f * deviator) - (1.0f + limit.sine) * high;
    return either(either(mean + farthest > high, mean - farthest < low), slips > 0.0f);
}

/// How much plastic strain counts towards broken bonds, where snow is pulled apart, where it slips, and where snow that
/// collapses is pressed.
constexpr float breaking_pull = 0.25f, breaking_slip = 0.025f, breaking_press = 5;

/// What a step leaves of the strain, and how much of it broke bonds or pressed grains together.
struct StrainStep {
    Sym elastic;
    Real opened;   ///< plastic strain that breaks bonds
    Real pressed;  ///< plastic strain: lost volume, where that binds the grains
};

/// From the squared stretch to the elastic strain.
FIRN_HD StrainStep elastic_part(const Sym& squared_stretch_minus_one, const Strength& limit) {
    const Eigen e = eigen_decomposition(squared_stretch_minus_one);
    Real strain[3];
    for (int k = 0; k < 3; ++k) {
        // sqrt(1 + value) - 1 without cancellation
        strain[k] = e.values[k] / (sqrt(max(1.0f + e.values[k], 0.0f)) + 1.0f);
    }
    const Yielded y = yielded(strain, limit);
    StrainStep step{compose(y.strain, e.vectors), splat(0.0f), splat(0.0f)};
    for (int k = 0; k < 3; ++k) {
        step.opened += breaking_pull * max(y.plastic[k], 0.0f) + breaking_slip * abs(y.slipped[k]);
        step.pressed -= min(y.plastic[k], 0.0f);
    }
    step.opened += breaking_press * limit.collapse * step.pressed;
    step.pressed *= 1.0f - limit.collapse;
    return step;
}

/// Plastic compression after which two thirds of the broken bonds have formed anew: snow that is pressed beyond its
/// density at rest, binds. What only comes to lie, does not.
constexpr float binding_strain = 0.3f;

/// The share of a particle's bonds that is broken after a step. `softening` as in hardening_factor(), `healed` the
/// share that time mends.
FIRN_HD Real damaged(Real before, const StrainStep& step, Real compaction, float softening, float healed) {
    const Real whole = (1.0f - before) * exp(max(-softening * step.opened, -30.0f));
    const Real binding = select(compaction > 1.0f, step.pressed, 0.0f);
    return (1.0f - whole) * (1.0f - healed) * exp(max(binding * (-1.0f / binding_strain), -30.0f));
}

/// a^T a for general a
FIRN_HD Sym own_transpose_times(const Mat& a) {
    return times_own_transpose(transposed(a));
}

/// Gissler 2020, 3.3.1: F' = F + dt grad(v) F, singular values clamped, V S V^T kept. `strain` is F - 1.
FIRN_HD StrainStep advance_strain_published(const Sym& strain, const Mat& dt_gradient, const Strength& limit) {
    const Mat a = matrix(strain) + dt_gradient + dt_gradient * strain;  // F' - 1
    return elastic_part(twice_symmetric(a) + own_transpose_times(a), limit);
}

/// The same with the left stretch U S U^T kept: the strain turns with the snow, where the published update leaves it
/// behind in the direction that the snow had before the step.
FIRN_HD StrainStep advance_strain_objective(const Sym& strain, const Mat& dt_gradient, const Strength& limit) {
    const Mat a = matrix(strain) + dt_gradient + dt_gradient * strain;  // F' - 1
    return elastic_part(twice_symmetric(a) + times_own_transpose(a), limit);
}

/// Moore-Penrose inverse of the symmetric matrix of Gissler 2020, Eq. 15: directions in which the neighbours spread
/// less than `flatness` of what they do in the widest are left out, from there to half of it by degrees.
/// `blind` becomes 1 - m times the result: the directions that are left out.
FIRN_HD Sym pseudo_inverse(const Sym& m, float flatness, Sym* blind = nullptr) {
    Eigen e = eigen_decomposition(m);
    Real left_out[3];
    const Real largest = max(max(e.values[0], e.values[1]), e.values[2]);
    const Real cut = max(flatness * largest, 1e-20f);
    for (int k = 0; k < 3; ++k) {
        Real& value = e.values[k];
        const Real share = min(max(2.0f * value / cut - 1.0f, 0.0f), 1.0f);
        left_out[k] = 1.0f - share;
        value = share / max(value, 0.5f * cut);
    }
    if (blind) *blind = compose(left_out, e.vectors);
    return compose(e.values, e.vectors);
}

}  // namespace firn::FIRN_LANES
