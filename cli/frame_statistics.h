#pragma once

#include "firn/parameters.h"
#include "firn/particles.h"
#include "run_log.h"

namespace firn {

/// What the particles at the frame's end say: their number, mass, energies, heights and speed.
void add_statistics(FrameRecord&, const Particles&, const Parameters&);

}  // namespace firn
