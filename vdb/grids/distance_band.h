#pragma once

// Signed distance to a smoothed union of balls, near its surface only. Lengths are voxels. Nothing here knows OpenVDB.

#include <algorithm>
#include <functional>
#include <vector>

#include "leaf_bins.h"

namespace firn {

struct BandSettings {
    float ball = 0;   ///< radius around each particle
    int smooth = 0;   ///< passes of the 1-2-1 filter along each axis
    float level = 2;  ///< the union's distance is cut off at plus and minus this before it is smoothed. It
                      ///< should not be deeper than what lies between particles, or smoothing moves the
                      ///< surface: inside, the union's distance is not even.
    float inside = 0, outside = 0;  ///< how far from the surface distances are wanted

    /// From a particle to the furthest voxel that matters.
    float reach() const { return ball + std::max(level, outside + 1); }
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
