#include "wording.h"

#include <charconv>
#include <cstdio>

namespace firn {

namespace {

template <class Number>
std::string shortest(Number value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace

std::string nine_digits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

std::string shortest_text(double value) {
    return shortest(value);
}

std::string shortest_text(float value) {
    return shortest(value);
}

std::string comma_list(const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
    return all;
}

std::string with_article(const std::string& noun) {
    return (std::string("aeiou").find(noun[0]) != std::string::npos ? "an " : "a ") + noun;
}

}  // namespace firn
