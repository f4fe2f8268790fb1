#pragma once

// Words of messages: numbers, lists and articles.

#include <string>
#include <vector>

namespace firn {

/// With nine digits, which tell any two floats apart.
std::string nine_digits(double);
/// "a, b, c".
std::string comma_list(const std::vector<std::string>&);
/// "a box", "an arch".
std::string with_article(const std::string& noun);

}  // namespace firn
