#pragma once

// Particles -> OpenVDB grids. All functions are deterministic: the same bits for any number of threads.

#include <openvdb/openvdb.h>

#include <functional>
#include <vector>

#include "firn/grains.h"
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
    /// Balls that are grown, smoothed and shrunk back. Kernels that follow the snow (Yu and Turk 2013): flatter faces,
    /// sharper edges of chunks; where snow is loose, they may leave pinholes and lose lone particles.
    enum class Shape { balls, kernels } shape = Shape::balls;
    float radius = 0;  ///< of a particle, m; 0 = half a spacing
    float dilate = 0;  ///< m, before smoothing: closes gaps; 0 = half a spacing (kernels: none), negative = none
    int smooth =
        -1;  ///< passes of a 3^3 filter; -1 = 2 for balls, more where voxels are below 0.35 spacings, none for kernels
    /// m, after smoothing; 0 = back to half a spacing off the outermost particles (kernels: by `dilate`), negative =
    /// none
    float erode = 0;
    /// m: the surface is moved by up to this, outwards and inwards, by noise that is born with the snow and turns and
    /// breaks with it, at three scales; less where snow was pressed (compaction 1.15 to 1.8), up to 2.5 times as much
    /// where it broke. At most a spacing. 0 = a fifth of a spacing where `births` are given, negative = none.
    float relief = 0;
    float relief_size = 0;  ///< m, of its largest lumps; 0 = 1.5 spacings
    const GrainBirths* births = nullptr;
    int half_width = 3;  ///< of the narrow band, voxels
    bool keep_lone =
        true;  ///< particles that smoothing and erosion would swallow show as balls of about half a spacing
};
/// Signed distance to the snow's surface, m, a level set.
openvdb::FloatGrid::Ptr surface_grid(const Particles&, const SurfaceGridSettings&, const GridSettings&,
                                     const Interrupted& = {});

/// m; between the render grains of snow whose particles are `spacing` apart.
float grain_spacing(float spacing, int per_particle);

struct GrainDensitySettings {
    int per_particle = 32;  ///< 1 to 256
    float rest_density = 400;
};
/// kg/m^3, fog, as density_grid(), but of the render grains (grains.h): at a flat face of snow of 64 grains
/// a particle it falls from 90 % to 10 % over less than 1.8 grain distances. Throws Error for grains that don't fit
/// into memory.
openvdb::FloatGrid::Ptr grain_density_grid(const Particles&, const GrainBirths&, const GrainDensitySettings&,
                                           const GridSettings&, const Interrupted& = {});
/// Throws the Error that it does for more grains than the machine has memory for.
void require_grain_memory(double grains);

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
