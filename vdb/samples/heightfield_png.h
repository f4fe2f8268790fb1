#pragma once

#include <cstdint>
#include <string>

#include "firn/samples.h"

namespace firn {

/// Columns, rows and heights (0 to `height`, m) from a greyscale PNG of at most `most_heights` pixels. Throws Error.
void read_height_png(const std::string& path, float height, uint64_t most_heights, Heightfield&);

}  // namespace firn
