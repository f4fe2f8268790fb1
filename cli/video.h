#pragma once

#include <string>
#include <vector>

namespace firn {

/// A video of pictures of one size, in order, made by ffmpeg where it is installed. Returns "" when done, otherwise one
/// line that says why there is none. Throws Error when a picture can't be read.
std::string write_video(const std::string& path, const std::vector<std::string>& pictures, double fps);

}  // namespace firn
