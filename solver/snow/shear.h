#pragma once

// The implicit shear solve: Gissler 2020, Eq. 13-19 and Algorithm 3, by Bi-CGSTAB. With `combined`, the whole elastic
// stress (Gissler 3.5, Chunnoo 2022, 3.37).

#include "snow/pressure.h"
#include "snow/properties.h"
#include "snow/views.h"

namespace firn::FIRN_LANES {

/// The velocity gradient of a particle: corrected, and the volume change that the plain gradient sees (Eq. 15-18).
struct FieldGradient {
    Mat corrected;    ///< sum_j V_j (u_j - u_i) x (L grad W_ij): exact for linear fields away from boundaries
    Real divergence;  ///< uncorrected, snow and boundary

    /// Eq. 18. The boundary's part of the corrected gradient is a multiple of the identity and cancels.
    FIRN_HD Mat split() const {
        const Real shift = splat(1.0f / 3.0f) * (divergence - trace(corrected));
        return corrected + matrix(identity_times(shift));
    }
};

FIRN_HD FieldGradient field_gradient(const SnowView& s, const Float4* field, uint32_t i, Real boundary_flux,
                                     const Sym& correction) {
    const Vec3 x = xyz(load4(s.now.position + i));
    const Vec3 u = xyz(load4(field + i));
    Mat plain = zero_matrix();
    const auto snow = s.snow_neighbours.row(i);
    for (uint32_t k = 0; k < snow.length; ++k) {
        const Vec4 j = gather4(s.now.position, snow[k]);
        const Vec4 uj = gather4(field, snow[k]);
        const Vec3 d = x - xyz(j);
        const Real weight = j.w * snow.slope(k, s.set.kernel, dot(d, d));
        const Vec3 wd = weight * d;
        const Vec3 du = xyz(uj) - u;
        plain = plain + outer(du, wd);
    }
    return {plain * correction, trace(plain) + boundary_flux - dot(u, load3(s.boundary_sum, i))};
}

/// 2 G eps with eps = base (F - 1) + lag grad(u) F, symmetrised; with `combined` also lambda tr(eps). The symmetric
/// form leaves out F's small strain beside grad(u): only then do forces and gradient belong to one energy.
FIRN_HD Sym elastic_stress(const SnowView& s, uint32_t i, const Mat& gradient, Real base, Real lag) {
    const Sym strain = load_sym(s.now.strain, i);
    const Sym rate = twice_symmetric(s.set.symmetric ? gradient : gradient + gradient * strain);
    const Sym twice_strain = (base + base) * strain + lag * rate;
    Sym stress = load(s.shear_modulus + i) * twice_strain;
    if (s.set.combined) {
        stress = stress + identity_times(splat(0.5f) * load(s.first_lame + i) * trace(twice_strain));
    }
    return stress;
}

/// First half of the operator: the stress of a field, times L, ready for the divergence (Eq. 19).
struct StressOfField {
    SnowView s;
    const SolveState* state;
    const Float4* field;
    float base;   ///< 1: with the strain and the boundary's motion (right-hand side); 0: the field alone
    float scale;  ///< of the lag: 1 for a velocity, dt for an acceleration
    FIRN_HD void operator()(uint32_t i) const {
        if (state->done) return;
        const Sym correction = load_sym(s.correction, i);
        const FieldGradient g = field_gradient(s, field, i, splat(base) * load(s.boundary_flux + i), correction);
        const Sym sigma = elastic_stress(s, i, g.split(), splat(base), splat(scale) * load(s.lag + i));
        const Real mean = splat(1.0f / 3.0f) * trace(sigma);
        // Eq. 19: all of the stress meets the corrected gradient. Symmetric: the mean stress meets the plain gradient,
        // as the volume change does in Eq. 18.
        const Mat t = s.set.symmetric ? matrix(sigma + identity_times(splat(0.0f) - mean)) * correction +
                                            matrix(identity_times(mean))
                                      : matrix(sigma) * correction;
        const Vec3 own = t * load3(s.gradient_sum, i) + mean * boundary_lever(s, correction, load3(s.boundary_sum, i));
        const Real volume = load4(s.now.position + i).w;
        Float4* record = s.stress + 3 * size_t(i);
        store4<3>(record, with_w(volume * t.x, own.x));
        store4<3>(record + 1, with_w(volume * t.y, own.y));
        store4<3>(record + 2, with_w(volume * t.z, own.z));
    }
};

/// Second half: div sigma = sum_j V_j (T_i + T_j) grad W_ij and the boundary's share.
FIRN_HD Vec3 stress_divergence(const SnowView& s, uint32_t i) {
    const Vec3 x = xyz(load4(s.now.position + i));
    const Float4* own = s.stress + 3 * size_t(i);
    Vec3 force = {load4<3>(own).w, load4<3>(own + 1).w, load4<3>(own + 2).w};
    const auto snow = s.snow_neighbours.row(i);
    for (uint32_t k = 0; k < snow.length; ++k) {
        const Index index = snow[k];
        const Vec4 j = gather4(s.now.position, index);
        const Vec4 tx = gather4<3>(s.stress, index);
        const Vec4 ty = gather4<3>(s.stress + 1, index);
        const Vec4 tz = gather4<3>(s.stress + 2, index);
        const Vec3 d = x - xyz(j);
        const Vec3 gradient = snow.slope(k, s.set.kernel, dot(d, d)) * d;
        force += Vec3{dot(xyz(tx), gradient), dot(xyz(ty), gradient), dot(xyz(tz), gradient)};
    }
    return force;
}

/// The vectors of Bi-CGSTAB; conjugate gradients need fewer.
struct KrylovView {
    Columns solution;        ///< a
    Columns residual;        ///< r
    Columns shadow;          ///< r_0; none for conjugate gradients
    Columns product;         ///< A p
    Columns second_product;  ///< A s
    Float4* direction;       ///< p
    Float4* half;            ///< s
};

FIRN_HD Real particle_mass(const SnowView& s, uint32_t i) {
    return load4(s.now.velocity + i).w;
}

/// |a|^2 as the solver weighs it.
FIRN_HD Real weighed_square(const SnowView& s, uint32_t i, const Vec3& a) {
    return s.set.symmetric ? particle_mass(s, i) * dot(a, a) : dot(a, a);
}

/// How much a particle's stress answers to one neighbour's motion: the mean of |L g|^2 over directions of g is
/// |L|^2 |g|^2 / 3.
struct ShearLever {
    SnowView s;
    float* lever;
    uint32_t count;  ///< what lies past it fills up neighbour lists, and must be a number
    FIRN_HD void operator()(uint32_t i) const {
        const Real stiffness = splat(1.0f / 3.0f) * load(s.lag + i) * load(s.shear_modulus + i);
        store(lever + i, select(below(i, count), stiffness * square(load_sym(s.correction, i)), splat(0.0f)));
    }
};

/// 1 / the diagonal of the shear operator, averaged over the directions of u: a symmetrised u x g counts 4/3 |u|^2
/// |g|^2. It only scales the solve: where packed lumps meet loose snow, stiffness varies a thousandfold from one
/// particle to the next.
struct ShearScaling {
    SnowView s;
    const float* lever;
    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 own = load4(s.now.position + i);
        Real neighbours = splat(0.0f);
        const auto snow = s.snow_neighbours.row(i);
        for (uint32_t k = 0; k < snow.length; ++k) {
            const Index index = snow[k];
            const Vec4 j = gather4(s.now.position, index);
            const Vec3 d = xyz(own) - xyz(j);
            const Real r_squared = dot(d, d), slope = snow.slope(k, s.set.kernel, r_squared);
            neighbours = neighbours + gather(lever, index) * j.w * slope * slope * r_squared;
        }
        const Vec3 sum = load_sym(s.correction, i) * load3(s.gradient_sum, i);
        const Real stiffness = own.w * neighbours + load(s.lag + i) * load(s.shear_modulus + i) * dot(sum, sum);
        const Real factor = splat(4.0f / 3.0f * s.set.dt) / load(s.density + i);
        store(s.shear_scaling + i, splat(1.0f) / (splat(1.0f) + factor * stiffness));
    }
};

/// |r|^2 and r . M^-1 r, with the operator's diagonal for M where the solve is scaled, else 1.
FIRN_HD Values<2> residual_sums(const SnowView& s, uint32_t i, const Vec3& r) {
    const Real square = weighed_square(s, i, r);
    return {{square, s.shear_scaling ? square * load(s.shear_scaling + i) : square}};
}

/// b = div sigma(F**) / rho, into the residual; sums |b|^2.
struct ShearSource {
    SnowView s;
    KrylovView k;
    FIRN_HD Values<2> operator()(uint32_t i) const {
        const Vec3 b = (splat(1.0f) / load(s.density + i)) * stress_divergence(s, i);
        store3(k.residual, i, b);
        return residual_sums(s, i, b);
    }
};

/// A u = u - div sigma(dt u) / rho
FIRN_HD Vec3 shear_product(const SnowView& s, const Float4* field, uint32_t i) {
    return xyz(load4(field + i)) - (splat(1.0f) / load(s.density + i)) * stress_divergence(s, i);
}

/// r = b - A a_0 for a warm start.
struct WarmResidual {
    SnowView s;
    KrylovView k;
    FIRN_HD Values<2> operator()(uint32_t i) const {
        const Vec3 r = load3(k.residual, i) - shear_product(s, k.direction, i);
        store3(k.residual, i, r);
        return residual_sums(s, i, r);
    }
};

struct LoadSolution {
    KrylovView k;
    FIRN_HD void operator()(uint32_t i) const { store4(k.direction + i, with_w(load3(k.solution, i), splat(0.0f))); }
};

struct StartKrylov {
    SnowView s;
    KrylovView k;
    FIRN_HD void operator()(uint32_t i) const {
        Vec3 r = load3(k.residual, i);
        if (k.shadow.data) store3(k.shadow, i, r);
        if (s.shear_scaling) r = load(s.shear_scaling + i) * r;
        store4(k.direction + i, with_w(r, splat(0.0f)));
    }
};

/// A p, and r_0 . A p, or p . A p by mass
struct ProductOfDirection {
    SnowView s;
    KrylovView k;
    const SolveState* state;
    FIRN_HD Values<1> operator()(uint32_t i) const {
        if (state->done) return {{splat(0.0f)}};
        const Vec3 product = shear_product(s, k.direction, i);
        store3(k.product, i, product);
        // Conjugate gradients weigh by mass: in that product the operator is symmetric.
        if (s.set.symmetric) return {{particle_mass(s, i) * dot(xyz(load4(k.direction + i)), product)}};
        return {{dot(load3(k.shadow, i), product)}};
    }
};

/// a += alpha p, r -= alpha A p, and |r|^2, r . M^-1 r by mass
struct ConjugateStep {
    SnowView s;
    KrylovView k;
    const SolveState* state;
    FIRN_HD Values<2> operator()(uint32_t i) const {
        if (state->done) return {{splat(0.0f), splat(0.0f)}};
        const Real alpha = splat(static_cast<float>(state->alpha));
        store3(k.solution, i, load3(k.solution, i) + alpha * xyz(load4(k.direction + i)));
        const Vec3 r = load3(k.residual, i) - alpha * load3(k.product, i);
        store3(k.residual, i, r);
        return residual_sums(s, i, r);
    }
};

/// p = M^-1 r + beta p
struct ConjugateDirection {
    SnowView s;
    KrylovView k;
    const SolveState* state;
    FIRN_HD void operator()(uint32_t i) const {
        if (state->done) return;
        Vec3 r = load3(k.residual, i);
        if (s.shear_scaling) r = load(s.shear_scaling + i) * r;
        const Vec3 p = r + splat(static_cast<float>(state->beta)) * xyz(load4(k.direction + i));
        store4(k.direction + i, with_w(p, splat(0.0f)));
    }
};

/// s = r - alpha A p, a += alpha p, and |s|^2
struct HalfStep {
    KrylovView k;
    const SolveState* state;
    FIRN_HD Values<1> operator()(uint32_t i) const {
        if (state->done) return {{splat(0.0f)}};
        const Real alpha = splat(static_cast<float>(state->alpha));
        const Vec3 half = load3(k.residual, i) - alpha * load3(k.product, i);
        store4(k.half + i, with_w(half, splat(0.0f)));
        store3(k.solution, i, load3(k.solution, i) + alpha * xyz(load4(k.direction + i)));
        return {{dot(half, half)}};
    }
};

/// A s, and A s . s, |A s|^2
struct ProductOfHalf {
    SnowView s;
    KrylovView k;
    const SolveState* state;
    FIRN_HD Values<2> operator()(uint32_t i) const {
        if (state->done) return {{splat(0.0f), splat(0.0f)}};
        const Vec3 product = shear_product(s, k.half, i);
        store3(k.second_product, i, product);
        return {{dot(product, xyz(load4(k.half + i))), dot(product, product)}};
    }
};

/// a += omega s, r = s - omega A s, and |r|^2, r_0 . r
struct FullStep {
    KrylovView k;
    const SolveState* state;
    FIRN_HD Values<2> operator()(uint32_t i) const {
        if (state->done) return {{splat(0.0f), splat(0.0f)}};
        const Real omega = splat(static_cast<float>(state->omega));
        const Vec3 half = xyz(load4(k.half + i));
        const Vec3 r = half - omega * load3(k.second_product, i);
        store3(k.residual, i, r);
        store3(k.solution, i, load3(k.solution, i) + omega * half);
        return {{dot(r, r), dot(r, load3(k.shadow, i))}};
    }
};

/// p = r + beta (p - omega A p)
struct NextDirection {
    KrylovView k;
    const SolveState* state;
    FIRN_HD void operator()(uint32_t i) const {
        if (state->done) return;
        const Real beta = splat(static_cast<float>(state->beta)), omega = splat(static_cast<float>(state->omega));
        const Vec3 p = load3(k.residual, i) + beta * (xyz(load4(k.direction + i)) - omega * load3(k.product, i));
        store4(k.direction + i, with_w(p, splat(0.0f)));
    }
};

/// The scalars between the vector operations.
struct KrylovScalars {
    enum Stage { source, start, after_product, after_conjugate, after_half, after_second_product, after_full };
    SolveState* state;
    Stage stage;
    double tolerance;

    FIRN_HD void operator()() const {
        SolveState& k = *state;
        if (k.done) return;
        switch (stage) {
            case source:
                k.scale = k.sums[0];
                break;
            case start:  // sums[0] = |r|^2, sums[1] = r . M^-1 r; without a warm start r is b
                k.rho = k.sums[1];
                check(k.sums[0]);
                break;
            case after_product:
                ++k.iterations;
                k.alpha = k.rho / k.sums[0];
                if (!finite(k.alpha)) stop();  // breakdown: what there is, is the answer
                break;
            case after_conjugate:
                k.beta = k.sums[1] / k.rho;
                k.rho = k.sums[1];
                check(k.sums[0]);
                if (!k.done && !finite(k.beta)) stop();
                break;
            case after_half:
                check(k.sums[0]);
                break;
            case after_second_product:
                k.omega = k.sums[1] > 0 ? k.sums[0] / k.sums[1] : 0;
                if (!finite(k.omega)) stop();
                break;
            case after_full:
                k.beta = (k.sums[1] / k.rho) * (k.alpha / k.omega);
                k.rho = k.sums[1];
                check(k.sums[0]);
                if (!k.done && (!finite(k.beta) || k.omega == 0)) stop();
                break;
        }
    }
    FIRN_HD static bool finite(double a) { return a > -1e300 && a < 1e300; }
    FIRN_HD void stop() const {
        state->done = 1;
        state->alpha = state->omega = 0;
    }
    FIRN_HD void check(double square) const {
        state->residual = state->scale > 0 ? ::sqrt(square / state->scale) : 0;
        if (!finite(square) || !finite(state->scale)) state->failed = state->done = 1;
        if (state->residual <= tolerance) state->done = 1;
    }
};

/// The new velocity v** + dt a, into predicted.
struct ApplyShear {
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 v = load4(s.second_vector + i);
        const Vec3 a = load3(s.next.shear_acceleration, i);
        store4(s.predicted + i, with_w(xyz(v) + splat(s.set.dt) * a, v.w));
    }
};

}  // namespace firn::FIRN_LANES
