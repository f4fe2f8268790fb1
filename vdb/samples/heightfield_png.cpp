#include "samples/heightfield_png.h"

#include <png.h>

#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "firn/error.h"

namespace firn {

namespace {

/// Into the end of where the heights will be, which need not be in memory twice: from the first on, a height never
/// takes the place of a pixel that comes later. `white`: m.
template <class Pixel>
void read_pixels(const std::string& path, png_image& image, float white, std::vector<float>& heights) {
    char* const pixels = reinterpret_cast<char*>(heights.data()) + heights.size() * (sizeof(float) - sizeof(Pixel));
    if (!png_image_finish_read(&image, nullptr, pixels, 0, nullptr)) throw Error(path + ": " + image.message);
    for (size_t i = 0; i < heights.size(); ++i) {
        Pixel pixel;
        std::memcpy(&pixel, pixels + i * sizeof(Pixel), sizeof pixel);
        heights[i] = white * static_cast<float>(pixel) / static_cast<float>(std::numeric_limits<Pixel>::max());
    }
}

}  // namespace

void read_height_png(const std::string& path, float height, uint64_t most_heights, Heightfield& field) {
    // libpng's simplified interface catches its own errors; 16 bits of one channel, linear.
    png_image image;
    std::memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&image, path.c_str())) throw Error(path + ": " + image.message);
    const std::unique_ptr<png_image, void (*)(png_image*)> owner(&image, png_image_free);
    if (uint64_t(image.width) * image.height > most_heights) throw Error(path + ": more than 2^28 heights");
    if (image.format & PNG_FORMAT_FLAG_COLOR)
        throw Error(path + ": not a greyscale picture; save heights as greyscale");
    const bool wide_format = image.format & PNG_FORMAT_FLAG_LINEAR;
    field.columns = static_cast<int>(image.width);
    field.rows = static_cast<int>(image.height);
    field.height.resize(size_t(image.width) * image.height);
    image.format = wide_format ? PNG_FORMAT_LINEAR_Y : PNG_FORMAT_GRAY;
    if (wide_format)
        read_pixels<uint16_t>(path, image, height, field.height);
    else
        read_pixels<uint8_t>(path, image, height, field.height);
}

}  // namespace firn
