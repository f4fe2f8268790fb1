#pragma once

// What a device knows of a running solve. Kernels stop by themselves once it is done; the host looks later.

#include "firn/report.h"
#include "particles/lane.h"
#include "particles/line_search.h"

namespace firn::FIRN_LANES {

struct SolveState {
    double sums[8];  ///< where reductions land
    double residual;
    double scale;       ///< norm of the right-hand side
    double relaxation;  ///< of a Jacobi iteration; smaller once the residual has grown
    double alpha, beta, gamma, omega, rho;
    LineSearch line;  ///< of quasi_newton.h
    int32_t taken;    ///< whether its last place was taken
    int32_t iterations;
    int32_t done;
    int32_t failed;  ///< a number that is not finite turned up
};

struct StartSolve {
    SolveState* state;
    double relaxation;
    FIRN_HD void operator()() const {
        *state = SolveState{};
        state->relaxation = relaxation;
    }
};

inline SolveReport report(const SolveState& end) {
    return {"", end.iterations, end.residual, end.done && !end.failed};
}

}  // namespace firn::FIRN_LANES
