// Large pictures of heights, of which a count reads row by row what it needs.

#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "firn/counts.h"
#include "own_file.h"
#include "samples/heightfield_png.h"
#include "shape_measures.h"

using namespace firn;

namespace {

/// Hills with slopes of all kinds, a bit rough. `gamma`: of the file, if not 0.
std::string picture(const char* name, int columns, int rows, int bits, int gamma = 0,
                    int interlace = PNG_INTERLACE_NONE) {
    const std::string path = own_file(name);
    std::FILE* file = std::fopen(path.c_str(), "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, file);
    png_set_IHDR(png, info, static_cast<png_uint_32>(columns), static_cast<png_uint_32>(rows), bits,
                 PNG_COLOR_TYPE_GRAY, interlace, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (gamma != 0) png_set_gAMA_fixed(png, info, gamma);
    png_set_compression_level(png, 1);
    png_write_info(png, info);
    const size_t bytes = static_cast<size_t>(bits / 8);
    std::vector<png_byte> row(static_cast<size_t>(columns) * bytes);
    const int passes = png_set_interlace_handling(png);
    for (int pass = 0; pass < passes; ++pass)
        for (int j = 0; j < rows; ++j) {
            for (int i = 0; i < columns; ++i) {
                const double wave = std::sin(20.0 * i / columns) * std::cos(13.0 * j / rows);
                const uint32_t value = static_cast<uint32_t>(32000 * (1 + 0.9 * wave)) +
                                       (static_cast<uint32_t>(i * 7919 + j * 104729) & 63);
                png_byte* const at = &row[static_cast<size_t>(i) * bytes];
                at[0] = static_cast<png_byte>(value >> 8);
                if (bytes == 2) at[1] = static_cast<png_byte>(value);
            }
            png_write_row(png, row.data());
        }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    std::fclose(file);
    return path;
}

}  // namespace

TEST(HeightfieldFiles, RowsAreThoseOfTheWholePicture) {
    for (const int bits : {8, 16})
        for (const int gamma : {0, 45455, 100000}) {
            const std::string path = picture("rows.png", 70, 40, bits, gamma);
            const Heightfield whole = read_heightfield(path, 1, 5);
            std::vector<float> heights;
            size_t width = 0;
            ASSERT_TRUE(
                read_height_png_rows(path, 5, 1 << 28,
                                     {[&](int columns, int) { width = static_cast<size_t>(columns); },
                                      [&](const float* row) { heights.insert(heights.end(), row, row + width); }}));
            EXPECT_EQ(heights, whole.height) << bits << " bits, gamma " << gamma;
        }
    const HeightRows nobody{[](int, int) { FAIL(); }, [](const float*) { FAIL(); }};
    EXPECT_FALSE(read_height_png_rows(picture("laced.png", 70, 40, 16, 0, PNG_INTERLACE_ADAM7), 5, 1 << 28, nobody));
    const std::string cut = own_file("cut.png");
    std::ofstream(cut, std::ios::binary) << "\x89PNG\r\n\x1a\nrubbish";
    EXPECT_NE(message([&] { read_height_png_rows(cut, 5, 1 << 28, nobody); }).find(cut), std::string::npos);
}

/// The same hills as a text.
std::string text_of(const std::string& picture) {
    const Heightfield field = read_heightfield(picture, 1, 1);
    const std::string path = own_file("heights.txt");
    std::string text;
    for (size_t i = 0; i < field.height.size(); ++i) {
        char number[16];
        std::snprintf(number, sizeof number, "%.5f%c", double(field.height[i]),
                      (i + 1) % static_cast<size_t>(field.columns) ? ' ' : '\n');
        text += number;
    }
    write_text(path, text);
    return path;
}

class LargeHeightfield : public ::testing::TestWithParam<bool> {};

TEST_P(LargeHeightfield, TellsWhatTheWholeOneIs) {
    std::string path = picture("large.png", 2600, 2100, 16);  // above 2^22 heights
    if (GetParam()) path = text_of(path);
    constexpr float cell = 0.01f, height = 40;
    const HeightfieldLook look = look_at_heightfield(path, cell, height);
    EXPECT_FALSE(look.whole);
    EXPECT_LT(look.field.height.size(), size_t(1) << 22);
    const Heightfield field = read_heightfield(path, cell, height);
    const MeshFacts facts = heightfield_facts(field);
    EXPECT_NEAR(look.facts.area, facts.area, 0.01 * facts.area);
    for (const auto& [found, expected] :
         {std::pair(look.facts.low, facts.low), std::pair(look.facts.high, facts.high)}) {
        EXPECT_NEAR(found.x, expected.x, 1e-4);
        EXPECT_NEAR(found.y, expected.y, 1e-4);
        EXPECT_NEAR(found.z, expected.z, 1e-4);
    }
    FillSettings settings;
    settings.spacing = 0.05f;
    EXPECT_EQ(count_layer(look, 0.2f, settings).particles, count_layer(field, 0.2f, settings).particles);
    const double placed = count_layer_on(field, 0.2f, settings).particles;
    EXPECT_LT(placed, 0.95 * count_layer(field, 0.2f, settings).particles);  // parts of it are too steep
    EXPECT_NEAR(count_layer_on(look, 0.2f, settings).particles, placed, 0.05 * placed);
}

INSTANTIATE_TEST_SUITE_P(, LargeHeightfield, ::testing::Bool(),
                         [](const auto& of) { return of.param ? "text" : "picture"; });

TEST(HeightfieldFiles, ATextThatGoesWrongFarDownIsAnError) {
    std::string text;
    for (int row = 0; row < 2100; ++row) {
        for (int i = 0; i < 2600; ++i) text += "1 ";
        text += row == 2050 ? "x\n" : "\n";
    }
    const std::string path = own_file("wrong.txt");
    write_text(path, text);
    EXPECT_NE(message([&] { look_at_heightfield(path, 1, 1); }).find(path + ":2051: height: 'x' is no number"),
              std::string::npos);
    text.replace(text.find('x'), 1, "1");
    write_text(path, text);
    EXPECT_NE(message([&] { look_at_heightfield(path, 1, 1); }).find("this row has 2601 heights, the first has 2600"),
              std::string::npos);
}

TEST(HeightfieldFiles, ARelaxedLayerNeedsNoMesh) {
    const Heightfield field = read_heightfield(picture("layer.png", 420, 380, 16), 0.01f, 0.5f);
    FillSettings settings;
    settings.spacing = 0.06f;
    settings.relaxed = true;
    const double placed = static_cast<double>(fill_layer(field, 0.2f, settings).position.size());
    EXPECT_NEAR(count_layer(field, 0.2f, settings).particles, placed, 0.05 * placed);
}
