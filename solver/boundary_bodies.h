#pragma once

// The bodies as the engine keeps them: volumes of their particles, where they are, and where they go during a frame.

#include <vector>

#include "firn/body.h"
#include "snow/device.h"

namespace firn {

/// Throws Error when arrays differ in length, positions are not finite or a rotation is none.
void validate(const Body&);
void validate(const Transform&, const std::string& body_name);

/// A body in the engine.
struct KnownBody {
    BodyId id;
    Body body;
    std::vector<float> volume;
    double pivot[3];           ///< mean of its particles
    Transform now, target;     ///< rigid: at the start and end of the frame
    std::vector<Float3> goal;  ///< deforming: positions at the frame's end; empty = stays
    BodyLoad load;
};

/// Where it is after `share` of the frame.
BodyPlacement placement(const KnownBody&, double share);

/// At the end of a frame, or after `share` of one that was interrupted: the new start. The goal stays ahead.
void arrive(KnownBody&, double share);

std::vector<Float3> world_positions(const KnownBody&);

}  // namespace firn
