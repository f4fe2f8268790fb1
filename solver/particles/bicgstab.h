#pragma once

// Bi-CGSTAB, for operators that are not symmetric. It asks for no preconditioner and weighs all particles alike.

#include "particles/krylov.h"

namespace firn::FIRN_LANES {

struct BiCgStabVectors {
    Columns solution;        ///< a; the first guess of a warm start, or 0
    Columns residual;        ///< r
    Columns shadow;          ///< r_0
    Columns product;         ///< A p
    Columns second_product;  ///< A s
    Float4* direction;       ///< p
    Float4* half;            ///< s
};

/// p = r_0 = r
struct StartShadow {
    BiCgStabVectors k;
    FIRN_HD void operator()(uint32_t i) const {
        const Vec3 r = load3(k.residual, i);
        store3(k.shadow, i, r);
        store4(k.direction + i, with_w(r, splat(0.0f)));
    }
};

/// A p, and r_0 . A p
template <class Operator>
struct ProductForShadow {
    Operator A;
    BiCgStabVectors k;
    const SolveState* state;
    FIRN_HD Values<1> operator()(uint32_t i) const {
        if (state->done) return {{splat(0.0f)}};
        const Vec3 product = A.product(k.direction, i);
        store3(k.product, i, product);
        return {{dot(load3(k.shadow, i), product)}};
    }
};

/// s = r - alpha A p, a += alpha p, and |s|^2
struct HalfStep {
    BiCgStabVectors k;
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

struct AfterHalfStep {
    KrylovProgress at;
    FIRN_HD void operator()() const {
        if (!at.state->done) at.check(at.state->sums[0]);
    }
};

/// A s, and A s . s, |A s|^2
template <class Operator>
struct ProductOfHalf {
    Operator A;
    BiCgStabVectors k;
    const SolveState* state;
    FIRN_HD Values<2> operator()(uint32_t i) const {
        if (state->done) return {{splat(0.0f), splat(0.0f)}};
        const Vec3 product = A.product(k.half, i);
        store3(k.second_product, i, product);
        return {{dot(product, xyz(load4(k.half + i))), dot(product, product)}};
    }
};

struct AfterSecondProduct {
    KrylovProgress at;
    FIRN_HD void operator()() const {
        SolveState& s = *at.state;
        if (s.done) return;
        s.omega = s.sums[1] > 0 ? s.sums[0] / s.sums[1] : 0;
        if (!at.finite(s.omega)) at.stop();
    }
};

/// a += omega s, r = s - omega A s, and |r|^2, r_0 . r
struct FullStep {
    BiCgStabVectors k;
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

struct AfterFullStep {
    KrylovProgress at;
    FIRN_HD void operator()() const {
        SolveState& s = *at.state;
        if (s.done) return;
        s.beta = (s.sums[1] / s.rho) * (s.alpha / s.omega);
        s.rho = s.sums[1];
        at.check(s.sums[0]);
        if (!s.done && (!at.finite(s.beta) || s.omega == 0)) at.stop();
    }
};

/// p = r + beta (p - omega A p)
struct NextDirection {
    BiCgStabVectors k;
    const SolveState* state;
    FIRN_HD void operator()(uint32_t i) const {
        if (state->done) return;
        const Real beta = splat(static_cast<float>(state->beta)), omega = splat(static_cast<float>(state->omega));
        const Vec3 p = load3(k.residual, i) + beta * (xyz(load4(k.direction + i)) - omega * load3(k.product, i));
        store4(k.direction + i, with_w(p, splat(0.0f)));
    }
};

/// As conjugate_gradients().
template <class Operator, class Watch>
bool bicgstab(Execution& on, uint32_t count, Operator& A, const BiCgStabVectors& k, const KrylovProgress& at, int most,
              int likely, const Watch& watch) {
    SolveState* const state = at.state;
    on.for_each(count, StartShadow{k});
    for (int iteration = 0; iteration < most; ++iteration) {
        if (on.seen(&state->done, iteration, likely)) break;
        if (!watch(iteration + 1)) return false;
        A.ready(on, count, k.direction, state);
        on.template sum<1>(count, ProductForShadow<Operator>{A, k, state}, state->sums, AfterProduct{at});
        on.template sum<1>(count, HalfStep{k, state}, state->sums, AfterHalfStep{at});
        A.ready(on, count, k.half, state);
        on.template sum<2>(count, ProductOfHalf<Operator>{A, k, state}, state->sums, AfterSecondProduct{at});
        on.template sum<2>(count, FullStep{k, state}, state->sums, AfterFullStep{at});
        on.for_each(count, NextDirection{k, state});
    }
    return true;
}

}  // namespace firn::FIRN_LANES
