#pragma once

#include <string>

namespace firn {

/// Throws Error that says what the path names instead: a pipe, which would keep a reader waiting for ever, a device,
/// a socket or a folder. What is not there passes: whoever opens it says so.
void require_regular_file(const std::string& path);

}  // namespace firn
