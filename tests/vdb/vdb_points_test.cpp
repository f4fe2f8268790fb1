// Point grids: what we write as OpenVDB reads it, what others write, and what is damaged.

#include <gtest/gtest.h>
#include <openvdb/openvdb.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/points/PointDataGrid.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "particle_samples.h"

namespace {

using namespace firn_test;
using firn::ParticleFile;
using openvdb::points::AttributeHandle;
using openvdb::points::PointDataGrid;

TEST(VdbPoints, KeepsEveryAttributeBitExactly) {
    for (const size_t count : {size_t{1}, size_t{2}, size_t{2500}}) {
        SCOPED_TRACE(count);
        Folder folder;
        ParticleFile file = sample_particles(count, 5'000'000'000);
        if (count > 2) {
            // Positions of all sizes: a tiny one, negative zero, one on the border of a voxel, one far out.
            file.particles.position[5] = {1e-30f, -0.0f, 0.5f};
            file.particles.position[6] = {-12345.678f, 0.03125f, -0.015625f};
            file.particles.velocity[2].y = std::numeric_limits<float>::quiet_NaN();
            firn::ExtraAttribute wide;
            wide.name = "wide";
            wide.components = 2;
            for (size_t i = 0; i < 2 * count; ++i) wide.doubles.push_back(1.0 / (1.0 + static_cast<double>(i)));
            file.extra.push_back(wide);
        }
        firn::write_particles(folder / "a.vdb", file);
        ParticleFile read = firn::read_particles(folder / "a.vdb");
        expect_same_particles(file, read);
        // OpenVDB sorts attributes in its own way.
        std::map<std::string, firn::ExtraAttribute> extras;
        for (const firn::ExtraAttribute& extra : read.extra) extras[extra.name] = extra;
        for (size_t i = 0; i < file.extra.size(); ++i) read.extra[i] = extras.at(file.extra[i].name);
        expect_same_file(file, read);
        EXPECT_EQ(folder.count(), 1u);
    }
}

TEST(VdbPoints, EqualParticlesAreEqualFiles) {
    Folder folder;
    const ParticleFile file = sample_particles(2500, 0);
    for (const char* name : {"a.vdb", "b.vdb"}) firn::write_particles(folder / name, file);
    EXPECT_EQ(bytes_of(folder / "a.vdb"), bytes_of(folder / "b.vdb"));
}

TEST(VdbPoints, GroupsAreKept) {
    Folder folder;
    ParticleFile file = sample_particles(2500, 0);
    file.groups = {{"every_third", std::vector<uint8_t>(2500)}, {"none", std::vector<uint8_t>(2500)}};
    for (size_t i = 0; i < 2500; i += 3) file.groups[0].member[i] = 1;
    for (const char* name : {"a.vdb", "b.vdb"}) firn::write_particles(folder / name, file);
    EXPECT_EQ(bytes_of(folder / "a.vdb"), bytes_of(folder / "b.vdb"));
    const ParticleFile read = firn::read_particles(folder / "a.vdb");
    expect_same_particles(file, read);
    ASSERT_EQ(read.groups.size(), 2u);
    for (size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(read.groups[k].name, file.groups[k].name);
        EXPECT_EQ(read.groups[k].member, file.groups[k].member);
    }
}

TEST(VdbPoints, OrderIsKeptWithoutIds) {
    Folder folder;
    ParticleFile file;
    for (int i = 0; i < 100; ++i) file.particles.position.push_back({std::sin(i * 1.0f), std::cos(i * 3.0f), 0.1f * i});
    firn::write_particles(folder / "a.vdb", file);
    const ParticleFile read = firn::read_particles(folder / "a.vdb");
    ASSERT_EQ(read.particles.count(), 100u);
    for (size_t i = 0; i < 100; ++i) EXPECT_EQ(read.particles.position[i].x, file.particles.position[i].x);
}

TEST(VdbPoints, EmptyFileKeepsItsMetadata) {
    Folder folder;
    ParticleFile file;
    file.metadata = {{"frame", "1"}, {"name", "mine"}, {"creator", "us"}};
    firn::write_particles(folder / "a.vdb", file);
    const ParticleFile read = firn::read_particles(folder / "a.vdb");
    EXPECT_EQ(read.particles.count(), 0u);
    EXPECT_EQ(read.metadata, file.metadata);
}

TEST(VdbPoints, OpenVdbReadsWhatWeWrite) {
    Folder folder;
    const ParticleFile file = sample_particles(2500, 0);
    firn::write_particles(folder / "a.vdb", file);
    openvdb::initialize();
    openvdb::io::File input(folder / "a.vdb");
    input.open();
    const auto grid = openvdb::gridPtrCast<PointDataGrid>(input.readGrid("points"));
    ASSERT_TRUE(grid);
    EXPECT_EQ(grid->metaValue<int64_t>("frame"), 12);
    size_t points = 0;
    for (auto leaf = grid->tree().cbeginLeaf(); leaf; ++leaf) {
        const AttributeHandle<openvdb::Vec3f> position(leaf->constAttributeArray("P"));
        const AttributeHandle<openvdb::Vec3f> velocity(leaf->constAttributeArray("v"));
        const AttributeHandle<int64_t> id(leaf->constAttributeArray("id"));
        const AttributeHandle<float> strain(leaf->constAttributeArray("strain"));
        const AttributeHandle<float> radius(leaf->constAttributeArray("pscale"));
        for (auto index = leaf->beginIndexOn(); index; ++index, ++points) {
            const size_t particle = static_cast<size_t>(id.get(*index)) / 2;
            const openvdb::Vec3d world = grid->indexToWorld(index.getCoord().asVec3d() + position.get(*index));
            const firn::Float3& p = file.particles.position[particle];
            EXPECT_EQ(static_cast<float>(world.x()), p.x);
            EXPECT_EQ(static_cast<float>(world.y()), p.y);
            EXPECT_EQ(static_cast<float>(world.z()), p.z);
            EXPECT_EQ(velocity.get(*index).y(), file.particles.velocity[particle].y);
            EXPECT_EQ(strain.get(*index, 5), file.particles.strain[particle].zz);
            EXPECT_EQ(radius.get(*index), 0.015f);
        }
    }
    EXPECT_EQ(points, 2500u);
}

/// A grid as other programs write it: another codec for positions, a moved transform, a group, a density beside it.
std::string foreign_file(const Folder& folder, uint32_t compression) {
    openvdb::initialize();
    std::vector<openvdb::Vec3f> positions;
    std::vector<float> heat;
    for (int i = 0; i < 3000; ++i) {
        positions.push_back({0.01f * i, 2 + std::sin(0.1f * i), -5.0f});
        heat.push_back(0.5f * i);
    }
    const auto transform = openvdb::math::Transform::createLinearTransform(0.3);
    transform->postTranslate({0.7, 0, -3});
    const openvdb::points::PointAttributeVector<openvdb::Vec3f> wrapper(positions);
    const auto index = openvdb::tools::createPointIndexGrid<openvdb::tools::PointIndexGrid>(wrapper, *transform);
    auto grid = openvdb::points::createPointDataGrid<openvdb::points::FixedPointCodec<false>, PointDataGrid>(
        *index, wrapper, *transform);
    grid->setName("foam");
    openvdb::points::appendAttribute<float, openvdb::points::TruncateCodec>(grid->tree(), "heat");
    openvdb::points::populateAttribute(grid->tree(), index->tree(), "heat",
                                       openvdb::points::PointAttributeVector<float>(heat));
    openvdb::points::appendGroup(grid->tree(), "wet");
    const auto fog = openvdb::FloatGrid::create();
    fog->setName("density");
    fog->fill(openvdb::CoordBBox({0, 0, 0}, {20, 20, 20}), 1.0f);
    openvdb::io::File output(folder / "foreign.vdb");
    output.setCompression(compression);
    output.write({fog, grid});
    return folder / "foreign.vdb";
}

TEST(VdbPoints, WhatOtherProgramsWriteIsRead) {
    using namespace openvdb::io;
    for (const uint32_t compression : {uint32_t(COMPRESS_NONE), uint32_t(COMPRESS_ZIP | COMPRESS_ACTIVE_MASK),
                                       uint32_t(COMPRESS_BLOSC | COMPRESS_ACTIVE_MASK)}) {
        SCOPED_TRACE(compression);
        Folder folder;
        ParticleFile file = firn::read_particles(foreign_file(folder, compression));
        ASSERT_EQ(file.particles.count(), 3000u);
        ASSERT_EQ(file.extra.size(), 1u);
        EXPECT_EQ(file.extra[0].name, "heat");
        // 16 bits for a voxel of 0.3 m, which OpenVDB cuts instead of rounding: a step is 4.6e-6 m, and half a float's
        // step at 30 m 1e-6 m. Halves have 11 bits.
        double worst = 0;
        for (size_t i = 0; i < 3000; ++i) {
            const firn::Float3& p = file.particles.position[i];
            const float number = std::round(p.x / 0.01f);
            worst = std::max<double>(worst, std::abs(p.x - 0.01f * number));
            worst = std::max<double>(worst, std::abs(p.y - (2 + std::sin(0.1f * number))));
            worst = std::max<double>(worst, std::abs(p.z + 5.0f));
            EXPECT_NEAR(file.extra[0].floats[i], 0.5 * number, 0.5 * number / 2048);
        }
        EXPECT_LT(worst, 6e-6);
    }
}

TEST(VdbPoints, AFileWithoutPointsSaysWhatItHas) {
    Folder folder;
    openvdb::initialize();
    const auto fog = openvdb::FloatGrid::create();
    fog->setName("density");
    openvdb::io::File(folder / "fog.vdb").write({fog});
    const std::string error = error_of([&] { firn::read_particles(folder / "fog.vdb"); });
    EXPECT_NE(error.find("no point grid in this file, only density"), std::string::npos) << error;
}

TEST(VdbPoints, PositionsThatAreNotFiniteAreAnError) {
    Folder folder;
    ParticleFile file = sample_particles(3, 0);
    file.particles.position[1].y = std::numeric_limits<float>::infinity();
    EXPECT_NE(error_of([&] { firn::write_particles(folder / "a.vdb", file); }).find("not finite"), std::string::npos);
    EXPECT_EQ(folder.count(), 0u);
}

TEST(VdbPoints, ALineOverTenKilometresCostsWhatItCovers) {
    Folder folder;
    ParticleFile file;
    file.spacing = 0.1f;
    for (int i = 0; i < 100'000; ++i) file.particles.position.push_back({0.1f * i, 0, 0});
    firn::write_particles(folder / "line.vdb", file);
    EXPECT_LT(std::filesystem::file_size(folder / "line.vdb"), 4'000'000u);
    EXPECT_EQ(firn::read_particles(folder / "line.vdb").particles.count(), 100'000u);
}

TEST(VdbPoints, TruncatedFiles) {
    Folder folder;
    firn::write_particles(folder / "a.vdb", sample_particles(7, 0));
    const std::string bytes = bytes_of(folder / "a.vdb");
    // The header byte by byte, then steps that share no factor with what is in the nodes. Each takes a process.
    for (size_t length = 8; length < bytes.size(); length += length < 60 ? 1 : 1 + bytes.size() / 97) {
        const std::vector<char> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
        const std::string error = error_of([&] { firn::read_particles(part.data(), part.size(), "cut"); });
        ASSERT_EQ(error.compare(0, 5, "cut: "), 0) << length << " of " << bytes.size() << ": " << error;
        ASSERT_EQ(error.find('\n'), std::string::npos) << error;
    }
}

TEST(VdbPoints, DamagedFilesAreErrorsAndNeverCrashes) {
    Folder folder;
    firn::write_particles(folder / "a.vdb", sample_particles(7, 0));
    const std::string bytes = bytes_of(folder / "a.vdb");
    std::mt19937 random(5);
    size_t errors = 0;
    for (int trial = 0; trial < 300; ++trial) {
        std::string damaged = bytes;
        // Lengths stand in the header and behind the inner nodes, at the end.
        const size_t place = trial % 3 == 0   ? random() % 1500
                             : trial % 3 == 1 ? bytes.size() - 1 - random() % 3000
                                              : random() % bytes.size();
        damaged[place] = static_cast<char>(random());
        try {
            firn::read_particles(damaged.data(), damaged.size(), "damaged");
        } catch (const firn::Error& error) {
            ++errors;
            EXPECT_EQ(std::string(error.what()).rfind("damaged: ", 0), 0u) << error.what();
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
        }
    }
    EXPECT_GT(errors, 30u);
}

}  // namespace
