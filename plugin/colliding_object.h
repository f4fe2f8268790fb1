#pragma once

// An object that snow collides with, from one frame to the next: what it was when first seen, where it is now, and
// whether it stands still, moves as a whole or changes its shape. Knows nothing of Houdini.

#include <string>
#include <vector>

#include "firn/body.h"
#include "firn/mesh.h"
#include "firn/samples.h"
#include "moving_body.h"

namespace firn {

/// A shape as a host gives it: a mesh, or boundary particles that somebody has made already.
struct Shape {
    Mesh mesh;                    ///< m; without triangles, its points are the boundary particles
    std::vector<Float3> normals;  ///< of boundary particles; empty = not known
};

/// x -> linear * x + translation, row-major: a placement that may also scale and shear.
struct Affine {
    double linear[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double translation[3] = {0, 0, 0};
};

/// All that has to be remembered between frames. A plain value: copied, saved and loaded with the frame it belongs to.
struct CollidingObject {
    int object = -1;    ///< the host's number for it
    std::string piece;  ///< which part of it, of those that move by themselves; "" = the one that has no name
    Motion motion = Motion::still;
    Shape rest;                  ///< as first seen, m, in a frame of its own that turns and moves with it
    Transform placement;         ///< of that frame, at the end of the last frame; not for deforming ones
    std::vector<Float3> points;  ///< of a deforming one: its points at the end of the last frame, m, world
};

/// As first seen. Scale and shear of the placement go into the rest shape.
CollidingObject first_seen(int object, const std::string& piece, const Shape&, const Affine& placement);

/// The same object a frame later. What changed decides its motion: nothing, the placement alone (or points that moved
/// as one), or the shape. Once it moves it counts as moving, once it deforms as deforming, so that the engine's bodies
/// stay what they are. With another topology it is first_seen() again: it can't be followed. `spacing` (m) says what is
/// too little to be a deformation.
CollidingObject followed(const CollidingObject& before, const Shape& now, const Affine& placement, float spacing);

bool same_topology(const Shape&, const Shape&);

/// The boundary particles of a rest shape, in its frame.
struct Boundary {
    SurfaceSamples samples;
    std::vector<float> volume;  ///< m^3
};
/// Throws Error for a shape without a surface.
Boundary boundary_of(const Shape& rest, float spacing, float boundary_volume);

/// Where the boundary particles are, m, world.
std::vector<Float3> boundary_positions(const CollidingObject&, const Boundary&);

/// How a surface treats snow.
struct SurfaceLook {
    float friction = 0.5f, adhesion = 0, bounce = 0, sticky = 0;
    /// One per point of the shape; empty = the single value.
    std::vector<float> point_friction, point_adhesion, point_bounce, point_sticky;
};

/// The body of a frame that takes the object from `before` to `after`, which have the same rest shape.
MovingBody moving_body(const CollidingObject& before, const CollidingObject& after, const Boundary&,
                       const SurfaceLook&);

}  // namespace firn
