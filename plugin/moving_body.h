#pragma once

// A boundary over one frame: where it is when the frame begins, and where when it ends.

#include <vector>

#include "firn/body.h"

namespace firn {

struct MovingBody {
    Body body;                         ///< as the frame begins
    Transform end;                     ///< of a rigid one
    std::vector<Float3> end_position;  ///< of a deforming one, m, world
};

}  // namespace firn
