#pragma once

// What the runner and the nodes write as .vdb, without a type of OpenVDB.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "firn/grains.h"
#include "firn/particles.h"

namespace firn {

/// Which grids a volume file holds, and how they are made (grids.h). SI units.
struct VolumeSettings {
    float spacing = 0;         ///< of the particles, m; required
    float rest_density = 400;  ///< kg/m^3, for particles without one of their own
    float voxel = 0;           ///< m; 0 = half the spacing

    bool density = true;                  ///< "density"
    bool velocity = true;                 ///< `velocity_name`
    bool surface = true;                  ///< "surface"
    bool masked_density = false;          ///< "density_masked"
    std::vector<std::string> attributes;  ///< names of particle_arrays(): "compaction", "pressure", ...

    std::string velocity_name = "vel";  ///< Houdini's name; Blender looks for "velocity" unless told
    bool staggered_velocity = false;
    float velocity_extension = 0;  ///< m past the surface; 0 = three spacings
    float shutter = 0.5f;          ///< frames; velocities also reach as far as each particle goes in this time
    float surface_radius = 0, surface_dilate = 0, surface_erode = 0;  ///< m; 0 = SurfaceGridSettings' defaults
    int surface_smooth = -1;                                          ///< passes; -1 = as suits the shape
    bool surface_kernels = false;   ///< of kernels that follow the snow instead of balls: flatter faces, sharper edges
    float surface_relief = 0;       ///< m; 0 = a fifth of a spacing where births are known, negative = none
    float surface_relief_size = 0;  ///< m; 0 = 1.5 spacings
    /// Render grains for each particle that the densities are made from, 0 = from the particles: edges as sharp as the
    /// grains are small. `voxel` 0 then is half the grains' distance for densities and surface.
    int density_grains = 0;

    bool half_float = true;  ///< grids whose numbers don't fit (beyond 65504) stay whole
    enum class Compression { none, zip, blosc } compression = Compression::blosc;
    int threads = 0;
};

struct VolumeStatistics {
    std::string name;
    uint64_t active_voxels = 0;
    uint64_t bytes = 0;   ///< in memory
    double integral = 0;  ///< sum * voxel volume: kg for a density
};

/// Where a file stands in its shot; kept as metadata.
struct FrameStamp {
    int frame = 0;
    double time = 0;  ///< s
    double fps = 24;
};

/// Whole or not at all, and the same bytes for the same particles. Throws Error. `births` may be empty: not known.
/// `interrupted` is asked now and then, from the calling thread; true = stop, and Error("interrupted") is thrown.
std::vector<VolumeStatistics> write_volumes(const std::string& path, const Particles&, const VolumeSettings&,
                                            const FrameStamp&, const std::function<bool()>& interrupted = {},
                                            const GrainBirths& births = {});

/// Throws the Error that write_volumes() would for any particles: where the settings don't go together, or where `snow`
/// (m^3) of them needs more memory than the machine has. At once.
void require_volumes(const VolumeSettings&, double snow);

/// Whether write_volumes() has left just these volumes there: every byte in place, and made with the same settings (but
/// for the threads) for the same frame. Of the particles it knows nothing.
bool volumes_are_whole(const std::string& path, const VolumeSettings&, const FrameStamp&);

/// The box around all active voxels of a file that write_volumes() has left, m, from its head alone; false for a file
/// that is not there or does not say.
bool volume_bounds(const std::string& path, Float3& low, Float3& high);

/// What `firn info FILE.vdb` prints: one line per fact. Throws Error for a file that is none.
std::string describe_vdb(const std::string& path);

}  // namespace firn
