#pragma once

// What a frame reports: substeps, solves and phases by the method's names, and warnings: solves that fell short, motion
// that is too fast for the substeps.

#include "boundary_bodies.h"
#include "engine/methods.h"

namespace firn {

/// Builds the report of one frame.
class FrameReporter {
public:
    FrameReporter(const MethodInfo&, const Parameters& acting);

    void add(double dt, const StepResult&, const Speed&, StepLimit);
    /// Notes what went farther in a substep than contact can follow: `dt_min` or `substeps` made it too long.
    void check_haste(double dt, const Speed&, const Sweep&, const std::vector<KnownBody>&);
    /// Notes explicit steps that are longer than sound takes for a spacing: they are unstable.
    void check_sound(double dt, double wave_speed);
    /// A substep that stirred sleeping snow was made again as often as may be, and still some woke.
    void note_waking() { ++waking_; }
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

    /// Motion that was too fast for a substep; the worst of a frame.
    struct Haste {
        double spacings = 0;  ///< in one substep
        double speed = 0;     ///< m/s
        double needed = 0;    ///< the substep that would follow it, s
        double dt = 0;        ///< the one that was taken, s
        std::string who;      ///< moves so fast
    };
    std::string text(const Haste&, const std::string& endangered) const;

    const MethodInfo& method_;
    const Parameters& acting_;
    std::vector<double> seconds_;
    std::vector<Shortfall> shortfalls_;
    Haste body_, particles_;
    int waking_ = 0;                          ///< substeps in which not all woke that should have
    double explicit_dt_ = 0, stable_dt_ = 0;  ///< the longest explicit step that was too long, and what is stable, s
};

}  // namespace firn
