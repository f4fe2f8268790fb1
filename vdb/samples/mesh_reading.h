#pragma once

#include <string>

#include "firn/mesh.h"
#include "samples/byte_window.h"

namespace firn {

// parse_obj(), parse_ply() and parse_stl() of a file as it is read.
Mesh read_obj(ByteWindow&, const std::string& name);
Mesh read_ply(ByteWindow&, const std::string& name);
Mesh read_stl(ByteWindow&, const std::string& name);

}  // namespace firn
