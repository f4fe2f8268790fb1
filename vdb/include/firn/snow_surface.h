#pragma once

// Particles -> what a ray tracer can show: a closed surface where they touch, as surface_grid() makes it, and render
// grains where they fly alone, as GrainField makes them.

#include <array>
#include <cstdint>
#include <vector>

#include "firn/grains.h"
#include "firn/particles.h"
#include "firn/vector.h"

namespace firn {

struct SnowSurfaceSettings {
    float spacing = 0;           ///< of the particles, m; required
    Float3 origin;               ///< m; subtracted from all positions, so that a scene far away keeps its detail
    float voxel = 0.4f;          ///< spacings
    bool lone_grains = true;     ///< particles that fly alone become grains; false = balls of the surface
    bool lone_spheres = false;   ///< one sphere for each of them instead of its grains: at once, for drafts
    bool with_velocity = false;  ///< of points and grains
    // As in VolumeSettings, m.
    bool kernels = false;
    float radius = 0, dilate = 0, erode = 0;
    int smooth = -1;
    float relief = 0, relief_size = 0;
    int threads = 0;  ///< 0 = all cores
};

struct SnowSurface {
    std::vector<Float3> points, normals;             ///< m; unit, outward
    std::vector<Float3> velocity;                    ///< m/s, of the points; empty unless asked for
    std::vector<std::array<uint32_t, 3>> triangles;  ///< counter-clockwise seen from outside
    std::vector<Float4> grains;                      ///< spheres: centre and radius, m
    std::vector<Float3> grain_velocity;              ///< m/s; likewise
    uint64_t left_out_count = 0;                     ///< particles that are not finite, or too far away for a grid
};

/// Deterministic: the same surface for any number of threads. Without births (empty), it has no relief.
SnowSurface make_snow_surface(const Particles&, const GrainBirths&, const SnowSurfaceSettings&);

/// At each point, the direction out of the snow: down the slope of its density, unit; 0 where there is none. `points`
/// and the particles in m.
std::vector<Float3> directions_out(const std::vector<Float4>& points, const std::vector<Float3>& snow, float spacing,
                                   int threads);

}  // namespace firn
