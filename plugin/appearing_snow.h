#pragma once

// New snow from sources: it is appended to the existing snow, with new ids.

#include <GU/GU_Detail.h>

#include <vector>

#include "firn/parameters.h"
#include "particle_transfer.h"

namespace firn {

/// Gives every point an id; those that have one keep it. New ids continue from the detail attribute nextid.
void complete_ids(GU_Detail& snow);

/// Appends the points of `source` whose birth_frame is this frame; at the `first` frame also those with an earlier
/// birth_frame or none. Points of a continuous source (`flake`) appear only where there is room. Returns how many
/// appeared.
size_t add_appearing_snow(GU_Detail& snow, const GU_Detail& source, double frame, bool first, const Parameters&);

}  // namespace firn
