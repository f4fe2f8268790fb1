#pragma once

// What a frame reports: substeps, solves and phases by the method's names, and warnings of solves that fell short.

#include "engine/methods.h"

namespace firn {

/// Builds the report of one frame.
class FrameReporter {
public:
    FrameReporter(const MethodInfo&, const Parameters& acting);

    void add(double dt, const StepResult&, const Speed&);
    /// Where a device adds the time of each phase, s.
    double* seconds() { return seconds_.data(); }
    /// The report, with its warnings.
    FrameReport finish();

    FrameReport report;

private:
    /// Substeps in which a solve ran out of iterations.
    struct Shortfall {
        int substeps = 0;
        double worst = 0;
    };
    void warn(const SolveInfo&, const Shortfall&);

    const MethodInfo& method_;
    const Parameters& acting_;
    std::vector<double> seconds_;
    std::vector<Shortfall> shortfalls_;
};

}  // namespace firn
