#pragma once

// What the two Krylov solvers share. Both are generic over the operator, which brings
//
//     void ready(Execution&, uint32_t count, const Float4* field, const SolveState*)   work before products of a field
//     Vec3 product(const Float4* field, uint32_t i) const                              A u
//     Real weight(uint32_t i) const                                                    of a particle in inner products
//     Vec3 precondition(uint32_t i, const Vec3& r) const                               M^-1 r
//
// and over Watch: bool (int iteration), false = stop. Scalars stay on the device between the vector operations.

#include "particles/solve_state.h"
#include "particles/vec.h"

namespace firn::FIRN_LANES {

/// Where a solve stands, for kernels that run between the vector operations.
struct KrylovProgress {
    SolveState* state;
    double tolerance;

    FIRN_HD static bool finite(double a) { return a > -1e300 && a < 1e300; }
    /// Breakdown: what there is, is the answer.
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

/// After the right-hand side: sums[0] = |b|^2.
struct TakeScale {
    KrylovProgress at;
    FIRN_HD void operator()() const { at.state->scale = at.state->sums[0]; }
};

/// Before the first iteration: sums[0] = |r|^2, sums[1] = r . M^-1 r. Without a warm start r is b.
struct TakeResidual {
    KrylovProgress at;
    FIRN_HD void operator()() const {
        at.state->rho = at.state->sums[1];
        at.check(at.state->sums[0]);
    }
};

/// With r_0 . A p, or p . A p, in sums[0].
struct AfterProduct {
    KrylovProgress at;
    FIRN_HD void operator()() const {
        SolveState& s = *at.state;
        if (s.done) return;
        ++s.iterations;
        s.alpha = s.rho / s.sums[0];
        if (!at.finite(s.alpha)) at.stop();
    }
};

/// |r|^2 and r . M^-1 r
template <class Operator>
FIRN_HD Values<2> residual_sums(const Operator& A, uint32_t i, const Vec3& r) {
    const Real weight = A.weight(i);
    return {{weight * dot(r, r), weight * dot(r, A.precondition(i, r))}};
}

/// r = b - A a_0 for a warm start; the first direction holds a_0.
template <class Operator>
struct WarmResidual {
    Operator A;
    Columns residual;  ///< b
    const Float4* direction;
    FIRN_HD Values<2> operator()(uint32_t i) const {
        const Vec3 r = load3(residual, i) - A.product(direction, i);
        store3(residual, i, r);
        return residual_sums(A, i, r);
    }
};

struct CopyToRecords {
    Columns from;
    Float4* to;
    FIRN_HD void operator()(uint32_t i) const { store4(to + i, with_w(load3(from, i), splat(0.0f))); }
};

/// From the right-hand side, which `source` writes to the residual, to the residual of the first guess.
template <class Operator, class Source>
void start_krylov(Execution& on, uint32_t count, Operator& A, const Source& source, bool warm, Columns solution,
                  Columns residual, Float4* direction, const KrylovProgress& at) {
    on.template sum<2>(count, source, at.state->sums, TakeScale{at});
    if (!warm) return on.once(TakeResidual{at});
    on.for_each(count, CopyToRecords{solution, direction});
    A.ready(on, count, direction, at.state);
    on.template sum<2>(count, WarmResidual<Operator>{A, residual, direction}, at.state->sums, TakeResidual{at});
}

}  // namespace firn::FIRN_LANES
