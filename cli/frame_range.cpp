#include "frame_range.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

#include "command_line.h"

namespace firn {

namespace {

FrameRange parse_range(const std::string& text, const std::string& all) {
    FrameRange range;
    const auto number = [&](const std::string& part, int otherwise) {
        if (part.empty()) return otherwise;
        int value = 0;
        const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), value);
        if (error != std::errc() || stop != part.data() + part.size())
            throw UsageError("--frames " + all + ": write it as 12, 1-48, 1-48:4 or 1-10,20,30-40");
        return value;
    };
    if (text == "-") return range;
    const size_t colon = text.find(':');
    const std::string span = text.substr(0, colon);
    if (colon != std::string::npos) range.step = number(text.substr(colon + 1), 0);
    // Of two numbers each may be below zero, "-5--1"; one alone behind a dash is the last.
    const size_t second = span.find('-', 1);
    const size_t dash = second == std::string::npos ? span.find('-') : second;
    if (dash == std::string::npos) {
        range.first = range.last = number(span, 0);
    } else {
        range.first = number(span.substr(0, dash), range.first);
        range.last = number(span.substr(dash + 1), range.last);
    }
    if (span.empty() || range.step < 1 || range.first > range.last)
        throw UsageError("--frames " + all +
                         ": write it as 12, 1-48, 1-48:4 or 1-10,20,30-40, the smaller number first");
    return range;
}

}  // namespace

bool FrameRange::has(int frame, int start) const {
    const int64_t from = first == std::numeric_limits<int>::min() ? start : first;
    return frame >= first && frame <= last && (frame - from) % step == 0;
}

bool FrameSet::has(int frame, int start) const {
    return std::any_of(ranges.begin(), ranges.end(), [&](const FrameRange& r) { return r.has(frame, start); });
}

int FrameSet::first() const {
    int least = ranges.front().first;
    for (const FrameRange& r : ranges) least = std::min(least, r.first);
    return least;
}

int FrameSet::last() const {
    int most = ranges.front().last;
    for (const FrameRange& r : ranges) most = std::max(most, r.last);
    return most;
}

FrameSet parse_frames(const std::string& text) {
    FrameSet set;
    set.ranges.clear();
    for (size_t start = 0; start <= text.size();) {
        const size_t comma = std::min(text.find(',', start), text.size());
        set.ranges.push_back(parse_range(text.substr(start, comma - start), text));
        start = comma + 1;
    }
    return set;
}

std::string text_of(const FrameSet& set) {
    std::string text;
    for (const FrameRange& r : set.ranges) {
        const bool open_first = r.first == std::numeric_limits<int>::min(),
                   open_last = r.last == std::numeric_limits<int>::max();
        if (!text.empty()) text += ",";
        if (!open_first) text += std::to_string(r.first);
        if (r.first != r.last) text += "-" + (open_last ? std::string() : std::to_string(r.last));
        if (r.step != 1) text += ":" + std::to_string(r.step);
    }
    return text;
}

}  // namespace firn
