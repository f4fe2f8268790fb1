#pragma once

// Signed distance to the surface of a set of particles, near it only: to a smoothed union of balls, or to where kernels
// that follow the snow add up to a level. Lengths are voxels. Nothing here knows OpenVDB.

#include <algorithm>
#include <functional>
#include <vector>

#include "kernel_shapes.h"
#include "leaf_bins.h"

namespace firn {

struct BandSettings {
    float ball = 0;   ///< radius around each particle
    int smooth = 0;   ///< passes of the 1-2-1 filter along each axis
    float level = 2;  ///< the union's distance is cut off at plus and minus this before it is smoothed. It
                      ///< should not be deeper than what lies between particles, or smoothing moves the
                      ///< surface: inside, the union's distance is not even.
    float inside = 0, outside = 0;  ///< how far from the surface distances are wanted

    /// In the order of the bins: kernels instead of balls; their surface is at `kernel_level`. `ball` then only says
    /// what is inside for sure.
    const std::vector<KernelShape>* kernels = nullptr;
    float spacing = 0;  ///< voxels; of the kernels

    /// Called once before the surface is moved, with the leaves and 512 distances for each.
    std::function<void(const LeafSet&, const std::vector<float>& distances)> before_displacing = {};
    /// Moves the surface, by at most `displacement`: called with each leaf's key and its 512 distances.
    std::function<void(uint64_t leaf, float* distance)> displace = {};
    float displacement = 0;

    /// From a particle to the furthest voxel that matters.
    float reach() const { return ball + std::max(level, outside + displacement + 1); }
};

/// Leaves that hold the surface or come near it. Values are at most `inside` deep and `outside` high where distances
/// are true; further values have the right sign and are larger.
struct DistanceBand {
    LeafSet leaves;
    std::vector<float> values;  ///< 512 for each leaf
};

/// `check(leaves)` is called before memory for so many leaves is taken.
DistanceBand distance_band(const LeafBins&, const BandSettings&, LeafLoop&, const std::function<void(size_t)>& check);

}  // namespace firn
