#pragma once

// Words of messages: numbers, lists and articles.

#include <string>
#include <vector>

namespace firn {

/// With nine digits at most.
std::string nine_digits(double);
/// The shortest text that is this number again.
std::string shortest_text(double);
std::string shortest_text(float);
/// "a, b, c".
std::string comma_list(const std::vector<std::string>&);
/// "a box", "an arch".
std::string with_article(const std::string& noun);

}  // namespace firn
