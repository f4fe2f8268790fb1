#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace firn {

/// One solve of one substep.
struct SolveReport {
    const char* name = "";  ///< as in the method's table
    int iterations = 0;
    double residual = 0;  ///< what it measures is said in the method's table
    bool converged = true;
};

struct SubstepReport {
    double dt = 0;                    ///< s
    std::vector<SolveReport> solves;  ///< all of the method's table; those that did not run have no iterations
    double speed = 0;                 ///< largest |v|, m/s
    double relative_speed = 0;        ///< largest speed between neighbours and against boundaries, m/s
    /// By name; an empty one if the method has no such solve.
    const SolveReport& solve(const std::string& name) const;
};

/// One solve over all substeps of a frame.
struct SolveSummary {
    const char* name = "";
    double iterations = 0;  ///< mean
    int iterations_most = 0;
    double residual = 0;  ///< the largest
};

/// What a phase of the step took.
struct PhaseTime {
    const char* name;  ///< as in the method's table
    double seconds = 0;
};

struct FrameReport {
    double time = 0;  ///< s of the frame that are done; less than asked for only when interrupted
    bool interrupted = false;
    std::vector<SubstepReport> substeps;
    std::vector<std::string> warnings;
    std::vector<PhaseTime> phases;  ///< all of the method's table
    uint64_t bytes = 0;             ///< memory held by the engine
    /// Every solve of the method's table.
    std::vector<SolveSummary> solves() const;
    /// Of a solve, mean over the substeps; 0 if the method has no such solve.
    double iterations(const std::string& solve) const;
    /// Of a phase; 0 if the method has no such phase.
    double seconds(const std::string& phase) const;
};

/// Where a running frame is; handed to the observer between substeps and between solver iterations.
struct Progress {
    double fraction = 0;  ///< of the frame
    int substep = 0;
    int solve = -1;          ///< place in the method's table of solves; -1 between substeps
    int iteration = 0;       ///< 0 between substeps
    const char* phase = "";  ///< for people: the solve's name, or "substep"
};

}  // namespace firn
