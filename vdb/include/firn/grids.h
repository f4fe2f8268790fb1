#pragma once

// Particles -> OpenVDB grids. All functions are deterministic: the same bits for any number of threads.

#include <openvdb/openvdb.h>

#include <functional>
#include <vector>

#include "firn/particles.h"

namespace firn {

/// Asked now and then, from the calling thread; true = stop, and the function throws Error("interrupted").
using Interrupted = std::function<bool()>;

struct GridSettings {
    float spacing = 0;  ///< of the particles, m; required
    float voxel = 0;    ///< m; 0 = half the spacing
    int threads = 0;    ///< 0 = all cores
};

/// kg/m^3, fog. Each particle's mass, rest_density * spacing^3 (`rest_density` where the particles have none of their
/// own), spread with the SPH kernel. The sum over the voxels times their volume is the particles' mass.
openvdb::FloatGrid::Ptr density_grid(const Particles&, float rest_density, const GridSettings&,
                                     const Interrupted& = {});

struct VelocityGridSettings {
    bool staggered = false;
    float extension = 0;  ///< m past the surface that velocities reach; 0 = three spacings
    float shutter = 0;    ///< s; velocities also reach as far as each particle goes in this time, forward and back
};
/// m/s: the mean of the particles within one and a half spacings. Staggered components sit on the voxels' lower faces.
openvdb::Vec3SGrid::Ptr velocity_grid(const Particles&, const VelocityGridSettings&, const GridSettings&,
                                      const Interrupted& = {});

struct SurfaceGridSettings {
    float radius = 0;  ///< of a particle, m; 0 = half a spacing
    float dilate = 0;  ///< m, before smoothing: closes gaps; 0 = 3/4 of a spacing, negative = none
    int smooth = 2;    ///< passes of a 3^3 filter
    float erode = 0;   ///< m, after smoothing; 0 = back to half a spacing off the outermost particles, negative = none
    int half_width = 3;  ///< of the narrow band, voxels
    bool keep_lone =
        true;  ///< particles that smoothing and erosion would swallow show as balls of about half a spacing
};
/// Signed distance to the snow's surface, m, a level set.
openvdb::FloatGrid::Ptr surface_grid(const Particles&, const SurfaceGridSettings&, const GridSettings&,
                                     const Interrupted& = {});

/// The density inside the surface: faded to nothing over `fade` metres (0 = one voxel) at the surface. The look of snow
/// shots: crisp edges, true density inside. `threads` 0 = all cores.
openvdb::FloatGrid::Ptr masked_density_grid(const openvdb::FloatGrid& density, const openvdb::FloatGrid& surface,
                                            float fade = 0, int threads = 0);

/// Any quantity per particle, as the kernel-weighted mean of those within one and a half spacings. `values` has one per
/// particle.
openvdb::FloatGrid::Ptr attribute_grid(const Particles&, const std::vector<float>& values, const char* name,
                                       const GridSettings&, const Interrupted& = {});
openvdb::Vec3SGrid::Ptr attribute_grid(const Particles&, const std::vector<Float3>& values, const char* name,
                                       const GridSettings&, const Interrupted& = {});

}  // namespace firn
