#pragma once

// Snow that sources let out: it joins the snow that is there, with ids of its own.

#include <GU/GU_Detail.h>

#include <vector>

#include "firn/parameters.h"
#include "particle_transfer.h"

namespace firn {

/// Gives every point an id; those that have one keep it. New ids continue from the detail attribute nextid.
void complete_ids(GU_Detail& snow);

/// Adds the points of `source` whose birth_frame it is; at the `first` frame also those that should have been there
/// before, and points that don't say when. Of a continuous source's places (`flake`) those are taken that are free.
/// Returns how many appeared.
size_t add_appearing_snow(GU_Detail& snow, const GU_Detail& source, double frame, bool first, const Parameters&);

}  // namespace firn
