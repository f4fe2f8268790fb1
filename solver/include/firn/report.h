#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firn/vector.h"

namespace firn {

/// Why a substep was not longer, and who asked for it.
struct StepLimit {
    enum Kind {
        frame,       ///< nothing did: one substep takes what is left of the frame
        dt_max,      ///< the parameter
        fixed,       ///< the parameter `substeps`
        neighbours,  ///< cfl: particles that move against each other
        surface,     ///< cfl: a particle that moves towards a body
        turning,     ///< particles that turn about each other faster than straight steps follow
        drifting,    ///< free flight: neighbours that part
        flight,      ///< cfl_flight: a fast particle
        body,        ///< cfl_flight: a body on its way to particles
        stiffness,   ///< what the joint solve can follow of the stiffest particles
        wave,        ///< cfl_wave: sound in the stiffest particles
    };
    static constexpr int kinds = wave + 1;
    Kind kind = frame;
    bool at_dt_min = false;  ///< it asked for less than dt_min, which was taken instead
    int64_t particle = -1;   ///< its id; -1 = no single one
    Float3 place;            ///< of that particle, m
    double speed = 0;        ///< m/s
    std::string body_name;   ///< of `surface` and `body`
};
/// "cfl", "dt_max", ...: the parameter to change, or a word.
const char* limit_token(StepLimit::Kind);
/// For people: "cfl: particle 17 at (0.1, 0.2, 0.3) meets its neighbours at 2.1 m/s".
std::string limit_text(const StepLimit&);

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
    StepLimit limit;
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

/// The substeps of a frame that one criterion, and one body, limited.
struct LimitSummary {
    int substeps = 0;
    double dt = 0;    ///< the shortest of them, s
    StepLimit limit;  ///< of that one
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
    uint64_t boundary = 0;          ///< boundary particles that others were near as the frame ended
    uint64_t asleep = 0;  ///< particles that slept when somebody last looked: at the start of the frame, or later
    /// Every solve of the method's table.
    std::vector<SolveSummary> solves() const;
    /// What limited the substeps, the most frequent first.
    std::vector<LimitSummary> limits() const;
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
