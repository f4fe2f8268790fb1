#pragma once

// What the tests of particle files share: particles with every attribute, and comparison bit for bit.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "firn/error.h"
#include "firn/particle_file.h"

namespace firn_test {

/// A folder of its own for each test, removed afterwards.
class Folder {
public:
    Folder() {
        const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
        path_ = std::filesystem::temp_directory_path() / (std::string("firn_") + info->test_suite_name() + "_" +
                                                          info->name() + "_" + std::to_string(::getpid()));
        std::filesystem::create_directories(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    std::string path() const { return path_.string(); }
    size_t count() const {
        return static_cast<size_t>(
            std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
    }

private:
    std::filesystem::path path_;
};

inline std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

/// The text of the Error that `call` throws; empty when it throws none.
template <typename Call>
std::string error_of(Call call) {
    try {
        call();
    } catch (const firn::Error& error) {
        return error.what();
    }
    return "";
}

/// Every array filled with numbers that share no pattern, among them -0 and denormals; `first_id` is the first id.
inline firn::ParticleFile sample_particles(size_t count, int64_t first_id, bool odd_numbers = true) {
    firn::ParticleFile file;
    std::mt19937 random(7);
    std::uniform_real_distribution<float> number(-3.0f, 3.0f);
    for (const firn::ParticleArray& array : firn::particle_arrays()) {
        array.resize(file.particles, count);
        float* data = array.data(file.particles);
        for (size_t i = 0; data && i < count * static_cast<size_t>(array.components); ++i) data[i] = number(random);
        if (data && odd_numbers && count > 4) {
            data[1] = -0.0f;
            data[2] = 1e-42f;
            data[3] = 0.0f;
        }
    }
    for (size_t i = 0; i < count; ++i) file.particles.id[i] = first_id + static_cast<int64_t>(2 * i);
    std::fill(file.particles.hardening.begin(), file.particles.hardening.end(), 10.0f);
    file.spacing = 0.03f;

    firn::ExtraAttribute colour;
    colour.name = "Cd";
    colour.components = 3;
    colour.meaning = "color";
    colour.floats.resize(3 * count);
    firn::ExtraAttribute source;
    source.name = "sourceptnum";
    source.integer_bits = 32;
    source.integers.resize(count);
    firn::ExtraAttribute path;
    path.name = "path";
    path.strings = {"/obj/wall", "two\nlines \\ \"quoted\"", "Schnee \xc3\xa4"};
    path.integer_bits = 32;
    path.integers.resize(count);
    for (size_t i = 0; i < count; ++i) {
        for (size_t c = 0; c < 3; ++c) colour.floats[3 * i + c] = number(random);
        source.integers[i] = static_cast<int64_t>(i * 7919 % 1000) - 500;
        path.integers[i] = static_cast<int64_t>(i % 4) - 1;
    }
    file.extra = {colour, source, path};
    file.metadata = {{"frame", "12"},        {"time", "0.041666666666666664"},
                     {"fps", "24.5"},        {"material", "wet \"snow\""},
                     {"seed", "9000000000"}, {"code", "007"},
                     {"empty", ""}};
    return file;
}

template <typename T>
::testing::AssertionResult same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << " values against " << b.size();
    for (size_t i = 0; i < a.size(); ++i)
        if (std::memcmp(&a[i], &b[i], sizeof(T)) != 0)
            return ::testing::AssertionFailure() << "value " << i << ": " << ::testing::PrintToString(a[i])
                                                 << " against " << ::testing::PrintToString(b[i]);
    return ::testing::AssertionSuccess();
}

inline void expect_same_particles(const firn::ParticleFile& a, const firn::ParticleFile& b) {
    firn::ParticleFile left = a, right = b;
    ASSERT_EQ(left.particles.count(), right.particles.count());
    for (const firn::ParticleArray& array : firn::particle_arrays()) {
        SCOPED_TRACE(array.name);
        ASSERT_EQ(array.size(left.particles), array.size(right.particles));
        if (array.size(left.particles) == 0 || array.components == 0) continue;
        const size_t size = array.size(left.particles) * static_cast<size_t>(array.components);
        const float* x = array.data(left.particles);
        const float* y = array.data(right.particles);
        EXPECT_TRUE(same_bits(std::vector<float>(x, x + size), std::vector<float>(y, y + size)));
    }
    EXPECT_EQ(left.particles.id, right.particles.id);
    EXPECT_EQ(left.spacing, right.spacing);
    EXPECT_EQ(left.metadata, right.metadata);
}

inline void expect_same_file(const firn::ParticleFile& a, const firn::ParticleFile& b) {
    expect_same_particles(a, b);
    ASSERT_EQ(a.extra.size(), b.extra.size());
    for (size_t i = 0; i < a.extra.size(); ++i) {
        SCOPED_TRACE(a.extra[i].name);
        EXPECT_EQ(a.extra[i].name, b.extra[i].name);
        EXPECT_EQ(a.extra[i].components, b.extra[i].components);
        EXPECT_EQ(a.extra[i].meaning, b.extra[i].meaning);
        EXPECT_EQ(a.extra[i].strings, b.extra[i].strings);
        EXPECT_EQ(a.extra[i].integers, b.extra[i].integers);
        EXPECT_EQ(a.extra[i].integer_bits, b.extra[i].integer_bits);
        EXPECT_TRUE(same_bits(a.extra[i].floats, b.extra[i].floats));
        EXPECT_TRUE(same_bits(a.extra[i].doubles, b.extra[i].doubles));
    }
}

/// Reads `bytes`; whatever they are, the answer is particles or an Error that names the place.
inline void expect_particles_or_error(const std::string& bytes, const std::string& what) {
    try {
        firn::read_particles(bytes.data(), bytes.size(), "damaged");
    } catch (const firn::Error& error) {
        const std::string text = error.what();
        EXPECT_EQ(text.compare(0, 8, "damaged:"), 0) << what << ": " << text;
        EXPECT_EQ(text.find('\n'), std::string::npos) << what << ": " << text;
    }
}

/// No prefix of a file is a file: each gives an Error that says where it ends.
inline void expect_every_prefix_fails(const std::string& bytes, size_t allowed_tail = 0) {
    for (size_t length = 0; length + allowed_tail < bytes.size(); ++length) {
        // A copy of just that length: reading past it is seen by ASan.
        const std::vector<char> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
        const std::string error = error_of([&] { firn::read_particles(part.data(), part.size(), "cut"); });
        ASSERT_FALSE(error.empty()) << length << " of " << bytes.size() << " bytes were read as a whole file";
        if (length > 0) {
            ASSERT_NE(error.find("cut: byte "), std::string::npos) << length << ": " << error;
        }
    }
}

inline void expect_no_crash_with_flipped_bits(const std::string& bytes) {
    for (size_t i = 0; i < bytes.size(); ++i) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i * 3 % 8)));
        expect_particles_or_error(damaged, "byte " + std::to_string(i));
    }
}

}  // namespace firn_test
