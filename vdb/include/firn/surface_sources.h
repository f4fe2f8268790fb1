#pragma once

// Surfaces that become boundary particles only where snow comes near (surface_source.h): a plane, with or without an
// end, and a terrain of any size. They cost what the snow touches, not what there is.

#include <memory>

#include "firn/collider.h"
#include "firn/samples.h"
#include "firn/surface_source.h"

namespace firn {

/// The plane y = 0, facing +y and centred on the origin, then placed. `size_x`, `size_z`: m; 0 = without end.
std::shared_ptr<const SurfaceSource> plane_source(double size_x, double size_z, const Transform& placement,
                                                  const BoundarySettings&);
/// The surface of heightfield_mesh().
std::shared_ptr<const SurfaceSource> heightfield_source(Heightfield, const BoundarySettings&);

/// What a plane was made from, so that a host can write it down and make it again.
struct PlaneShape {
    double size_x = 0, size_z = 0;  ///< m; 0 = without end
    Transform placement;
    BoundarySettings settings;
};
/// Null if the source is none of plane_source()'s.
const PlaneShape* plane_shape(const SurfaceSource*);
/// The same plane, with the same particles.
bool operator==(const PlaneShape&, const PlaneShape&);

/// All that a source with an end has, brick after brick: as the engine would have it with snow everywhere.
SurfaceSource::Particles all_particles(const SurfaceSource&);

}  // namespace firn
