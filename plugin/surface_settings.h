#pragma once

#include <GU/GU_Detail.h>

#include "firn/grids.h"
#include "parameter_values.h"

namespace firn {

/// Voxel and spacing of a node that makes grids; a spacing of 0 is taken from the particles' pscale. Throws Error where
/// they have none.
GridSettings grid_settings(const ParameterValues&, const GU_Detail& particles);

/// From the rows of surface_rows().
SurfaceGridSettings surface_settings(const ParameterValues&);

}  // namespace firn
