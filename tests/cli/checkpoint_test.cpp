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
        path_ = (folder_ / "a.bgeo").string();
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
    c.arithmetic = "cpu:8";
    c.physics = "a = 1\nb = 2\n";
    c.frame = -7;
    c.into = {0.0123, 45};
    c.begun = "{\"frame\":-6,\"substeps\":45}";
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

/// Every value, bit for bit.
void expect_same(firn::Checkpoint a, firn::Checkpoint b, const std::string& about = "") {
    EXPECT_EQ(b.version, a.version) << about;
    EXPECT_EQ(b.arithmetic, a.arithmetic) << about;
    EXPECT_EQ(b.physics, a.physics) << about;
    EXPECT_EQ(b.frame, a.frame) << about;
    EXPECT_EQ(b.into.time, a.into.time) << about;
    EXPECT_EQ(b.into.substeps, a.into.substeps) << about;
    EXPECT_EQ(b.begun, a.begun) << about;
    EXPECT_EQ(b.next_id, a.next_id) << about;
    EXPECT_EQ(b.spacing, a.spacing) << about;
    EXPECT_EQ(b.particles.id, a.particles.id) << about;
    for (const firn::ParticleArray& array : firn::particle_arrays()) {
        ASSERT_EQ(array.size(b.particles), array.size(a.particles)) << array.name << about;
        const size_t size = array.size(a.particles) * static_cast<size_t>(array.components) * sizeof(float);
        if (size > 0) {
            EXPECT_EQ(std::memcmp(array.data(a.particles), array.data(b.particles), size), 0) << array.name << about;
        }
    }
}

TEST_F(CheckpointFile, EverythingComesBack) {
    for (const size_t count : {size_t(0), size_t(1), size_t(1001), size_t(3000)}) {
        firn::Checkpoint a = sample(count);
        // Pages of one value are stored once, and no bit of a float may be lost on the way.
        for (float& value : a.particles.rest_density) value = 0.1f;
        const uint32_t strange[] = {0x7fc12345u, 0xff800000u, 0x80000000u, 1u};
        for (size_t i = 0; i < std::min<size_t>(count, 4); ++i) std::memcpy(&a.particles.pressure[i], &strange[i], 4);
        firn::write_checkpoint(path_, a);
        ASSERT_EQ(a.particles.count(), count) << "the particles are only lent";
        expect_same(a, firn::read_checkpoint(path_));
    }
}

TEST_F(CheckpointFile, IsAParticleFile) {
    firn::Checkpoint a = sample(50);
    firn::write_checkpoint(path_, a);
    const firn::ParticleFile file = firn::read_particles(path_);
    EXPECT_TRUE(firn::is_checkpoint(file));
    EXPECT_EQ(file.particles.count(), 50u);
    EXPECT_EQ(file.spacing, 0.025f);
    firn::write_particles(path_, {a.particles, 0.025f, {}, {}});
    EXPECT_FALSE(firn::is_checkpoint(firn::read_particles(path_)));
    try {
        firn::read_checkpoint(path_);
        FAIL();
    } catch (const firn::Error& error) {
        EXPECT_NE(std::string(error.what()).find("no checkpoint"), std::string::npos) << error.what();
    }
}

TEST_F(CheckpointFile, CutAnywhereItIsRefused) {
    firn::Checkpoint a = sample(5);
    firn::write_checkpoint(path_, a);
    const std::string whole = bytes();
    ASSERT_NO_THROW(firn::parse_checkpoint(whole.data(), whole.size(), "x"));
    for (size_t size = 0; size < whole.size(); ++size)
        EXPECT_THROW(firn::parse_checkpoint(whole.data(), size, "x"), firn::Error) << size;
}

TEST_F(CheckpointFile, NoDamageChangesAValue) {
    firn::Checkpoint a = sample(5);
    firn::write_checkpoint(path_, a);
    std::string whole = bytes();
    size_t refused = 0;
    for (size_t at = 0; at < whole.size(); ++at) {
        for (const int flip : {0x01, 0x10, 0xff}) {
            const char kept = whole[at];
            whole[at] = static_cast<char>(whole[at] ^ flip);
            try {
                // A byte that says nothing about the state, as of the bounds that viewers use, may change.
                expect_same(a, firn::parse_checkpoint(whole.data(), whole.size(), "x"), " byte " + std::to_string(at));
            } catch (const firn::Error& error) {
                ++refused;
                EXPECT_EQ(std::string(error.what()).rfind("x: ", 0), 0u) << error.what();
            }
            whole[at] = kept;
        }
    }
    EXPECT_GT(refused, whole.size());
}

TEST_F(CheckpointFile, TheFormerFormatIsNamed) {
    std::ofstream(path_) << "FIRNCHK1" << std::string(100, '\0');
    try {
        firn::read_checkpoint(path_);
        FAIL();
    } catch (const firn::Error& error) {
        EXPECT_NE(std::string(error.what()).find("former format"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("--force"), std::string::npos) << error.what();
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

TEST_F(CheckpointFile, AFolderIsNamed) {
    fs::create_directories(folder_ / "a_folder.bgeo");
    try {
        firn::read_checkpoint((folder_ / "a_folder.bgeo").string());
        FAIL();
    } catch (const firn::Error& error) {
        EXPECT_NE(std::string(error.what()).find("is a folder"), std::string::npos) << error.what();
    }
}

TEST_F(CheckpointFile, AFailedWriteLeavesTheOldOne) {
    firn::Checkpoint a = sample(3);
    firn::write_checkpoint(path_, a);
    const std::string before = bytes();
    fs::create_directories(folder_ / "dir.bgeo" / "in_the_way");
    EXPECT_THROW(firn::write_checkpoint((folder_ / "dir.bgeo").string(), a), firn::Error);
    EXPECT_EQ(bytes(), before);
    size_t files = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) files += entry.is_regular_file();
    EXPECT_EQ(files, 1u) << "no temporary file stays";
}

}  // namespace
