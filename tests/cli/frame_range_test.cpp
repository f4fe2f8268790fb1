#include "frame_range.h"

#include <gtest/gtest.h>

#include <limits>

#include "command_line.h"

namespace {

using firn::FrameRange;
using firn::parse_frames;

void expect(const std::string& text, int first, int last, int step) {
    const FrameRange range = parse_frames(text);
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
    for (const char* text : {"", "a", "4-1", "1-4:0", "1-4:-1", "1-4:", "1--", "--1", "1-2-3", "-1--5", "99999999999"})
        EXPECT_THROW(parse_frames(text), UsageError) << text;
}

}  // namespace
