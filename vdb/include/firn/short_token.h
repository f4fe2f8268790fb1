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

/// An error in which the whole of such a word stands, with the short token in its place.
inline std::string with_short_token(std::string error, const std::string& word) {
    const std::string token = short_token(word);
    if (word.empty() || token == word) return error;
    for (size_t at = 0; (at = error.find(word, at)) != error.npos; at += token.size())
        error.replace(at, word.size(), token);
    return error;
}

/// What a library says about a file, for an error of ours: it may quote anything, so it is cut where it is long.
inline std::string library_words(std::string_view text) {
    constexpr size_t longest = 120;
    std::string line(text);
    for (char& c : line)
        if (c < 32 || c > 126) c = '?';
    // From the first quote to the last, or to the end where the library lost it: one token.
    const size_t open = line.find(" '"), last = line.rfind('\'');
    if (open != line.npos) {
        const size_t close = last > open + 1 ? last : line.size();
        if (close > open + 2 + 24) line.replace(open + 2, close - open - 2, short_token(&line[open + 2]));
    }
    return line.size() > longest ? line.substr(0, longest) + "..." : line;
}

}  // namespace firn
