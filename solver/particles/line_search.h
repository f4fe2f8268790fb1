#pragma once

// How far to go along a step towards the minimum of a convex function, by its slope alone. Host code.

#include <algorithm>

namespace firn {

/// Slopes count downhill: positive where going on pays. The whole step has been taken before the first question.
class LineSearch {
public:
    LineSearch() = default;
    /// `slope`: where the step begins.
    explicit LineSearch(double slope) : slope_(slope), low_slope_(slope), share_(1) {}

    /// Whether the slope says that the minimum is far from here: beyond it, or, once the step was shortened, still
    /// ahead.
    bool misses(double slope) const {
        return slope_ > 0 && (slope < -slope_ || (shortened > 0 && slope > 0.5 * slope_));
    }
    /// The share of the step to add (negative: to take back), where the line between the slopes on both sides is zero.
    double next(double slope) {
        if (slope < 0) {
            high_ = share_;
            high_slope_ = slope;
        } else {
            low_ = share_;
            low_slope_ = slope;
        }
        const double at = std::min(std::max(low_slope_ / (low_slope_ - high_slope_), 0.1), 0.9);
        const double before = share_;
        share_ = low_ + (high_ - low_) * at;
        ++shortened;
        return share_ - before;
    }

    int shortened = 0;  ///< how often

private:
    double slope_ = 0;
    double low_ = 0, low_slope_ = 0, high_ = 1, high_slope_ = 0;  ///< the minimum lies between
    double share_ = 0;                                            ///< of the step that was taken so far
};

}  // namespace firn
