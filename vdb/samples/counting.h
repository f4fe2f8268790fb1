#pragma once

// Counts (see firn/counts.h) of surfaces that are never in memory as a whole.

#include "firn/counts.h"
#include "samples/triangle_source.h"
#include "samples/vec3.h"

namespace firn {

/// Of a normal's upward part: a layer stays on slopes of up to 60 degrees.
constexpr double least_upward_of_layers = 0.5;

Count count_surface(TriangleSource&, const SurfaceSettings&, double probes = 2e5);
Count count_filling(TriangleSource&, const FillSettings&);
Count count_layer(TriangleSource& ground, float thickness, const FillSettings&);

// Of surfaces that nobody can run through: they know their facts, and answer questions.

/// `middles`: places on the surface, in equal parts of its area. `near` makes what of it lies in a box, or a bit more.
Count count_surface_near(const MeshFacts&, const SurfaceSettings&, const std::vector<Vec3>& middles,
                         const std::function<Mesh(const Vec3& low, const Vec3& high)>& near);
/// m, of the boxes.
double near_width(const SurfaceSettings&);

/// `is_inside` tells of a place; `thickness` how thick the surface is below places of it, in spacings and up to
/// `reach`.
Count count_filling_of(const MeshFacts&, const FillSettings&, const std::function<bool(const Vec3&)>& is_inside,
                       const std::function<std::vector<double>(double reach)>& thickness);

/// `covered`: m^2, seen from above, on which a layer stays.
Count count_layer_of(const MeshFacts& ground, float thickness, const FillSettings&,
                     const std::function<double()>& covered);
/// Makes the next part of a ground, from above. False when there is none that reaches above `lowest`, m.
using NextFromAbove = std::function<bool(float lowest, Mesh& part)>;
/// The share of a square, seen from above, on which a layer stays, from some of its places. `width`: m.
double share_covered(double low_x, double low_z, double width, const NextFromAbove&);

}  // namespace firn
