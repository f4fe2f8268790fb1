#pragma once

// Words and numbers of a text file, with the line for errors. Never reads past the end. A word holds until the next
// call.

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "firn/error.h"
#include "firn/short_token.h"
#include "samples/byte_window.h"
#include "samples/plain_number.h"

namespace firn {

class MeshText {
public:
    MeshText(ByteWindow& bytes, const std::string& name, size_t line = 1) : bytes_(bytes), line_(line), name_(name) {}

    [[noreturn]] void fail(const std::string& what) const {
        throw Error(name_ + ":" + std::to_string(line_) + ": " + what);
    }

    bool at_end() { return !bytes_.has(1); }
    size_t line() const { return line_; }

    /// To the next word on this line; a backslash at a line's end joins the next line. False at the line's end.
    bool next_in_line() {
        while (bytes_.has(1)) {
            const char here = *bytes_.at;
            if (here == ' ' || here == '\t' || here == '\r' || here == '\v' || here == '\f') {
                ++bytes_.at;
            } else if (here == '\\' && bytes_.has(2) &&
                       (bytes_.at[1] == '\n' || (bytes_.at[1] == '\r' && bytes_.has(3)))) {
                bytes_.at += bytes_.at[1] == '\n' ? 2 : 3;
                ++line_;
            } else {
                return here != '\n';
            }
        }
        return false;
    }
    /// To the next word, over lines. False at the end of the text.
    bool next() {
        while (!next_in_line()) {
            if (at_end()) return false;
            ++bytes_.at;
            ++line_;
        }
        return true;
    }
    void skip_line() {
        while (bytes_.has(1) && *bytes_.at != '\n') ++bytes_.at;
        if (bytes_.has(1)) {
            ++bytes_.at;
            ++line_;
        }
    }
    /// The word here, up to a blank.
    std::string_view word() {
        size_t length = 0;
        while (bytes_.has(length + 1) && !blank(bytes_.at[length])) ++length;
        bytes_.at += length;
        return {bytes_.at - length, length};
    }
    /// A finite number; `what` names it in errors.
    float number(const char* what) {
        bytes_.has(longest_number);
        const char *begin = bytes_.at, *end = bytes_.end;
        const char* digits = begin != end && *begin == '+' ? begin + 1 : begin;
        float value = 0;
        const char* plain = digits;
        if (plain_number(plain, end, value) && (plain == end || blank(*plain))) {
            bytes_.at = plain;
            return value;
        }
        auto [after, error] = std::from_chars(digits, end, value);
        if (error == std::errc::result_out_of_range) {
            // Too large, or too small to be told from nothing.
            double precise = 0;
            const auto wider = std::from_chars(digits, end, precise);
            const bool tiny = wider.ec == std::errc()
                                  ? std::abs(precise) < 1
                                  : std::string_view(digits, static_cast<size_t>(after - digits)).find("e-") !=
                                        std::string_view::npos;
            value = tiny ? 0.0f : HUGE_VALF;
            error = std::errc();
        }
        if (error != std::errc() || (after != end && !blank(*after)))
            fail(std::string(what) + ": '" + short_token(word()) + "' is no number");
        if (!std::isfinite(value))
            fail(std::string(what) + " is " + short_token(word()) +
                 ", not a finite number; repair the mesh where it was made");
        bytes_.at = after;
        return value;
    }
    /// An integer that ends at a blank or before `stop`.
    int64_t integer(const char* what, char stop = ' ') {
        bytes_.has(longest_number);
        int64_t value = 0;
        // Meshes are full of short numbers: the library's function, which watches for overflow, is for the others.
        const char* digit = bytes_.at;
        constexpr std::ptrdiff_t short_number = 18;
        while (digit != bytes_.end && *digit >= '0' && *digit <= '9' && digit - bytes_.at < short_number)
            value = 10 * value + (*digit++ - '0');
        if (digit != bytes_.at && (digit == bytes_.end || blank(*digit) || *digit == stop)) {
            bytes_.at = digit;
            return value;
        }
        const auto [after, error] = std::from_chars(bytes_.at, bytes_.end, value);
        if (error != std::errc() || (after != bytes_.end && !blank(*after) && *after != stop))
            fail(std::string(what) + ": '" + short_token(word()) + "' is no whole number");
        bytes_.at = after;
        return value;
    }
    void skip_word() {
        while (bytes_.has(1) && !blank(*bytes_.at)) ++bytes_.at;
    }

private:
    static constexpr size_t longest_number = 4096;  ///< characters
    static bool blank(char c) { return c == ' ' || c == '\n' || (c >= '\t' && c <= '\r'); }

    ByteWindow& bytes_;
    size_t line_;
    const std::string& name_;
};

}  // namespace firn
