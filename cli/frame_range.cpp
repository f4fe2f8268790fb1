#include "frame_range.h"

#include <charconv>

#include "command_line.h"

namespace firn {

FrameRange parse_frames(const std::string& text) {
    FrameRange range;
    const auto number = [&](const std::string& part, int otherwise) {
        if (part.empty()) return otherwise;
        int value = 0;
        const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), value);
        if (error != std::errc() || stop != part.data() + part.size())
            throw UsageError("--frames " + text + ": write it as 12, 1-48 or 1-48:4");
        return value;
    };
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
        throw UsageError("--frames " + text + ": write it as 12, 1-48 or 1-48:4, the smaller number first");
    return range;
}

}  // namespace firn
