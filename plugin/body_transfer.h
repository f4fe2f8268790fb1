#pragma once

// Boundary bodies as points of a Houdini geometry, as firn::snow_collider makes them and solvers read them. Colliders
// may be merged: `body` numbers are made from the node and the piece, and each point carries all the data of its body.
//
//   P, N, v          where the point is at this frame, its outward normal (0 = none), its velocity
//   name, body       of the body; equal numbers = one body
//   motion           0 still, 1 rigid, 2 deforming
//   rest, rest_N     rigid: position and normal in the body's own space; else in the world, where the frame begins
//   body_start/_end  rigid: the placement at the frame's two ends, 9 numbers of rotation and 3 of translation
//   plane            of a body that is one point, a plane with boundary particles where snow comes near: its sizes (m,
//   0 =
//                    without end), the spacing (0 = this is no plane) and boundary_volume; body_start places it
//   volume           m^3; friction, adhesion, bounce, sticky: the surface; pscale: half the spacing

#include <GU/GU_Detail.h>

#include <cstdint>
#include <string>
#include <vector>

#include "firn/collider.h"

namespace firn {

/// Appends the bodies' points. `owner` distinguishes bodies of different nodes.
void write_bodies(GU_Detail&, const std::vector<MovingBody>&, const std::string& owner, float spacing, double seconds);

/// Points without these attributes are one still body. Throws Error for attributes of the wrong kind.
std::vector<MovingBody> read_bodies(const GU_Detail&);

}  // namespace firn
