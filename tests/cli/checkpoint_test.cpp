// Checkpoints: everything comes back, and nothing damaged gets through.

#include "checkpoint.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "firn/error.h"

namespace {

namespace fs = std::filesystem;

class CheckpointFile : public ::testing::Test {
protected:
    void SetUp() override {
        const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
        folder_ = fs::temp_directory_path() / ("firn_" + name + "_" + std::to_string(::getpid()));
        fs::create_directories(folder_);
        path_ = (folder_ / "a.firn").string();
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string bytes() const {
        std::ifstream in(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    fs::path folder_;
    std::string path_;
};

firn::Checkpoint sample(size_t count) {
    firn::Checkpoint c;
    c.version = "1.2.3";
    c.device = "cpu";
    c.physics = "a = 1\nb = 2\n";
    c.frame = -7;
    c.into = {0.0123, 45};
    c.next_id = 1LL << 40;
    c.spacing = 0.025f;
    std::mt19937 random(1);
    std::uniform_real_distribution<float> value(-10, 10);
    for (const firn::ParticleArray& array : firn::particle_arrays()) {
        if (std::strcmp(array.name, "theta_s") == 0) continue;  // one that is empty
        array.resize(c.particles, count);
        if (array.components == 0) {
            for (size_t i = 0; i < count; ++i) c.particles.id[i] = static_cast<int64_t>(3 * i);
        } else {
            float* data = array.data(c.particles);
            for (size_t i = 0; i < count * static_cast<size_t>(array.components); ++i) data[i] = value(random);
        }
    }
    return c;
}

TEST_F(CheckpointFile, EverythingComesBack) {
    for (const size_t count : {size_t(0), size_t(1), size_t(1001)}) {
        firn::Checkpoint a = sample(count);
        firn::write_checkpoint(path_, a);
        firn::Checkpoint b = firn::read_checkpoint(path_);
        EXPECT_EQ(b.version, a.version);
        EXPECT_EQ(b.device, a.device);
        EXPECT_EQ(b.physics, a.physics);
        EXPECT_EQ(b.frame, a.frame);
        EXPECT_EQ(b.into.time, a.into.time);
        EXPECT_EQ(b.into.substeps, a.into.substeps);
        EXPECT_EQ(b.next_id, a.next_id);
        EXPECT_EQ(b.spacing, a.spacing);
        EXPECT_EQ(b.particles.id, a.particles.id);
        for (const firn::ParticleArray& array : firn::particle_arrays()) {
            ASSERT_EQ(array.size(b.particles), array.size(a.particles)) << array.name;
            const size_t size = array.size(a.particles) * static_cast<size_t>(array.components) * sizeof(float);
            if (size > 0) {
                EXPECT_EQ(std::memcmp(array.data(a.particles), array.data(b.particles), size), 0) << array.name;
            }
        }
    }
}

TEST_F(CheckpointFile, CutAnywhereItIsRefused) {
    firn::write_checkpoint(path_, sample(5));
    const std::string whole = bytes();
    ASSERT_NO_THROW(firn::parse_checkpoint(whole.data(), whole.size(), "x"));
    for (size_t size = 0; size < whole.size(); ++size)
        EXPECT_THROW(firn::parse_checkpoint(whole.data(), size, "x"), firn::Error) << size;
}

TEST_F(CheckpointFile, EachChangedByteIsNoticed) {
    firn::write_checkpoint(path_, sample(5));
    std::string whole = bytes();
    for (size_t at = 0; at < whole.size(); ++at) {
        whole[at] = static_cast<char>(whole[at] ^ 0x10);
        EXPECT_THROW(firn::parse_checkpoint(whole.data(), whole.size(), "x"), firn::Error) << at;
        whole[at] = static_cast<char>(whole[at] ^ 0x10);
    }
}

TEST_F(CheckpointFile, ForeignFilesAreNamed) {
    std::ofstream(path_) << "hello";
    try {
        firn::read_checkpoint(path_);
        FAIL();
    } catch (const firn::Error& error) {
        EXPECT_NE(std::string(error.what()).find("no checkpoint"), std::string::npos);
        EXPECT_EQ(std::string(error.what()).rfind(path_, 0), 0u);
    }
    EXPECT_THROW(firn::read_checkpoint((folder_ / "none").string()), firn::Error);
}

TEST_F(CheckpointFile, AFailedWriteLeavesTheOldOne) {
    firn::write_checkpoint(path_, sample(3));
    const std::string before = bytes();
    fs::create_directories(folder_ / "dir.firn" / "in_the_way");
    EXPECT_THROW(firn::write_checkpoint((folder_ / "dir.firn").string(), sample(3)), firn::Error);
    EXPECT_EQ(bytes(), before);
    size_t files = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) files += entry.is_regular_file();
    EXPECT_EQ(files, 1u) << "no temporary file stays";
}

}  // namespace
