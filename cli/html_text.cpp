#include "html_text.h"

#include <cstdint>

namespace firn {

namespace {

/// Bytes of the UTF-8 character that starts at `at`; 0 when there is none.
size_t character_length(const std::string& text, size_t at) {
    const auto byte = [&](size_t i) -> uint32_t { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const uint32_t first = byte(at);
    if (first < 0x80) return 1;
    const size_t length = first >= 0xf0 && first < 0xf5   ? 4
                          : first >= 0xe0 && first < 0xf0 ? 3
                          : first >= 0xc2 && first < 0xe0 ? 2
                                                          : 0;
    uint32_t code = first & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xc0) != 0x80) return 0;
        code = code << 6 | (byte(at + i) & 0x3f);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && (code < 0x10000 || code > 0x10ffff));
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    return overlong || surrogate || code == 0xfffe || code == 0xffff ? 0 : length;
}

}  // namespace

std::string html_text(const std::string& text) {
    std::string html;
    html.reserve(text.size());
    for (size_t i = 0; i < text.size();) {
        const char c = text[i];
        const size_t length = character_length(text, i);
        const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n';
        if (length == 0 || control || c == 0x7f)
            html += "\xef\xbf\xbd";
        else if (c == '&')
            html += "&amp;";
        else if (c == '<')
            html += "&lt;";
        else if (c == '>')
            html += "&gt;";
        else if (c == '"')
            html += "&quot;";
        else if (c == '\'')
            html += "&#39;";
        else
            html.append(text, i, length);
        i += length == 0 ? 1 : length;
    }
    return html;
}

}  // namespace firn
