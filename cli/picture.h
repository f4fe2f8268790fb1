#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace firn {

/// An 8-bit sRGB picture, rows from the top.
struct Picture {
    int width = 0;
    int height = 0;
    std::vector<uint8_t> rgb;  ///< 3 * width * height

    Picture() = default;
    Picture(int w, int h) : width(w), height(h), rgb(3 * static_cast<size_t>(w) * static_cast<size_t>(h)) {}

    uint8_t* pixel(int x, int y) {
        return &rgb[3 * (static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x))];
    }
    const uint8_t* pixel(int x, int y) const { return const_cast<Picture*>(this)->pixel(x, y); }
};

/// The picture made smaller by a whole factor: each pixel is the mean of factor x factor old ones.
Picture shrink(const Picture&, int factor);

/// Pictures of one size side by side, row by row. Throws Error when their sizes differ.
Picture contact_sheet(const std::vector<Picture>&, int columns);

/// Throws firn::Error when it can't. The file appears whole or not at all.
void write_png(const std::string& path, const Picture&);
/// The bytes of a PNG file.
std::string png_bytes(const Picture&);
/// Any PNG, as 8-bit colour. Throws firn::Error for a file that is none.
Picture read_png(const std::string& path);

}  // namespace firn
