#pragma once

// The implicit compressible pressure solve: Gissler 2020, Eq. 5-8 and Algorithm 2, every equation divided by rho.

#include "snow/views.h"

namespace firn::FIRN_LANES {

/// What the device knows of a running solve; kernels stop by themselves once it is done.
struct SolveState {
    double sums[4];  ///< where reductions land
    double residual;
    double scale;       ///< norm of the right-hand side
    double relaxation;  ///< of the Jacobi iteration; smaller once the residual has grown
    double alpha, beta, omega, rho;
    int32_t iterations;
    int32_t done;
    int32_t failed;  ///< a non-finite number turned up
};

/// sum_j V_j (u_j - u_i) . grad W_ij over the snow (Eq. 6).
FIRN_HD Real snow_divergence(const SnowView& s, const Float4* field, uint32_t i, const Vec3& x, const Vec3& u) {
    Real divergence = splat(0.0f);
    const auto snow = s.snow_neighbours.row(i);
    for (uint32_t k = 0; k < snow.length; ++k) {
        const Vec4 j = gather4(s.now.position, snow[k]);
        const Vec4 uj = gather4(field, snow[k]);
        const Vec3 d = x - xyz(j);
        const Real weight = j.w * snow.slope(k, s.set.kernel, dot(d, d));
        divergence = divergence + weight * dot(xyz(uj) - u, d);
    }
    return divergence;
}

/// Right-hand side: |det F_E| - 1 + dt div v* (without damping, lag = dt). The density itself cancels.
struct PressureSource {
    SnowView s;
    const Float4* velocity;  ///< v*, or v* and a guess of what shear will add
    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 own = load4(s.now.position + i);
        const Vec3 v = xyz(load4(velocity + i));
        const Real divergence =
            snow_divergence(s, velocity, i, xyz(own), v) + load(s.boundary_flux + i) - dot(v, load3(s.boundary_sum, i));
        Real excess = load(s.volume_strain + i);
        if (s.set.incompressible) {
            excess = s.material.rest_density.at(s.now.rank, i) / load(s.density + i) - splat(1.0f);
        }
        store(s.source + i, excess + load(s.lag + i) * divergence);
        const Real p = load(s.next.pressure + i);
        store4(s.mass_position + i, with_w(xyz(own), p * own.w));
    }
};

/// Eq. 7.
FIRN_HD Vec3 pressure_gradient(const SnowView& s, uint32_t i) {
    const Vec3 x = xyz(load4(s.mass_position + i));
    Vec3 gradient = zero3();
    const auto snow = s.snow_neighbours.row(i);
    for (uint32_t k = 0; k < snow.length; ++k) {
        const Vec4 j = gather4(s.mass_position, snow[k]);
        const Vec3 d = x - xyz(j);
        gradient += (j.w * snow.slope(k, s.set.kernel, dot(d, d))) * d;
    }
    const Vec3 own = load3(s.gradient_sum, i) + splat(s.set.boundary_pressure) * load3(s.boundary_sum, i);
    return gradient + load(s.next.pressure + i) * own;
}

struct PressureGradient {
    SnowView s;
    const SolveState* state;
    FIRN_HD void operator()(uint32_t i) const {
        if (state->done) return;
        store4(s.vector + i, with_w(pressure_gradient(s, i), splat(0.0f)));
    }
};

/// One relaxed Jacobi update; the sum is of |b - A p| rho / rho0, the density error.
struct PressureUpdate {
    SnowView s;
    const SolveState* state;
    FIRN_HD Values<1> operator()(uint32_t i) const {
        if (state->done) return {{splat(0.0f)}};
        const Vec4 own = load4(s.now.position + i);
        const Vec3 gradient = xyz(load4(s.vector + i));
        const Real divergence =
            snow_divergence(s, s.vector, i, xyz(own), gradient) - dot(gradient, load3(s.boundary_sum, i));
        const Real rho = load(s.density + i);
        const Real p = load(s.next.pressure + i);
        Real product = splat(s.set.dt) * load(s.lag + i) / rho * divergence;
        if (!s.set.incompressible) {
            product =
                product - (splat(1.0f) + load(s.volume_strain + i)) / max(load(s.first_lame + i), splat(1e-20f)) * p;
        }
        const Real residual = load(s.source + i) - product;
        // An isolated particle has an empty row: it keeps no pressure.
        const Real diagonal = load(s.diagonal + i);
        const Mask coupled = abs(diagonal) > splat(1e-30f);
        Real p_new =
            p + select(coupled, splat(static_cast<float>(state->relaxation)) * residual / diagonal, splat(0.0f) - p);
        Real error = abs(residual) * rho / s.material.rest_density.at(s.now.rank, i);
        if (s.set.incompressible) {
            p_new = max(p_new, splat(0.0f));
            error = select(both(p_new <= splat(0.0f), residual > splat(0.0f)), splat(0.0f), error);
        }
        error = select(coupled, error, splat(0.0f));
        store(s.next.pressure + i, p_new);
        store4(s.mass_position + i, with_w(xyz(own), p_new * own.w));
        return {{error}};
    }
};

struct CheckPressure {
    SolveState* state;
    double count;
    double tolerance;
    int32_t least;  ///< iterations
    FIRN_HD void operator()() const {
        if (state->done) return;
        ++state->iterations;
        // Jacobi diverges where particles crowd together. Smaller updates converge wherever the equations have a
        // solution.
        const double residual = state->sums[0] / count;
        if (state->iterations > 1 && residual > state->residual) state->relaxation *= 0.7;
        state->residual = residual;
        if (!(state->residual < 1e30)) state->failed = 1;
        state->done = state->failed || (state->residual < tolerance && state->iterations >= least);
    }
};

/// v** = v* - dt grad p / rho, into second_vector.
struct ApplyPressure {
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 v = load4(s.predicted + i);
        const Real scale = splat(0.0f) - splat(s.set.dt) / load(s.density + i);
        store4(s.second_vector + i, with_w(xyz(v) + scale * pressure_gradient(s, i), v.w));
    }
};

}  // namespace firn::FIRN_LANES
