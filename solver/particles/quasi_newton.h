#pragma once

// Minimises a convex function whose slope is continuous but not linear: memoryless BFGS (Shanno 1978), conjugate
// gradients that know the curvature along their last step. A try evaluates the slope once, and mostly it is the next
// place; where the line to it passed the minimum by far, a place between is tried. Generic over the function, which
// brings
//
//     Real weight(uint32_t i) const                          of a particle in inner products
//     Vec3 precondition(uint32_t i, const Vec3& r) const     M^-1 r
//     Vec3 let_move(uint32_t i, const Vec3& d) const         the part of a direction that a particle may take
//
// and calls try_sums() where it finds the residual (the slope, downhill). Scalars stay on the device.

#include "particles/solve_state.h"
#include "particles/vec.h"

namespace firn::FIRN_LANES {

struct LineVectors {
    Columns solution;   ///< x, the place that is tried
    Columns start;      ///< where its line begins
    Columns residual;   ///< r there
    Columns tried;      ///< r at x
    Columns direction;  ///< d
};

/// Before the first try, which is where the solution stands.
struct StartLine {
    LineVectors k;
    FIRN_HD void operator()(uint32_t i) const {
        store3(k.start, i, load3(k.solution, i));
        store3(k.residual, i, zero3());
        store3(k.direction, i, zero3());
    }
};

/// The place to try: x = start + share d.
FIRN_HD Vec3 place_on_line(const LineVectors& k, const SolveState* state, uint32_t i) {
    return load3(k.start, i) + splat(static_cast<float>(state->line.share)) * load3(k.direction, i);
}

/// With s = x - start and y, what the residual has lost: r . M^-1 r, r . d, s . y, s . r, y . M^-1 y, r . M^-1 y.
template <class Function>
FIRN_HD Values<6> try_sums(const Function& f, const LineVectors& k, uint32_t i, const Vec3& r) {
    const Vec3 s = load3(k.solution, i) - load3(k.start, i), y = load3(k.residual, i) - r;
    const Vec3 scaled = f.precondition(i, y);
    const Real weight = f.weight(i);
    return {{weight * dot(r, f.precondition(i, r)), weight * dot(r, load3(k.direction, i)), weight * dot(s, y),
             weight * dot(s, r), weight * dot(y, scaled), weight * dot(r, scaled)}};
}

/// With the sums of a try: is its place taken, and where does the next line lead?
struct AfterTry {
    SolveState* state;
    FIRN_HD void operator()() const {
        SolveState& s = *state;
        const double rMr = s.sums[0], rd = s.sums[1], sy = s.sums[2], sr = s.sums[3], yMy = s.sums[4], rMy = s.sums[5];
        const bool first = s.iterations++ == 0;
        if (!(rMr > -1e300 && rMr < 1e300)) s.failed = s.done = 1;
        if (s.done) return;
        s.taken = first || !s.line.misses(rd);
        if (!s.taken) {
            s.line.shorten(rd);
            return;
        }
        const bool curved = !first && sy > 0 && yMy > 0;
        s.gamma = curved ? sy / yMy : 1;
        s.alpha = curved ? sr / sy : 0;
        s.beta = curved ? 2 * s.alpha - rMy / yMy : 0;
        double slope = s.gamma * (rMr - s.alpha * rMy) + s.beta * sr;
        // Rounding near the end may say that the way leads uphill.
        if (!(slope > 0)) {
            s.gamma = 1;
            s.alpha = s.beta = 0;
            slope = rMr;
        }
        s.line = LineSearch{slope};
    }
};

/// Takes the place that was tried, and d = gamma M^-1 (r - alpha y) + beta s from there.
template <class Function>
struct NextLine {
    Function f;
    LineVectors k;
    const SolveState* state;
    FIRN_HD void operator()(uint32_t i) const {
        if (state->done || !state->taken) return;
        const Vec3 x = load3(k.solution, i), r = load3(k.tried, i);
        const Vec3 s = x - load3(k.start, i), y = load3(k.residual, i) - r;
        const Real alpha = splat(static_cast<float>(state->alpha)), beta = splat(static_cast<float>(state->beta)),
                   gamma = splat(static_cast<float>(state->gamma));
        store3(k.start, i, x);
        store3(k.residual, i, r);
        store3(k.direction, i, f.let_move(i, gamma * f.precondition(i, r - alpha * y) + beta * s));
    }
};

}  // namespace firn::FIRN_LANES
