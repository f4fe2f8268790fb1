#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace firn {

/// One solve of one substep.
struct SolveReport {
    int iterations = 0;
    double residual = 0;  ///< pressure: mean density error; shear: relative residual
    bool converged = true;
};

struct SubstepReport {
    double dt = 0;  ///< s
    SolveReport pressure;
    SolveReport shear;
    double speed = 0;           ///< largest |v|, m/s
    double relative_speed = 0;  ///< largest speed between neighbours and against boundaries, m/s
};

/// Seconds by phase of the step.
struct PhaseTimes {
    double neighbours = 0, properties = 0, pressure = 0, shear = 0, integrate = 0;
};

struct FrameReport {
    double time = 0;  ///< s of the frame that are done; less than asked for only when interrupted
    bool interrupted = false;
    std::vector<SubstepReport> substeps;
    std::vector<std::string> warnings;
    PhaseTimes seconds;
    uint64_t bytes = 0;                  ///< memory held by the engine
    double pressure_iterations() const;  ///< mean over the substeps
    double shear_iterations() const;
};

/// Where a running frame is; handed to the observer between substeps and between solver iterations.
struct Progress {
    double fraction = 0;  ///< of the frame
    int substep = 0;
    int iteration = 0;  ///< 0 between substeps
    const char* phase = "";
};

}  // namespace firn
