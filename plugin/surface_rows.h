#pragma once

#include "node_table.h"

namespace firn {

/// How the snow's surface is made, for every node that makes one.
std::vector<NodeParameter> surface_rows(const char* folder, const char* disable_when);

}  // namespace firn
