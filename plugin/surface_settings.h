#pragma once

#include <GU/GU_Detail.h>

#include "firn/grids.h"
#include "parameter_values.h"
#include "particle_transfer.h"

namespace firn {

/// Voxel and spacing of a node that makes grids; a spacing of 0 is taken from the particles' pscale. Throws Error where
/// they have none.
GridSettings grid_settings(const ParameterValues&, const GU_Detail& particles);

/// From the rows of surface_rows(). Without `births`, the particles don't say where they were born; they must outlive
/// the settings.
SurfaceGridSettings surface_settings(const ParameterValues&, const GrainBirths& births);

/// What to say where births are needed and not known.
constexpr const char* no_births =
    "the particles don't say where they were born: wire the simulation's first frame, held by a Time Shift, into the "
    "second input, or give the snow a point attribute rest (Rest Position) before it is simulated";

/// Where the particles were born: from `first`, the simulation's first frame (may be null), or the point attributes
/// rest and birth_frame. Empty where neither says.
GrainBirths births_of(const GU_Detail& input, const std::vector<PointBlock>&, const Particles&, const GU_Detail* first);

}  // namespace firn
