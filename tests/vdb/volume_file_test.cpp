#include "firn/volume_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "firn/error.h"
#include "vdb/snow_shapes.h"

namespace {

using firn::describe_vdb;
using firn::Error;
using firn::FrameStamp;
using firn::Particles;
using firn::VolumeSettings;
using firn::VolumeStatistics;
using firn::write_volumes;

/// A folder that goes with the test.
struct Folder {
    Folder() {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        path = std::filesystem::temp_directory_path() /
               (std::string("firn_") + test->test_suite_name() + "_" + test->name() + "_" + std::to_string(::getpid()));
        std::filesystem::create_directories(path);
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string file(const char* name) const { return (path / name).string(); }
    size_t files() const {
        return size_t(std::distance(std::filesystem::directory_iterator(path), std::filesystem::directory_iterator()));
    }
    std::filesystem::path path;
};

std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

Particles moving_ball() {
    Particles particles = firn_test::ball(0.5f, 0.1f);
    for (size_t k = 0; k < particles.count(); ++k) {
        particles.velocity.push_back({1, 2, 3});
        particles.compaction.push_back(1.5f);
        particles.pressure.push_back(2e5f);
        particles.strain.push_back({0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f});
    }
    return particles;
}

VolumeSettings everything() {
    VolumeSettings settings;
    settings.spacing = 0.1f;
    settings.masked_density = true;
    settings.attributes = {"compaction", "pressure", "strain", "acceleration"};
    return settings;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(VolumeFile, TellsWhatItWrote) {
    const Folder folder;
    const Particles particles = moving_ball();
    const std::string path = folder.file("snow.0007.vdb");
    const std::vector<VolumeStatistics> statistics =
        write_volumes(path, particles, everything(), FrameStamp{7, 0.25, 24});
    ASSERT_EQ(statistics.size(), 13u);
    EXPECT_EQ(statistics[0].name, "density");
    EXPECT_NEAR(statistics[0].integral, 0.4 * double(particles.count()), 1e-3 * 0.4 * double(particles.count()));
    EXPECT_GT(statistics[0].active_voxels, 4000u);
    EXPECT_EQ(folder.files(), 1u);

    const std::string text = describe_vdb(path);
    EXPECT_TRUE(has(text, "13 grids")) << text;
    EXPECT_TRUE(has(text, "density: float, fog volume, half floats")) << text;
    EXPECT_TRUE(has(text, "surface: float, level set, half floats")) << text;
    EXPECT_TRUE(has(text, "vel: vec3s, unknown, half floats")) << text;
    // 3.74 m/s, the length of (1, 2, 3).
    EXPECT_TRUE(has(text, "lengths 3.74")) << text;
    EXPECT_TRUE(has(text, "compaction: float, fog volume, half floats")) << text;
    // Past the range of half floats.
    EXPECT_TRUE(has(text, "pressure: float, fog volume\n")) << text;
    EXPECT_TRUE(has(text, "values 200000 to 200000\n")) << text;
    for (const char* name : {"strain_xx", "strain_xy", "strain_xz", "strain_yy", "strain_yz", "strain_zz"}) {
        EXPECT_TRUE(has(text, name)) << text;
    }
    EXPECT_TRUE(has(text, "voxels of 0.05 m")) << text;
    EXPECT_TRUE(has(text, "frame 7")) << text;
    EXPECT_TRUE(has(text, "mass 206.00")) << text;
}

TEST(VolumeFile, IsTheSameFileOnOneAndTwoThreads) {
    const Folder folder;
    VolumeSettings settings = everything();
    settings.threads = 1;
    write_volumes(folder.file("one.vdb"), moving_ball(), settings, {});
    settings.threads = 2;
    write_volumes(folder.file("two.vdb"), moving_ball(), settings, {});
    EXPECT_EQ(contents(folder.file("one.vdb")), contents(folder.file("two.vdb")));
    write_volumes(folder.file("other.vdb"), moving_ball(), settings, FrameStamp{2, 0, 24});
    EXPECT_NE(contents(folder.file("one.vdb")).substr(21, 36), contents(folder.file("other.vdb")).substr(21, 36));
}

TEST(VolumeFile, CompressionAndHalfFloatsMakeItSmaller) {
    const Folder folder;
    VolumeSettings settings;
    settings.spacing = 0.1f;
    const auto size = [&](bool half, VolumeSettings::Compression compression) {
        settings.half_float = half;
        settings.compression = compression;
        write_volumes(folder.file("size.vdb"), moving_ball(), settings, {});
        EXPECT_TRUE(has(describe_vdb(folder.file("size.vdb")), "density: float, fog volume"));
        return std::filesystem::file_size(folder.file("size.vdb"));
    };
    const auto whole = size(false, VolumeSettings::Compression::none);
    const auto half = size(true, VolumeSettings::Compression::none);
    // Half of the values' bytes; the tree itself stays as it is.
    EXPECT_LT(half, whole * 0.8);
    EXPECT_LT(size(false, VolumeSettings::Compression::blosc), whole);
    EXPECT_LT(size(true, VolumeSettings::Compression::zip), half);
    EXPECT_LT(size(true, VolumeSettings::Compression::blosc), half);
}

TEST(VolumeFile, NothingIsAValidFile) {
    const Folder folder;
    write_volumes(folder.file("empty.vdb"), Particles(), everything(), {});
    const std::string text = describe_vdb(folder.file("empty.vdb"));
    EXPECT_TRUE(has(text, "13 grids")) << text;
    EXPECT_TRUE(has(text, " 0 active")) << text;
}

TEST(VolumeFile, MistakesLeaveNothingBehind) {
    const Folder folder;
    VolumeSettings settings = everything();
    settings.attributes = {"temprature"};
    try {
        write_volumes(folder.file("a.vdb"), moving_ball(), settings, {});
        FAIL();
    } catch (const Error& error) {
        EXPECT_TRUE(has(error.what(), "temprature")) << error.what();
        EXPECT_TRUE(has(error.what(), "compaction")) << error.what();
    }
    settings = everything();
    int asked = 0;
    EXPECT_THROW(write_volumes(folder.file("a.vdb"), moving_ball(), settings, {}, [&] { return ++asked > 20; }), Error);
    EXPECT_EQ(folder.files(), 0u);
    // A folder where the file should be.
    std::filesystem::create_directories(folder.path / "taken.vdb" / "inside");
    EXPECT_THROW(write_volumes(folder.file("taken.vdb"), moving_ball(), settings, {}), Error);
    EXPECT_EQ(folder.files(), 1u);
    EXPECT_THROW(write_volumes("/proc/firn/a.vdb", moving_ball(), settings, {}), Error);
}

TEST(VolumeFile, ForeignAndTruncatedFilesAreErrors) {
    const Folder folder;
    const std::string path = folder.file("snow.vdb");
    VolumeSettings settings = everything();
    write_volumes(path, moving_ball(), settings, {});
    const std::string whole = contents(path);
    const std::string cut = folder.file("cut.vdb");
    const auto refused = [&] {
        try {
            describe_vdb(cut);
        } catch (const Error& error) {
            EXPECT_TRUE(has(error.what(), "cut.vdb: ")) << error.what();
            EXPECT_FALSE(has(error.what(), "\n")) << error.what();
            return true;
        }
        return false;
    };
    for (size_t length = 0; length < whole.size(); length += length < 2000 ? 97 : whole.size() / 23) {
        write(cut, whole.substr(0, length));
        EXPECT_TRUE(refused()) << length << " of " << whole.size() << " bytes";
    }
    write(cut, "# a text\nthat is no volume, but long enough to hold a header and more\n");
    EXPECT_TRUE(refused());
    std::filesystem::remove(cut);
    EXPECT_TRUE(refused());
    std::filesystem::create_directory(cut);
    EXPECT_TRUE(refused());
}

TEST(VolumeFile, AFileThatAsksForAllMemoryIsRefused) {
    const Folder folder;
    const std::string path = folder.file("greedy.vdb");
    VolumeSettings settings;
    settings.spacing = 0.1f;
    settings.surface = false;
    write_volumes(path, firn_test::ball(0.2f, 0.1f), settings, {});
    std::string bytes = contents(path);
    // Behind magic, versions, flag and stamp comes the number of facts, and the length of the first one's name.
    constexpr size_t length_at = 8 + 3 * 4 + 1 + 36 + 4;
    ASSERT_LT(static_cast<unsigned char>(bytes[length_at]), 100);
    bytes.replace(length_at, 4, std::string("\0\0\0\xf0", 4));  // 4 GB
    write(path, bytes);
    try {
        describe_vdb(path);
        FAIL() << "no error";
    } catch (const Error& error) {
#ifdef __SANITIZE_ADDRESS__
        // Its allocator ends the reading process where the program's own throws.
        EXPECT_TRUE(has(error.what(), "damaged")) << error.what();
#else
        EXPECT_TRUE(has(error.what(), "memory")) << error.what();
#endif
    }
}

TEST(VolumeFile, DamagedFilesNeverCrash) {
    const Folder folder;
    const std::string path = folder.file("snow.vdb"), damaged = folder.file("damaged.vdb");
    std::mt19937 random(5);
    int errors = 0;
    for (const auto compression : {VolumeSettings::Compression::none, VolumeSettings::Compression::blosc}) {
        VolumeSettings settings;
        settings.spacing = 0.1f;
        settings.surface = false;
        settings.compression = compression;
        write_volumes(path, firn_test::ball(0.2f, 0.1f), settings, {});
        const std::string whole = contents(path);
        for (int trial = 0; trial < 20; ++trial) {
            std::string bytes = whole;
            // The start has the lengths and the tree; most damage goes there.
            const size_t range = trial % 2 ? bytes.size() : std::min<size_t>(bytes.size(), 2500);
            for (int k = 0; k < 1 + trial % 3; ++k) bytes[random() % range] = static_cast<char>(random());
            write(damaged, bytes);
            try {
                describe_vdb(damaged);
            } catch (const Error&) {
                ++errors;
            }
        }
    }
    EXPECT_GT(errors, 5);
}

TEST(VolumeFile, KnowsWholeFilesAndTheirSettings) {
    const Folder folder;
    const std::string path = folder.file("snow.0007.vdb");
    const Particles particles = moving_ball();
    VolumeSettings settings;
    settings.spacing = 0.1f;
    const FrameStamp stamp{7, 0.25, 24};
    EXPECT_FALSE(firn::volumes_are_whole(path, settings, stamp));
    write_volumes(path, particles, settings, stamp);
    EXPECT_TRUE(firn::volumes_are_whole(path, settings, stamp));

    VolumeSettings other = settings;
    other.threads = 1;  // makes the same file
    EXPECT_TRUE(firn::volumes_are_whole(path, other, stamp));
    other.voxel = 0.06f;
    EXPECT_FALSE(firn::volumes_are_whole(path, other, stamp));
    other = settings;
    other.attributes = {"compaction"};
    EXPECT_FALSE(firn::volumes_are_whole(path, other, stamp));
    EXPECT_FALSE(firn::volumes_are_whole(path, settings, {8, 0.25, 24}));

    // Every cut and every changed byte is found.
    const std::string bytes = contents(path);
    for (const size_t size : {size_t(0), size_t(10), size_t(57), bytes.size() / 2, bytes.size() - 1}) {
        write(path, bytes.substr(0, size));
        EXPECT_FALSE(firn::volumes_are_whole(path, settings, stamp)) << size;
    }
    std::mt19937 random(7);
    for (int k = 0; k < 200; ++k) {
        std::string changed = bytes;
        const size_t at = 21 + random() % (bytes.size() - 21);  // the versions before the stamp are not in it
        changed[at] = static_cast<char>(changed[at] ^ (1 + random() % 255));
        write(path, changed);
        EXPECT_FALSE(firn::volumes_are_whole(path, settings, stamp)) << at;
    }
    write(path, bytes);
    EXPECT_TRUE(firn::volumes_are_whole(path, settings, stamp));
}

}  // namespace
