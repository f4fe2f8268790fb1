#include "samples/heightfield_png.h"

#include <png.h>

#include <cstring>
#include <memory>
#include <vector>

#include "firn/error.h"

namespace firn {

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
    if (wide_format) {
        image.format = PNG_FORMAT_LINEAR_Y;
        std::vector<uint16_t> pixels(field.height.size());
        if (!png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr))
            throw Error(path + ": " + image.message);
        for (size_t i = 0; i < pixels.size(); ++i) field.height[i] = height * static_cast<float>(pixels[i]) / 65535.0f;
    } else {
        image.format = PNG_FORMAT_GRAY;
        std::vector<uint8_t> pixels(field.height.size());
        if (!png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr))
            throw Error(path + ": " + image.message);
        for (size_t i = 0; i < pixels.size(); ++i) field.height[i] = height * static_cast<float>(pixels[i]) / 255.0f;
    }
}

}  // namespace firn
