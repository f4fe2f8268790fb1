#pragma once

// The operator and the right-hand side of the implicit shear solve: Gissler 2020, Eq. 13-19 and Algorithm 3. With
// `combined`, the whole elastic stress (Gissler 3.5, Chunnoo 2022, 3.37).

#include "particles/krylov.h"
#include "snow/properties.h"
#include "snow/views.h"

namespace firn::FIRN_LANES {

/// The velocity gradient of a particle: corrected, and the volume change that the plain gradient sees (Eq. 15-18).
struct FieldGradient {
    Mat corrected;    ///< sum_j V_j (u_j - u_i) x (L grad W_ij): exact for linear fields away from boundaries
    Real divergence;  ///< uncorrected, snow and boundary

    /// Eq. 18. The boundary's part of the corrected gradient is a multiple of the identity and cancels.
    FIRN_HD Mat split() const {
        const Real shift = (1.0f / 3.0f) * (divergence - trace(corrected));
        return corrected + matrix(identity_times(shift));
    }
};

/// What of the motion around a particle no gradient explains (zero-energy or hourglass modes).
struct Misfit {
    Vec3 rate;    ///< mean velocity of the neighbours less the particle's own and the gradient's share, m/s
    Vec3 offset;  ///< mean place of the neighbours against the particle, m
    Real fill;    ///< sum of the weights: about 1 inside, less at a surface
};

/// A gradient G of neighbours that don't spread in all directions takes half of a turn for shear, and a pair of grains
/// would drive itself round. G - G^T Q, Q the directions in which they don't spread, turns as a whole.
FIRN_HD Mat seen_whole(const Mat& gradient, const Sym& blind) {
    return gradient + (-1.0f) * (transposed(gradient) * blind);
}

FIRN_HD FieldGradient field_gradient(const SnowView& s, const Float4* field, uint32_t i, Real boundary_flux,
                                     const Sym& correction, Misfit* misfit = nullptr) {
    const Vec3 x = xyz(load4(s.now.position + i));
    const Vec3 u = xyz(load4(field + i));
    Mat plain = zero_matrix();
    const auto near = s.neighbours.row(i);
    for (uint32_t k = 0; k < near.length; ++k) {
        const Vec4 j = gather4(s.now.position, near[k]);
        const Vec4 uj = gather4(field, near[k]);
        const Vec3 d = x - xyz(j);
        const Real r_squared = dot(d, d);
        const Real weight = j.w * near.slope(k, s.kernel, r_squared);
        const Vec3 wd = weight * d;
        const Vec3 du = xyz(uj) - u;
        plain += outer(du, wd);
        if (misfit) {
            const Real share = (-1.0f / 3.0f) * weight * r_squared;
            misfit->rate += share * du;
            misfit->offset -= share * d;
            misfit->fill += share;
        }
    }
    Mat corrected = plain * correction;
    if (s.set.joint) corrected = seen_whole(corrected, load_sym(s.blind, i));
    if (misfit) misfit->rate -= corrected * misfit->offset;
    return {corrected, trace(plain) + boundary_flux - dot(u, load3(s.boundary_sum, i))};
}

/// 2 G eps with eps = base (F - 1) + lag grad(u) F, symmetrised; with `combined` also lambda tr(eps). The symmetric
/// form leaves out F's small strain beside grad(u): only then do forces and gradient belong to one energy.
FIRN_HD Sym elastic_stress(const SnowView& s, uint32_t i, const Mat& gradient, Real base, Real lag) {
    const Sym strain = load_sym(s.before.strain, i);
    const Sym rate = twice_symmetric(s.set.symmetric ? gradient : gradient + gradient * strain);
    const Sym twice_strain = (base + base) * strain + lag * rate;
    Sym stress = load(s.shear_modulus + i) * twice_strain;
    if (s.set.combined) {
        stress = stress + identity_times(0.5f * load(s.first_lame + i) * trace(twice_strain));
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
        const FieldGradient g = field_gradient(s, field, i, base * load(s.boundary_flux + i), correction);
        const Sym sigma = elastic_stress(s, i, g.split(), splat(base), scale * load(s.lag + i));
        const Real mean = (1.0f / 3.0f) * trace(sigma);
        // Eq. 19: all of the stress meets the corrected gradient. Symmetric: the mean stress meets the plain gradient,
        // as the volume change does in Eq. 18.
        const Mat t = s.set.symmetric
                          ? matrix(sigma + identity_times(-mean)) * correction + matrix(identity_times(mean))
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
    const auto near = s.neighbours.row(i);
    for (uint32_t k = 0; k < near.length; ++k) {
        const Index index = near[k];
        const Vec4 j = gather4(s.now.position, index);
        const Vec4 tx = gather4<3>(s.stress, index);
        const Vec4 ty = gather4<3>(s.stress + 1, index);
        const Vec4 tz = gather4<3>(s.stress + 2, index);
        const Vec3 d = x - xyz(j);
        const Vec3 gradient = near.slope(k, s.kernel, dot(d, d)) * d;
        force += Vec3{dot(xyz(tx), gradient), dot(xyz(ty), gradient), dot(xyz(tz), gradient)};
    }
    return force;
}

/// How much a particle's stress answers to one neighbour's motion: the mean of |L g|^2 over directions of g is
/// |L|^2 |g|^2 / 3.
struct ShearLever {
    SnowView s;
    uint32_t count;  ///< what lies past it fills up neighbour lists, and must be a number
    FIRN_HD void operator()(uint32_t i) const {
        const Real stiffness = (1.0f / 3.0f) * load(s.lag + i) * load(s.shear_modulus + i);
        store(s.shear_lever + i, select(below(i, count), stiffness * square(load_sym(s.correction, i)), 0.0f));
    }
};

/// 1 / the diagonal of the shear operator, averaged over the directions of u: a symmetrised u x g counts 4/3 |u|^2
/// |g|^2. It only scales the solve: where packed lumps meet loose snow, stiffness varies a thousandfold from one
/// particle to the next.
struct ShearScaling {
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 own = load4(s.now.position + i);
        Real neighbours = splat(0.0f);
        const auto near = s.neighbours.row(i);
        for (uint32_t k = 0; k < near.length; ++k) {
            const Index index = near[k];
            const Vec4 j = gather4(s.now.position, index);
            const Vec3 d = xyz(own) - xyz(j);
            const Real r_squared = dot(d, d), slope = near.slope(k, s.kernel, r_squared);
            neighbours += gather(s.shear_lever, index) * j.w * slope * slope * r_squared;
        }
        const Vec3 sum = load_sym(s.correction, i) * load3(s.gradient_sum, i);
        const Real stiffness = own.w * neighbours + load(s.lag + i) * load(s.shear_modulus + i) * dot(sum, sum);
        const Real factor = (4.0f / 3.0f * s.dt) / load(s.density + i);
        store(s.shear_scaling + i, 1.0f / (1.0f + factor * stiffness));
    }
};

/// The left-hand side, A u = u - div sigma(dt u) / rho. In the symmetric form it is symmetric in an inner product that
/// weighs by mass, and the solve is scaled by its diagonal.
struct ShearOperator {
    SnowView s;

    void ready(Execution& on, uint32_t count, const Float4* field, const SolveState* state) const {
        on.for_each(count, StressOfField{s, state, field, 0.0f, s.dt});
    }
    FIRN_HD Vec3 product(const Float4* field, uint32_t i) const {
        return xyz(load4(field + i)) - (1.0f / load(s.density + i)) * stress_divergence(s, i);
    }
    FIRN_HD Real weight(uint32_t i) const { return s.set.symmetric ? particle_mass(s, i) : splat(1.0f); }
    FIRN_HD Vec3 precondition(uint32_t i, const Vec3& r) const {
        return s.shear_scaling ? load(s.shear_scaling + i) * r : r;
    }
};

/// b = div sigma(F**) / rho, into the residual, and |b|^2, b . M^-1 b
struct ShearSource {
    ShearOperator A;
    Columns residual;
    FIRN_HD Values<2> operator()(uint32_t i) const {
        const Vec3 b = (1.0f / load(A.s.density + i)) * stress_divergence(A.s, i);
        store3(residual, i, b);
        return residual_sums(A, i, b);
    }
};

/// Chunnoo 2022, 3.2.4: the stress as it is, no solve.
struct ExplicitAcceleration {
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const {
        store3(s.after.shear_acceleration, i, (1.0f / load(s.density + i)) * stress_divergence(s, i));
    }
};

/// The new velocity: v** + dt a
struct ApplyShear {
    SnowView s;
    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 v = load4(s.pressed + i);
        store4(s.solved + i, with_w(xyz(v) + s.dt * load3(s.after.shear_acceleration, i), v.w));
    }
};

}  // namespace firn::FIRN_LANES
