#pragma once

// How far to go along a line towards the minimum of a convex function, by its slope alone.

#include "particles/lane.h"

namespace firn::FIRN_LANES {

/// Slopes count downhill: positive where going on pays. The whole line is tried first.
struct LineSearch {
    double slope = 0;   ///< where it begins
    double share = 1;   ///< of the line, that is tried
    int shortened = 0;  ///< how often

    /// Whether the slope at the share says that the minimum is far from there: before it, or, once the line was
    /// shortened, still ahead.
    FIRN_HD bool misses(double there) const {
        return shortened < most_shortened && (there < -0.5 * slope || (shortened > 0 && there > 0.5 * slope));
    }
    /// Tries the share where the line between the slopes on both sides is zero.
    FIRN_HD void shorten(double there) {
        if (shortened++ == 0) low_slope = slope;
        if (there < 0) {
            high = share;
            high_slope = there;
        } else {
            low = share;
            low_slope = there;
        }
        const double at = low_slope / (low_slope - high_slope);
        share = low + (high - low) * (at < 0.1 ? 0.1 : at > 0.9 ? 0.9 : at);
    }

    double low = 0, low_slope = 0, high = 1, high_slope = 0;  ///< the minimum lies between
    static constexpr int most_shortened = 3;
};

}  // namespace firn::FIRN_LANES
