#include "frame_range.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "command_line.h"

namespace {

using firn::FrameRange;
using firn::parse_frames;

void expect(const std::string& text, int first, int last, int step) {
    ASSERT_EQ(parse_frames(text).ranges.size(), 1u) << text;
    const FrameRange range = parse_frames(text).ranges.front();
    EXPECT_EQ(range.first, first) << text;
    EXPECT_EQ(range.last, last) << text;
    EXPECT_EQ(range.step, step) << text;
}

TEST(FrameRange, ReadsWhatFarmsWrite) {
    constexpr int low = std::numeric_limits<int>::min(), high = std::numeric_limits<int>::max();
    expect("12", 12, 12, 1);
    expect("1-48", 1, 48, 1);
    expect("1-48:4", 1, 48, 4);
    expect("10-", 10, high, 1);
    expect("-20", low, 20, 1);
    expect("-3-4", -3, 4, 1);
    expect("-5--1:2", -5, -1, 2);
    expect("-5-", -5, high, 1);
}

TEST(FrameRange, RefusesTheRest) {
    for (const char* text : {"", "a", ",", "1,", ",1", "1,,2", "1-4,x", "1 2", "4-1", "1-4:0", "1-4:-1", "1-4:", "1--",
                             "--1", "1-2-3", "-1--5", "99999999999"})
        EXPECT_THROW(parse_frames(text), UsageError) << text;
}

std::vector<int> frames_of(const std::string& text, int first, int last) {
    std::vector<int> frames;
    for (int frame = first; frame <= last; ++frame)
        if (parse_frames(text).has(frame, first)) frames.push_back(frame);
    return frames;
}

TEST(FrameRange, ListsAreAllOfTheirRanges) {
    EXPECT_EQ(frames_of("1-3,7,10-20:5", 1, 48), (std::vector<int>{1, 2, 3, 7, 10, 15, 20}));
    EXPECT_EQ(frames_of("46-,2", 1, 48), (std::vector<int>{2, 46, 47, 48}));
    EXPECT_EQ(frames_of("3-5,4-6", 1, 48), (std::vector<int>{3, 4, 5, 6}));
    // Steps count from the range's beginning, also where that lies before the scene's; an open one begins with the
    // scene.
    EXPECT_EQ(frames_of("1-20:4", 3, 14), (std::vector<int>{5, 9, 13}));
    EXPECT_EQ(frames_of("-20:4", 3, 14), (std::vector<int>{3, 7, 11}));
}

}  // namespace
