#pragma once

// The implicit compressible pressure solve: Gissler 2020, Eq. 5-8 and Algorithm 2, every equation divided by rho.

#include "particles/solve_state.h"
#include "snow/views.h"

namespace firn::FIRN_LANES {

/// sum_j V_j (u_j - u_i) . grad W_ij over the snow (Eq. 6).
FIRN_HD Real snow_divergence(const SnowView& s, const Float4* field, uint32_t i, const Vec3& x, const Vec3& u) {
    Real divergence = splat(0.0f);
    const auto near = s.neighbours.row(i);
    for (uint32_t k = 0; k < near.length; ++k) {
        const Vec4 j = gather4(s.now.position, near[k]);
        const Vec4 uj = gather4(field, near[k]);
        const Vec3 d = x - xyz(j);
        const Real weight = j.w * near.slope(k, s.kernel, dot(d, d));
        divergence = divergence + weight * dot(xyz(uj) - u, d);
    }
    return divergence;
}

/// v* and a share of the last step's shear acceleration: without it, the pressure answers to motion that the shear
/// solve is about to stop, the more so the longer the step. All of it would make stiff snow unstable.
struct LookAhead {
    SnowView s;
    float share;
    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 v = load4(s.predicted + i);
        store4(s.guessed + i, with_w(xyz(v) + (share * s.dt) * load3(s.before.shear_acceleration, i), v.w));
    }
};

/// Right-hand side: |det F_E| - 1 + dt div v* (without damping, lag = dt). The density itself cancels.
struct PressureSource {
    SnowView s;
    const Float4* velocity;  ///< predicted or guessed
    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 own = load4(s.now.position + i);
        const Vec3 v = xyz(load4(velocity + i));
        const Real divergence =
            snow_divergence(s, velocity, i, xyz(own), v) + load(s.boundary_flux + i) - dot(v, load3(s.boundary_sum, i));
        Real excess = load(s.volume_strain + i);
        if (s.set.incompressible) {
            excess = s.rest_density.at(s.now.rank, i) / load(s.density + i) - 1.0f;
        }
        store(s.source + i, excess + load(s.lag + i) * divergence);
        const Real p = load(s.after.pressure + i);
        store4(s.pressure_position + i, with_w(xyz(own), p * own.w));
    }
};

/// Eq. 7.
FIRN_HD Vec3 pressure_gradient(const SnowView& s, uint32_t i) {
    const Vec3 x = xyz(load4(s.pressure_position + i));
    Vec3 gradient = zero3();
    const auto near = s.neighbours.row(i);
    for (uint32_t k = 0; k < near.length; ++k) {
        const Vec4 j = gather4(s.pressure_position, near[k]);
        const Vec3 d = x - xyz(j);
        gradient += (j.w * near.slope(k, s.kernel, dot(d, d))) * d;
    }
    const Vec3 own = load3(s.gradient_sum, i) + s.set.boundary_pressure * load3(s.boundary_sum, i);
    return gradient + load(s.after.pressure + i) * own;
}

struct PressureGradient {
    SnowView s;
    const SolveState* state;
    FIRN_HD void operator()(uint32_t i) const {
        if (state->done) return;
        store4(s.pressure_gradient + i, with_w(pressure_gradient(s, i), splat(0.0f)));
    }
};

/// One relaxed Jacobi update; the sums are of the density error |b - A p| rho / rho0 and of its square.
struct PressureUpdate {
    SnowView s;
    const SolveState* state;
    FIRN_HD Values<2> operator()(uint32_t i) const {
        if (state->done) return {{splat(0.0f), splat(0.0f)}};
        const Vec4 own = load4(s.now.position + i);
        const Vec3 gradient = xyz(load4(s.pressure_gradient + i));
        const Real divergence =
            snow_divergence(s, s.pressure_gradient, i, xyz(own), gradient) - dot(gradient, load3(s.boundary_sum, i));
        const Real rho = load(s.density + i);
        const Real p = load(s.after.pressure + i);
        Real product = s.dt * load(s.lag + i) / rho * divergence;
        if (!s.set.incompressible) {
            product = product - (1.0f + load(s.volume_strain + i)) / max(load(s.first_lame + i), 1e-20f) * p;
        }
        const Real residual = load(s.source + i) - product;
        // An isolated particle has an empty row: it keeps no pressure.
        const Real diagonal = load(s.diagonal + i);
        const Mask coupled = abs(diagonal) > 1e-30f;
        Real p_new = p + select(coupled, static_cast<float>(state->relaxation) * residual / diagonal, -p);
        Real error = abs(residual) * rho / s.rest_density.at(s.now.rank, i);
        if (s.set.incompressible) {
            p_new = max(p_new, 0.0f);
            error = select(both(p_new <= 0.0f, residual > 0.0f), splat(0.0f), error);
        }
        error = select(coupled, error, 0.0f);
        store(s.after.pressure + i, p_new);
        store4(s.pressure_position + i, with_w(xyz(own), p_new * own.w));
        return {{error, error * error}};
    }
};

/// The error as most of it is seen: its mean, each particle weighted by its own error. Snow that has none, elsewhere in
/// the scene, does not make it smaller; `published` takes the plain mean.
struct CheckPressure {
    SolveState* state;
    double count;  ///< for the plain mean; 0 = weighted
    double tolerance;
    int32_t least;  ///< iterations
    FIRN_HD void operator()() const {
        if (state->done) return;
        ++state->iterations;
        // Jacobi diverges where particles crowd together. Smaller updates converge wherever the equations have a
        // solution.
        const double sum = state->sums[0], squares = state->sums[1];
        const double residual = count > 0 ? sum / count : sum > 0 ? squares / sum : sum;
        if (state->iterations > 1 && residual > state->residual) state->relaxation *= 0.7;
        state->residual = residual;
        if (!(state->residual < 1e30)) state->failed = 1;
        state->done = state->failed || (state->residual < tolerance && state->iterations >= least);
    }
};

/// v** = v* - dt grad p / rho
struct ApplyPressure {
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 v = load4(s.predicted + i);
        const Real scale = -s.dt / load(s.density + i);
        store4(s.pressed + i, with_w(xyz(v) + scale * pressure_gradient(s, i), v.w));
    }
};

}  // namespace firn::FIRN_LANES
