#pragma once

#include <string>
#include <string_view>

namespace firn {

/// What an error shows of a file: its first word, at most 24 characters and only printable ones. Errors end up in logs
/// that more people read than the file, which may not be what its name says; and they stay one line.
inline std::string short_token(std::string_view text) {
    constexpr size_t longest = 24;
    std::string token;
    for (const char c : text) {
        const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
        if (token.size() == longest || (blank && !token.empty())) return token + "...";
        if (!blank) token += c > 32 && c < 127 ? c : '?';
    }
    return token;
}

/// What a library says about a file, for an error of ours: it may quote anything, so it is cut where it is long.
inline std::string library_words(std::string_view text) {
    constexpr size_t longest = 120;
    std::string line(text.substr(0, longest));
    for (char& c : line)
        if (c < 32 || c > 126) c = '?';
    // From the first quote to the last: one token.
    const size_t open = line.find(" '"), close = line.rfind('\'');
    if (open != line.npos && close > open + 2 + 24)
        line.replace(open + 2, close - open - 2, short_token(&line[open + 2]));
    return text.size() > longest ? line + "..." : line;
}

}  // namespace firn
