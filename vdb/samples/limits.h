#pragma once

#include <cstdint>
#include <string>

#include "firn/mesh.h"

namespace firn {

/// Throws Error unless the spacing is a positive number, and float32 tells places a twentieth of it apart within the
/// bounds. `what` begins the message.
void require_spacing(const char* what, float spacing, const MeshFacts&);

/// Throws Error when this many particles at this many bytes each are more than the limit (bytes; 0 = what the machine
/// has left), or more than can be numbered.
void require_memory(const char* what, double particles, double bytes_each, float spacing, double limit);

}  // namespace firn
