#pragma once

#include <string>
#include <vector>

#include "firn/parameters.h"
#include "firn/particles.h"

namespace firn {

/// A part of the step whose time is reported.
struct PhaseInfo {
    const char* name;
    const char* help;  ///< one line
};

/// An iterative solve of the step.
struct SolveInfo {
    const char* name;
    const char* residual;          ///< what its residual is
    float Parameters::*tolerance;  ///< of that residual
    int Parameters::*iterations_max;
};

/// A method that moves particles, as its users see it. Device copies, checkpoints, files, Houdini attributes, reports
/// and progress follow from these tables.
struct MethodInfo {
    const char* name = "";  ///< in scene files
    const char* label = "";
    const char* help = "";              ///< one line
    std::vector<ParticleArray> arrays;  ///< all that a particle has under this method, common arrays included
    std::vector<PhaseInfo> phases;
    std::vector<SolveInfo> solves;
};

/// All methods; snow is the first.
std::vector<const MethodInfo*> method_table();

/// Throws Error listing the methods when there is none of that name.
const MethodInfo& find_method(const std::string& name);

}  // namespace firn
