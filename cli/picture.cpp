#include "picture.h"

#include <png.h>

#include <algorithm>
#include <filesystem>

#include "firn/error.h"

Picture shrink(const Picture& picture, int factor) {
    Picture small(picture.width / factor, picture.height / factor);
    for (int y = 0; y < small.height; ++y)
        for (int x = 0; x < small.width; ++x)
            for (int channel = 0; channel < 3; ++channel) {
                int sum = 0;
                for (int j = 0; j < factor; ++j)
                    for (int i = 0; i < factor; ++i) sum += picture.pixel(x * factor + i, y * factor + j)[channel];
                small.pixel(x, y)[channel] = static_cast<uint8_t>((sum + factor * factor / 2) / (factor * factor));
            }
    return small;
}

Picture contact_sheet(const std::vector<Picture>& pictures, int columns) {
    if (pictures.empty()) return {};
    const int gap = 4;  // pixels of white between pictures
    const int width = pictures[0].width, height = pictures[0].height;
    const int rows = (static_cast<int>(pictures.size()) + columns - 1) / columns;
    Picture sheet(columns * (width + gap) - gap, rows * (height + gap) - gap);
    std::fill(sheet.rgb.begin(), sheet.rgb.end(), uint8_t{255});
    for (size_t i = 0; i < pictures.size(); ++i) {
        const int left = static_cast<int>(i) % columns * (width + gap);
        const int top = static_cast<int>(i) / columns * (height + gap);
        for (int y = 0; y < height; ++y) std::copy_n(pictures[i].pixel(0, y), 3 * width, sheet.pixel(left, top + y));
    }
    return sheet;
}

void write_png(const std::string& path, const Picture& picture) {
    const std::string temporary = path + ".part";
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(picture.width);
    image.height = static_cast<png_uint_32>(picture.height);
    image.format = PNG_FORMAT_RGB;
    const bool written = png_image_write_to_file(&image, temporary.c_str(), 0, picture.rgb.data(), 0, nullptr) != 0;
    std::error_code error;
    if (written) std::filesystem::rename(temporary, path, error);
    if (!written || error) {
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
        throw firn::Error("can't write " + path + ": " + (error ? error.message() : std::string(image.message)));
    }
}
