#pragma once

#include <string>

namespace firn {

/// Decides on how many threads the program runs from here on; all of its libraries keep to it. `threads`: as asked for,
/// 0 = one for each core; more than there are cores become as many, with a warning of one line as the result ("" =
/// none). Throws Error where the system does not let the program start so many: TBB would end it.
std::string limit_threads(int& threads);

}  // namespace firn
