#pragma once

#include <string>
#include <vector>

namespace firn {

/// How many letters must change, come, go or swap places with their neighbour to make one word of the other.
size_t edit_distance(const std::string& from, const std::string& to);

/// The known word nearest to `wanted`, "" when none is near.
std::string nearest_word(const std::string& wanted, const std::vector<std::string>& known);

/// "; did you mean 'radius'?", or "" when nothing is near.
std::string did_you_mean(const std::string& wanted, const std::vector<std::string>& known);

}  // namespace firn
