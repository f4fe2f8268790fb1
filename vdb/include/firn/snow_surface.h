#pragma once

// Particles -> what a ray tracer can show: a smooth closed surface where they touch, and crumbs where they fly alone.

#include <array>
#include <cstdint>
#include <vector>

#include "firn/vector.h"

namespace firn {

struct SnowSurface {
    std::vector<Float3> points, normals;             ///< m; unit, outward
    std::vector<std::array<uint32_t, 3>> triangles;  ///< counter-clockwise seen from outside
    std::vector<Float4> grains;                      ///< spheres: centre and radius, m
    uint64_t left_out_count = 0;                     ///< particles that are not finite, or too far away for a grid
};

/// Deterministic: the same surface for any number of threads (0 = all cores). `origin` is subtracted from all
/// positions, so that a scene far from the world's origin keeps its detail. A particle's share of the surface and its
/// crumbs depend on its index, so that they stay the same while it moves.
SnowSurface make_snow_surface(const std::vector<Float3>& particles, float spacing, const Float3& origin,
                              int threads = 0);

}  // namespace firn
