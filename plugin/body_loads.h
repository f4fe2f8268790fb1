#pragma once

// What the snow did to the colliders in a frame, as detail attributes of the snow:
//
//   load_bodies      names of the bodies, with blanks between them
//   force_NAME       N, mean over the frame
//   torque_NAME      N m, about the origin, mean over the frame
//
// What can't stand in an attribute's name becomes '_'; bodies of one name are added up.

#include <GU/GU_Detail.h>

#include "engine_cache.h"

namespace firn {

/// Replaces those of the frame before.
void write_loads(GU_Detail&, const EngineCache&);

}  // namespace firn
