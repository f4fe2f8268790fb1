#pragma once

// What a filling and its count have in common: all but the particles.

#include <string>
#include <vector>

#include "samples/fill_lattice.h"

namespace firn {

struct FillPlan {
    MeshFacts facts;
    Lattice lattice;
    double worth = 0;  ///< m^3, of one place
    bool inside_out = false;
    std::vector<std::string> warnings;
};
/// Throws Error for settings that make no sense, and for a mesh that is empty or too far away.
FillPlan fill_plan(const MeshFacts&, const FillSettings&);
/// As many as there can be, for which memory must be there before the filling is made.
double most_particles(const FillPlan&);
/// What so many take while the filling is made.
double fill_bytes(const FillPlan&, const FillSettings&, double particles);
/// When they are too many or too few for the mesh's volume.
void warn_of_volume(const FillPlan&, const FillSettings&, double particles, std::vector<std::string>& warnings);

}  // namespace firn
