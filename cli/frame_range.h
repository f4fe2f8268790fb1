#pragma once

#include <limits>
#include <string>
#include <vector>

namespace firn {

/// Frames as every --frames takes them: one or several ranges.
struct FrameRange {
    int first = std::numeric_limits<int>::min(), last = std::numeric_limits<int>::max(), step = 1;

    /// Steps count from the range's own beginning; one that is open begins with `start`.
    bool has(int frame, int start) const;
};

struct FrameSet {
    std::vector<FrameRange> ranges{FrameRange{}};

    /// `start`: the scene's first frame.
    bool has(int frame, int start) const;
    int first() const;  ///< of all ranges
    int last() const;
};

/// The value of a --frames: "12", "1-48", "1-48:4", "10-", "-20" (up to 20), "-5--1", and lists of these:
/// "1-10,20,30-". Throws UsageError.
FrameSet parse_frames(const std::string& text);
/// What parse_frames() reads back.
std::string text_of(const FrameSet&);

}  // namespace firn
