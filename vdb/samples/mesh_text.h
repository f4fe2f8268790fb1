#pragma once

// Words and numbers of a text file, with the line for errors. Never reads past the end.

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "firn/error.h"
#include "firn/short_token.h"

namespace firn {

class MeshText {
public:
    MeshText(std::string_view text, const std::string& name, size_t line = 1)
        : at_(text.data()), end_(text.data() + text.size()), begin_(text.data()), line_(line), name_(name) {}

    [[noreturn]] void fail(const std::string& what) const {
        throw Error(name_ + ":" + std::to_string(line_) + ": " + what);
    }

    bool at_end() const { return at_ == end_; }
    size_t line() const { return line_; }
    size_t consumed() const { return static_cast<size_t>(at_ - begin_); }

    /// To the next word on this line; a backslash at a line's end joins the next line. False at the line's end.
    bool next_in_line() {
        while (at_ != end_) {
            if (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\v' || *at_ == '\f') {
                ++at_;
            } else if (*at_ == '\\' && end_ - at_ >= 2 && (at_[1] == '\n' || (at_[1] == '\r' && end_ - at_ >= 3))) {
                at_ += at_[1] == '\n' ? 2 : 3;
                ++line_;
            } else {
                return *at_ != '\n';
            }
        }
        return false;
    }
    /// To the next word, over lines. False at the end of the text.
    bool next() {
        while (!next_in_line()) {
            if (at_end()) return false;
            ++at_;
            ++line_;
        }
        return true;
    }
    void skip_line() {
        while (at_ != end_ && *at_ != '\n') ++at_;
        if (at_ != end_) {
            ++at_;
            ++line_;
        }
    }
    /// The word here, up to a blank.
    std::string_view word() {
        const char* begin = at_;
        while (at_ != end_ && !blank(*at_)) ++at_;
        return {begin, static_cast<size_t>(at_ - begin)};
    }
    /// A finite number; `what` names it in errors.
    float number(const char* what) {
        const char* begin = at_;
        if (at_ != end_ && *at_ == '+') ++at_;
        float value = 0;
        auto [after, error] = std::from_chars(at_, end_, value);
        if (error == std::errc::result_out_of_range) {
            // Too large, or too small to be told from nothing.
            double precise = 0;
            const auto wider = std::from_chars(at_, end_, precise);
            const bool tiny =
                wider.ec == std::errc()
                    ? std::abs(precise) < 1
                    : std::string_view(at_, static_cast<size_t>(after - at_)).find("e-") != std::string_view::npos;
            value = tiny ? 0.0f : HUGE_VALF;
            error = std::errc();
        }
        if (error != std::errc() || (after != end_ && !blank(*after))) {
            at_ = begin;
            fail(std::string(what) + ": '" + short_token(word()) + "' is no number");
        }
        if (!std::isfinite(value)) {
            at_ = begin;
            fail(std::string(what) + " is " + short_token(word()) +
                 ", not a finite number; repair the mesh where it was made");
        }
        at_ = after;
        return value;
    }
    /// An integer that ends at a blank or before `stop`.
    int64_t integer(const char* what, char stop = ' ') {
        int64_t value = 0;
        const char* begin = at_;
        const auto [after, error] = std::from_chars(at_, end_, value);
        if (error != std::errc() || (after != end_ && !blank(*after) && *after != stop)) {
            at_ = begin;
            fail(std::string(what) + ": '" + short_token(word()) + "' is no whole number");
        }
        at_ = after;
        return value;
    }
    void skip_word() {
        while (at_ != end_ && !blank(*at_)) ++at_;
    }

private:
    static bool blank(char c) { return c == ' ' || c == '\n' || (c >= '\t' && c <= '\r'); }

    const char* at_;
    const char* end_;
    const char* begin_;
    size_t line_;
    const std::string& name_;
};

}  // namespace firn
