#pragma once

// The geometry of DOP objects as the solver needs it.

#include <GU/GU_Detail.h>
#include <UT/UT_Vector3.h>

#include <cstdint>
#include <string>
#include <vector>

#include "firn/collider.h"
#include "firn/parameters.h"

namespace firn {

/// A part of a collider that moves by itself.
struct ColliderPart {
    std::string piece;  ///< "" = all that is not packed
    ColliderShape shape;
    ColliderSurface surface;
    Affine placement;
};

/// Each packed primitive is a part of its own, placed by the object and by itself. Polygons, VDBs and height fields are
/// one more; without any of these, the points are boundary particles with their N. Point attributes of surface_table()
/// override the values of the surface given.
std::vector<ColliderPart> collider_parts(const GU_Detail&, const ColliderSurface&, const Affine& placement);

/// Whether these are the points of firn::snow_collider, whose attributes describe their bodies completely.
bool holds_bodies(const GU_Detail&);

/// The snow of a source object, in the world: its surfaces filled with snow, or its points with all their attributes.
void source_points(const GU_Detail&, const Affine& placement, const Parameters&, GU_Detail& out);
/// A hash of the positions; geometry that was saved and loaded has the same.
int64_t position_hash(const GU_Detail&);

/// Adds pscale (half the spacing) and ids where they are missing, and `seconds` to the age of every point.
void complete_snow(GU_Detail&, float spacing, float seconds);

void add_guide_points(GU_Detail&, const std::vector<Float3>& positions, const UT_Vector3D& colour);

}  // namespace firn
