#include "samples/heightfield_png.h"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
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

struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

/// libpng's state, and what it said when it gave up.
struct PngReading {
    png_structp png = nullptr;
    png_infop info = nullptr;
    std::string trouble;

    PngReading() {
        png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &fail, [](png_structp, png_const_charp) {});
        if (png) info = png_create_info_struct(png);
    }
    ~PngReading() { png_destroy_read_struct(&png, &info, nullptr); }
    PngReading(const PngReading&) = delete;
    PngReading& operator=(const PngReading&) = delete;

    /// C code can't be left by an exception: libpng's way out is a long jump, over nothing here that has a destructor.
    template <class Step>
    bool survives(const Step& step) {
        if (setjmp(png_jmpbuf(png))) return false;
        step();
        return true;
    }

private:
    [[noreturn]] static void fail(png_structp png, png_const_charp said) {
        static_cast<PngReading*>(png_get_error_ptr(png))->trouble = said;
        png_longjmp(png, 1);
    }
};

template <class Pixel>
void hand_on(const std::vector<png_byte>& bytes, float white, bool wanted, std::vector<float>& heights,
             const HeightRows& rows) {
    const auto pixel = [&](size_t i) {
        Pixel value;
        std::memcpy(&value, bytes.data() + i * sizeof(Pixel), sizeof value);
        return value;
    };
    const auto height = [&](Pixel value) {
        return white * static_cast<float>(value) / static_cast<float>(std::numeric_limits<Pixel>::max());
    };
    if (!wanted) {
        Pixel low = pixel(0), high = low;
        for (size_t i = 0; i < heights.size(); ++i) {
            low = std::min(low, pixel(i));
            high = std::max(high, pixel(i));
        }
        return rows.passed(height(low), height(high));
    }
    for (size_t i = 0; i < heights.size(); ++i) heights[i] = height(pixel(i));
    rows.row(heights.data());
}

}  // namespace

bool read_height_png_rows(const std::string& path, float height, uint64_t most_heights, const HeightRows& rows) {
    const std::unique_ptr<std::FILE, FileCloser> file(std::fopen(path.c_str(), "rb"));
    PngReading reading;
    if (!file || !reading.info) return false;
    const png_structp png = reading.png;
    const png_infop info = reading.info;
    const auto require = [&](bool fine) {
        if (!fine) throw Error(path + ": " + reading.trouble);
    };
    require(reading.survives([&] {
        png_init_io(png, file.get());
        png_read_info(png, info);
    }));
    const uint64_t width = png_get_image_width(png, info), count = png_get_image_height(png, info);
    const int bits = png_get_bit_depth(png, info);
    if (png_get_color_type(png, info) != PNG_COLOR_TYPE_GRAY || bits < 8 ||
        png_get_interlace_type(png, info) != PNG_INTERLACE_NONE || png_get_valid(png, info, PNG_INFO_tRNS))
        return false;
    if (width * count > most_heights) throw Error(path + ": more than 2^28 heights");
    require(reading.survives([&] {
        // As the simplified interface does it, which read_height_png() uses.
        const png_fixed_point gamma = bits == 16 ? PNG_GAMMA_LINEAR : PNG_DEFAULT_sRGB;
        png_set_alpha_mode_fixed(png, PNG_ALPHA_PNG, gamma);
        png_set_alpha_mode_fixed(png, PNG_ALPHA_PNG, gamma);
        const uint16_t one = 1;
        if (bits == 16 && reinterpret_cast<const char&>(one) == 1) png_set_swap(png);
        png_read_update_info(png, info);
    }));
    rows.begin(static_cast<int>(width), static_cast<int>(count));
    std::vector<png_byte> pixels(png_get_rowbytes(png, info));
    std::vector<float> heights(width);
    for (uint64_t row = 0; row < count; ++row) {
        require(reading.survives([&] { png_read_row(png, pixels.data(), nullptr); }));
        const bool wanted = !rows.wanted || rows.wanted(static_cast<int>(row));
        if (bits == 16)
            hand_on<uint16_t>(pixels, height, wanted, heights, rows);
        else
            hand_on<uint8_t>(pixels, height, wanted, heights, rows);
    }
    return true;
}

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
