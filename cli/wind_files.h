#pragma once

// Wind that stands in .vdb files: one for the whole shot, or one for each frame.

#include "firn/particles.h"
#include "scene.h"

namespace firn {

/// Throws Error, with the place in the scene file, unless every frame of the shot has a file with velocities.
void require_wind_files(const Scene&);

/// Sets the air of the motion from `frame` - 1 to `frame`, where the particles are at its beginning. Does nothing in a
/// scene without air, or without a file.
void set_wind_of_files(const Scene&, int frame, Particles&);
/// Takes it away again.
void clear_wind_of_files(Particles&);

}  // namespace firn
