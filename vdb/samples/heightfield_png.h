#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "firn/samples.h"

namespace firn {

/// Columns, rows and heights (0 to `height`, m) from a greyscale PNG of at most `most_heights` pixels. Throws Error.
void read_height_png(const std::string& path, float height, uint64_t most_heights, Heightfield&);

/// The same row by row, so that a large picture is never in memory as a whole.
struct HeightRows {
    std::function<void(int columns, int rows)> begin;
    std::function<void(const float* heights)> row;  ///< m
    /// Whether the row of this number is; of others only what is lowest and highest in them.
    std::function<bool(int number)> wanted = {};
    std::function<void(float low, float high)> passed = {};  ///< m
};
/// False, before anything was read, for what read_height_png() has to read: pictures that are interlaced, or have less
/// than 8 bits or more than a channel of grey. Throws Error.
bool read_height_png_rows(const std::string& path, float height, uint64_t most_heights, const HeightRows&);

}  // namespace firn
