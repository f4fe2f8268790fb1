#pragma once

#include <limits>
#include <string>

namespace firn {

struct FrameRange {
    int first = std::numeric_limits<int>::min(), last = std::numeric_limits<int>::max(), step = 1;
};

/// The value of a --frames: "12", "1-48", "1-48:4", "10-", "-20" (up to 20), "-5--1". Throws UsageError.
FrameRange parse_frames(const std::string& text);

}  // namespace firn
