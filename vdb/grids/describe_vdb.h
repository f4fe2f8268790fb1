#pragma once

#include <string>

namespace firn {

/// describe_vdb() without its guard: a hostile file may end the process.
std::string describe_vdb_unguarded(const std::string& path);

}  // namespace firn
