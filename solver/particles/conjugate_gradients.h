#pragma once

// Preconditioned conjugate gradients, for operators that are symmetric in the inner product of their weights.

#include "particles/krylov.h"

namespace firn::FIRN_LANES {

struct ConjugateVectors {
    Columns solution;   ///< a; the first guess of a warm start, or 0
    Columns residual;   ///< r
    Columns product;    ///< A p
    Float4* direction;  ///< p
};

/// p = M^-1 r
template <class Operator>
struct StartDirection {
    Operator A;
    ConjugateVectors k;
    FIRN_HD void operator()(uint32_t i) const {
        store4(k.direction + i, with_w(A.precondition(i, load3(k.residual, i)), splat(0.0f)));
    }
};

/// A p, and p . A p
template <class Operator>
struct ProductOfDirection {
    Operator A;
    ConjugateVectors k;
    const SolveState* state;
    FIRN_HD Values<1> operator()(uint32_t i) const {
        if (state->done) return {{splat(0.0f)}};
        const Vec3 product = A.product(k.direction, i);
        store3(k.product, i, product);
        return {{A.weight(i) * dot(xyz(load4(k.direction + i)), product)}};
    }
};

/// a += alpha p, r -= alpha A p, and |r|^2, r . M^-1 r
template <class Operator>
struct ConjugateStep {
    Operator A;
    ConjugateVectors k;
    const SolveState* state;
    FIRN_HD Values<2> operator()(uint32_t i) const {
        if (state->done) return {{splat(0.0f), splat(0.0f)}};
        const Real alpha = splat(static_cast<float>(state->alpha));
        store3(k.solution, i, load3(k.solution, i) + alpha * xyz(load4(k.direction + i)));
        const Vec3 r = load3(k.residual, i) - alpha * load3(k.product, i);
        store3(k.residual, i, r);
        return residual_sums(A, i, r);
    }
};

struct AfterConjugateStep {
    KrylovProgress at;
    FIRN_HD void operator()() const {
        SolveState& s = *at.state;
        if (s.done) return;
        s.beta = s.sums[1] / s.rho;
        s.rho = s.sums[1];
        at.check(s.sums[0]);
        if (!s.done && !at.finite(s.beta)) at.stop();
    }
};

/// p = M^-1 r + beta p
template <class Operator>
struct ConjugateDirection {
    Operator A;
    ConjugateVectors k;
    const SolveState* state;
    FIRN_HD void operator()(uint32_t i) const {
        if (state->done) return;
        const Vec3 p = A.precondition(i, load3(k.residual, i)) +
                       splat(static_cast<float>(state->beta)) * xyz(load4(k.direction + i));
        store4(k.direction + i, with_w(p, splat(0.0f)));
    }
};

/// Solves A a = b from where start_krylov() left it. `likely` is how many iterations the last solve took. False if the
/// watch stopped it.
template <class Operator, class Watch>
bool conjugate_gradients(Execution& on, uint32_t count, Operator& A, const ConjugateVectors& k,
                         const KrylovProgress& at, int most, int likely, const Watch& watch) {
    SolveState* const state = at.state;
    on.for_each(count, StartDirection<Operator>{A, k});
    for (int iteration = 0; iteration < most; ++iteration) {
        if (on.seen(&state->done, iteration, likely)) break;
        if (!watch(iteration + 1)) return false;
        A.ready(on, count, k.direction, state);
        on.template sum<1>(count, ProductOfDirection<Operator>{A, k, state}, state->sums, AfterProduct{at});
        on.template sum<2>(count, ConjugateStep<Operator>{A, k, state}, state->sums, AfterConjugateStep{at});
        on.for_each(count, ConjugateDirection<Operator>{A, k, state});
    }
    return true;
}

}  // namespace firn::FIRN_LANES
