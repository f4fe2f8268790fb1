#pragma once

// Where a surface's samples go: one for every spacing^2, each in the middle of what lies nearer to it than to any
// other, and all with about the same area.

#include <cstdint>
#include <limits>
#include <vector>

#include "samples/surface_cloud.h"

namespace firn {

struct SurfaceSites {
    static constexpr uint32_t nobody = std::numeric_limits<uint32_t>::max();

    std::vector<Float3> position;  ///< m, relative to the cloud's `low`
    std::vector<Float3> normal;
    std::vector<uint32_t> ground;  ///< the cloud's point that was nearest before the last move
    std::vector<uint32_t> cell;    ///< of the ground
    std::vector<float> area;       ///< m^2; of the cells in which every place belongs to the nearest site of its sheet

    size_t count() const { return position.size(); }
};

/// On the surface, within what it bends over a fraction of a spacing. `area`: m^2, of the whole surface.
SurfaceSites even_sites(const SurfaceCloud&, double area);

/// A cut of the surface. What is near the cut does not count: only the box inside is looked at.
struct SurfacePatch {
    SurfaceCloud cloud;
    Vec3 low, high;  ///< m, the box, relative to the cloud's `low`
};
/// How many sites even_sites() would begin with on the whole surface, for every spacing^2, from patches of it whose
/// middles lie everywhere with the same chance.
double sites_per_square(const std::vector<SurfacePatch>&);

/// The nearest site of its sheet for every point of the cloud, or `nobody`.
std::vector<uint32_t> owners(const SurfaceCloud&, const SurfaceSites&);

/// The areas anew, of sites that were moved a little.
void measure_areas(const SurfaceCloud&, SurfaceSites&);

}  // namespace firn
