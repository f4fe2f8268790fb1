#include "picture.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "caption.h"
#include "firn/error.h"
#include "temporary_folder.h"
#include "video.h"

namespace firn {
namespace {

Picture pattern(int width, int height, int seed = 0) {
    Picture picture(width, height);
    for (size_t i = 0; i < picture.rgb.size(); ++i)
        picture.rgb[i] = static_cast<uint8_t>((i * 37 + static_cast<size_t>(seed) * 91) % 251);
    return picture;
}

TEST(Picture, PngKeepsEveryPixel) {
    const TemporaryFolder folder;
    const Picture picture = pattern(31, 17);
    write_png(folder.file("new/a.png"), picture);  // makes the folder
    const Picture back = read_png(folder.file("new/a.png"));
    EXPECT_EQ(back.width, 31);
    EXPECT_EQ(back.height, 17);
    EXPECT_EQ(back.rgb, picture.rgb);
    EXPECT_EQ(png_bytes(picture), read_text(folder.file("new/a.png")));
}

TEST(Picture, NothingIsLeftWhereItCantBeWritten) {
    const TemporaryFolder folder;
    write_text(folder.file("file"), "x");
    EXPECT_THROW(write_png(folder.file("file/a.png"), pattern(4, 4)), Error);
    std::filesystem::create_directory(folder.file("taken.png"));
    EXPECT_THROW(write_png(folder.file("taken.png"), pattern(4, 4)), Error);
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) count += entry.exists();
    EXPECT_EQ(count, 2u);
}

TEST(Picture, ForeignAndCutFilesAreErrors) {
    const TemporaryFolder folder;
    const std::string whole = png_bytes(pattern(40, 30));
    for (const size_t length : {size_t{0}, size_t{4}, size_t{20}, size_t{60}, whole.size() / 2}) {
        write_text(folder.file("cut.png"), whole.substr(0, length));
        EXPECT_THROW(read_png(folder.file("cut.png")), Error) << length;
    }
    write_text(folder.file("text.png"), "no picture at all");
    EXPECT_THROW(read_png(folder.file("text.png")), Error);
    EXPECT_THROW(read_png(folder.file("missing.png")), Error);
    std::string vast = whole;  // a header that claims two thousand million pixels each way
    vast.replace(16, 8, std::string("\x7f\xff\xff\xff\x7f\xff\xff\xff", 8));
    write_text(folder.file("vast.png"), vast);
    EXPECT_THROW(read_png(folder.file("vast.png")), Error);
}

TEST(Picture, ShrinkTakesTheMean) {
    Picture picture(4, 2);
    const int red[8] = {10, 20, 200, 100, 30, 40, 0, 100};
    for (int i = 0; i < 8; ++i) picture.pixel(i % 4, i / 4)[0] = static_cast<uint8_t>(red[i]);
    const Picture small = shrink(picture, 2);
    EXPECT_EQ(small.width, 2);
    EXPECT_EQ(small.height, 1);
    EXPECT_EQ(small.pixel(0, 0)[0], 25);
    EXPECT_EQ(small.pixel(1, 0)[0], 100);
}

TEST(Picture, ContactSheetPutsPicturesInRows) {
    const std::vector<Picture> pictures = {pattern(10, 6, 1), pattern(10, 6, 2), pattern(10, 6, 3)};
    const Picture sheet = contact_sheet(pictures, 2);
    EXPECT_EQ(sheet.width, 2 * 10 + 4);
    EXPECT_EQ(sheet.height, 2 * 6 + 4);
    for (int n = 0; n < 3; ++n)
        for (int y = 0; y < 6; ++y)
            for (int x = 0; x < 10; ++x)
                ASSERT_EQ(sheet.pixel(n % 2 * 14 + x, n / 2 * 10 + y)[1],
                          pictures[static_cast<size_t>(n)].pixel(x, y)[1]);
    EXPECT_EQ(sheet.pixel(20, 14)[0], 255);  // where a fourth would be
    EXPECT_EQ(contact_sheet({pictures[0]}, 4).width, 10);
    EXPECT_EQ(contact_sheet({}, 4).width, 0);
    EXPECT_THROW(contact_sheet({pattern(4, 4), pattern(4, 5)}, 2), Error);
}

TEST(Caption, DrawsInsideThePictureOnly) {
    for (const int width : {1, 7, 40, 400}) {
        Picture picture(width, width);
        draw_caption(picture, "frame 0123  \xc3\xa4 {}");
    }
    // "l" is one upright stroke with feet: light pixels in one place, and none elsewhere.
    Picture one(60, 60), other(60, 60);
    draw_caption(one, "1");
    draw_caption(other, "2");
    EXPECT_NE(one.rgb, other.rgb);
    int light = 0;
    for (const uint8_t value : one.rgb) light += value > 200;
    EXPECT_EQ(light, 3 * (1 + 2 + 4 + 3));
    EXPECT_EQ(one.pixel(59, 0)[0], 0);
}

TEST(Video, NeedsFfmpegAndSaysSo) {
    const TemporaryFolder folder;
    write_png(folder.file("1.png"), pattern(33, 17));
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", folder.path().c_str(), 1);
    const std::string reason = write_video(folder.file("a.mp4"), {folder.file("1.png")}, 24);
    ::setenv("PATH", path.c_str(), 1);
    EXPECT_NE(reason.find("ffmpeg is not installed"), std::string::npos) << reason;
    EXPECT_FALSE(std::filesystem::exists(folder.file("a.mp4")));
}

TEST(Video, AProgramThatFailsOrEndsEarlyIsSaid) {
    const TemporaryFolder folder;
    write_png(folder.file("1.png"), pattern(640, 360));  // more than a pipe holds
    write_text(folder.file("ffmpeg"), "#!/bin/sh\nexit 3\n");
    std::filesystem::permissions(folder.file("ffmpeg"), std::filesystem::perms::owner_all);
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", (folder.path() + ":" + path).c_str(), 1);
    const std::string reason = write_video(folder.file("a.mp4"), {folder.file("1.png"), folder.file("1.png")}, 24);
    ::setenv("PATH", path.c_str(), 1);
    EXPECT_NE(reason.find("failed"), std::string::npos) << reason;
    EXPECT_FALSE(std::filesystem::exists(folder.file("a.mp4")));
}

TEST(Video, HoldsEveryFrame) {
    if (std::system("ffmpeg -version >/dev/null 2>&1") != 0) GTEST_SKIP() << "ffmpeg is not installed";
    const TemporaryFolder folder;
    std::vector<std::string> names;
    for (int n = 0; n < 5; ++n) {  // an odd size, a name that a shell would trip over
        names.push_back(folder.file("it's $(n) " + std::to_string(n) + ".png"));
        write_png(names.back(), pattern(65, 37, n));
    }
    const std::string video = folder.file("a 'b' $c.mp4");
    EXPECT_EQ(write_video(video, names, 24), "");
    EXPECT_EQ(read_text(video).substr(4, 4), "ftyp");
    std::filesystem::rename(video, folder.file("a.mp4"));
    if (std::system("ffprobe -version >/dev/null 2>&1") != 0) return;
    const std::string count = "ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 " +
                              folder.file("a.mp4") + " >" + folder.file("count");
    ASSERT_EQ(std::system(count.c_str()), 0);
    EXPECT_EQ(read_text(folder.file("count")).substr(0, 1), "5");
}

}  // namespace
}  // namespace firn
