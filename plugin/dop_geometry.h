#pragma once

// The geometry of DOP objects as the solver needs it.

#include <GU/GU_Detail.h>
#include <UT/UT_Matrix4.h>

#include <cstdint>
#include <vector>

#include "colliding_object.h"
#include "firn/parameters.h"
#include "firn/particles.h"

namespace firn {

/// Houdini's rows times a matrix, as columns.
Affine affine_of(const UT_DMatrix4&);

/// A collider's polygons as triangles; without polygons, its points as boundary particles with their N. Point
/// attributes friction, adhesion, bounce and sticky go into the look.
Shape collider_shape(const GU_Detail&, SurfaceLook&);

/// What a source object gives, in the world: its polygons filled with snow, or its points as they are.
Particles source_particles(const GU_Detail&, const Affine& placement, float spacing);
/// Of the positions; a file gives the same as what was saved.
int64_t content_hash(const Particles&);

/// The air: adds drag * (wind - v) to the accelerations of particles with few neighbours. m/s and 1/s.
void add_air(const Float3& wind, float drag, Particles&);

/// New points with these particles' attributes; ids count on from `next_id`.
void append_snow(GU_Detail&, const Particles&, const Parameters&, int64_t& next_id);

void add_guide_points(GU_Detail&, const std::vector<Float3>& positions, const UT_Vector3D& colour);

}  // namespace firn
