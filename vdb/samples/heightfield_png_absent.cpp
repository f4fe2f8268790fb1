// Builds without libpng: inside Houdini, where heights come as volumes.

#include "firn/error.h"
#include "samples/heightfield_png.h"

namespace firn {

void read_height_png(const std::string& path, float, uint64_t, Heightfield&) {
    throw Error(path + ": this build of Firn can't read PNG; give the heights as text");
}

bool read_height_png_rows(const std::string&, float, uint64_t, const HeightRows&) {
    return false;
}

}  // namespace firn
