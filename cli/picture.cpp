#include "picture.h"

#include <png.h>

#include <algorithm>

#include "firn/error.h"
#include "firn/new_file.h"

namespace firn {

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
    const int count = static_cast<int>(pictures.size());
    columns = std::clamp(columns, 1, count);
    const int rows = (count + columns - 1) / columns;
    Picture sheet(columns * (width + gap) - gap, rows * (height + gap) - gap);
    std::fill(sheet.rgb.begin(), sheet.rgb.end(), uint8_t{255});
    for (int i = 0; i < count; ++i) {
        const Picture& picture = pictures[static_cast<size_t>(i)];
        if (picture.width != width || picture.height != height)
            throw Error("a contact sheet needs pictures of one size, not " + std::to_string(width) + " x " +
                        std::to_string(height) + " and " + std::to_string(picture.width) + " x " +
                        std::to_string(picture.height));
        const int left = i % columns * (width + gap), top = i / columns * (height + gap);
        for (int y = 0; y < height; ++y) std::copy_n(picture.pixel(0, y), 3 * width, sheet.pixel(left, top + y));
    }
    return sheet;
}

namespace {

png_image png_header(const Picture& picture) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(picture.width);
    image.height = static_cast<png_uint_32>(picture.height);
    image.format = PNG_FORMAT_RGB;
    return image;
}

}  // namespace

std::string png_bytes(const Picture& picture) {
    png_image image = png_header(picture);
    std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
    png_alloc_size_t size = bytes.size();
    if (png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.rgb.data(), 0, nullptr) == 0)
        throw Error(std::string("a picture can't be made a PNG: ") + image.message);
    bytes.resize(size);
    return bytes;
}

void write_png(const std::string& path, const Picture& picture) {
    NewFile file(path);
    png_image image = png_header(picture);
    if (png_image_write_to_file(&image, file.temporary().c_str(), 0, picture.rgb.data(), 0, nullptr) == 0)
        throw Error(path + ": can't be written: " + image.message);
    file.commit();
}

Picture read_png(const std::string& path) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    const auto fail = [&] {
        const std::string reason = image.message;
        png_image_free(&image);
        throw Error(path + ": can't be read as a PNG picture: " + reason);
    };
    if (png_image_begin_read_from_file(&image, path.c_str()) == 0) fail();
    image.format = PNG_FORMAT_RGB;
    // A header may claim any size: no more than a picture that Firn would write.
    if (image.width > 65536 || image.height > 65536 || uint64_t{image.width} * image.height > (uint64_t{1} << 28)) {
        png_image_free(&image);
        throw Error(path + ": can't be read: a picture of " + std::to_string(image.width) + " x " +
                    std::to_string(image.height) + " pixels is too large");
    }
    Picture picture(static_cast<int>(image.width), static_cast<int>(image.height));
    if (png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr) == 0) fail();
    return picture;
}

}  // namespace firn
