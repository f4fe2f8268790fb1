// Volumes as shapes: spheres written by OpenVDB, filled and sampled. Grids are filled by hand: OpenVDB's tools would
// take minutes to compile.

#include <gtest/gtest.h>
#include <openvdb/openvdb.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "firn/collider.h"
#include "firn/error.h"
#include "firn/samples.h"
#include "own_file.h"
#include "shape_measures.h"

using namespace firn;

namespace {

/// A sphere of half a metre about (1, 2, 3): its distance, or a fog that falls from 2 to 0 across the surface.
openvdb::FloatGrid::Ptr sphere_grid(const char* name, bool fog) {
    const double voxel = 0.025;
    const auto grid = openvdb::FloatGrid::create(fog ? 0.0f : 0.1f);
    grid->setTransform(openvdb::math::Transform::createLinearTransform(voxel));
    grid->setName(name);
    grid->setGridClass(fog ? openvdb::GRID_FOG_VOLUME : openvdb::GRID_LEVEL_SET);
    auto values = grid->getAccessor();
    for (int i = 16; i <= 64; ++i) {
        for (int j = 56; j <= 104; ++j) {
            for (int k = 96; k <= 144; ++k) {
                const double distance =
                    radius({float(i * voxel - 1), float(j * voxel - 2), float(k * voxel - 3)}) - 0.5;
                const float value = static_cast<float>(fog ? std::min(std::max(1 - distance / (3 * voxel), 0.0), 2.0)
                                                           : std::min(std::max(distance, -0.1), 0.1));
                if (!fog || value > 0) values.setValue({i, j, k}, value);
            }
        }
    }
    return grid;
}

}  // namespace

TEST(VdbShapes, AColliderIsScaledAboutTheOriginAndSampledInTheWorld) {
    openvdb::initialize();
    const std::string path =
        (std::filesystem::temp_directory_path() / ("firn_collider_" + std::to_string(::getpid()) + ".vdb")).string();
    openvdb::io::File(path).write({sphere_grid("surface", false)});
    BoundarySettings settings;
    settings.spacing = 0.1f;
    const Boundary boundary = boundary_of_vdb(path, "", 2, settings, "collider 'ball'");
    // A sphere of one metre about (2, 4, 6), half a spacing below its surface.
    EXPECT_NEAR(double(boundary.position.size()) * 0.01, 4 * pi * 0.95 * 0.95, 0.1 * 4 * pi);
    for (const Float3& p : boundary.position) ASSERT_NEAR(radius({p.x - 2, p.y - 4, p.z - 6}), 0.95, 0.01);
    ColliderState state;
    state.motion = Motion::rigid;
    EXPECT_EQ(moving_body("ball", state, state, boundary, {}).body.position.size(), boundary.position.size());
    settings.spacing = 0;
    EXPECT_EQ(message([&] { boundary_of_vdb(path, "", 2, settings, "collider 'ball'"); }).rfind("collider 'ball': ", 0),
              0u);
    const std::string absent = message([&] { boundary_of_vdb(path + "x", "", 2, settings, "collider 'ball'"); });
    EXPECT_EQ(absent.rfind(path + "x", 0), 0u) << absent;
    std::filesystem::remove(path);
}

TEST(VdbShapes, LevelSetAndFogSpheresAreFilledAndSampled) {
    openvdb::initialize();
    const std::string path =
        (std::filesystem::temp_directory_path() / ("firn_sphere_" + std::to_string(::getpid()) + ".vdb")).string();
    openvdb::io::File(path).write({sphere_grid("density", true), sphere_grid("surface", false)});
    const double volume = 4.0 / 3 * pi * 0.125;
    FillSettings settings_fill;
    settings_fill.spacing = 0.04f;
    for (const char* name : {"", "surface", "density"}) {
        const MeshFacts facts = examine(vdb_mesh(path, name));
        EXPECT_TRUE(facts.closed) << name;
        EXPECT_NEAR(facts.volume, volume, 0.02 * volume) << name;
        const Filling filling = fill_vdb(path, name, settings_fill);
        EXPECT_TRUE(filling.warnings.empty()) << name << ": " << filling.warnings[0];
        EXPECT_NEAR(double(filling.position.size()) * 6.4e-5, volume, 0.03 * volume) << name;
        for (const float spacing : {0.12f, 0.08f, 0.05f}) {
            settings_fill.spacing = spacing;
            const Filling coarse = fill_vdb(path, name, settings_fill);
            const double cell = double(spacing) * spacing * spacing;
            EXPECT_NEAR(double(coarse.position.size()) * cell * coarse.worth, facts.volume, 0.005 * volume)
                << name << " " << spacing;
        }
        settings_fill.spacing = 0.04f;
        for (const Float3& p : filling.position) EXPECT_LT(radius({p.x - 1, p.y - 2, p.z - 3}), 0.505);
    }
    SurfaceSettings settings;
    settings.spacing = 0.05f;
    settings.depth = 0;
    const SurfaceSamples samples = sample_vdb_surface(path, "", settings);
    EXPECT_NEAR(double(samples.position.size()) * 0.0025, pi, 0.1 * pi);
    for (size_t i = 0; i < samples.position.size(); ++i) {
        const Float3& p = samples.position[i];
        const Float3 r = {p.x - 1, p.y - 2, p.z - 3};
        EXPECT_NEAR(radius(r), 0.5, 0.005);
        EXPECT_GT((r.x * samples.normal[i].x + r.y * samples.normal[i].y + r.z * samples.normal[i].z) / radius(r),
                  0.95);
    }
    EXPECT_NE(message([&] { vdb_mesh(path, "nope"); }).find("surface (float)"), std::string::npos)
        << message([&] { vdb_mesh(path, "nope"); });
    std::ofstream(path) << "this is no vdb";
    EXPECT_NE(message([&] { vdb_mesh(path, ""); }).find(path), std::string::npos);
    EXPECT_NE(message([&] { vdb_mesh(path + "x", ""); }).find("no such file"), std::string::npos);
    std::filesystem::remove(path);
}

/// Against what the samplers place with the whole grid's mesh.
TEST(VdbShapes, LargeGridsAreCountedFromSomeOfTheirLeaves) {
    const std::string path = own_file("large.vdb");
    const double voxel = 0.01;
    for (const openvdb::GridClass kind : {openvdb::GRID_LEVEL_SET, openvdb::GRID_UNKNOWN, openvdb::GRID_FOG_VOLUME}) {
        const bool fog = kind == openvdb::GRID_FOG_VOLUME;
        const auto grid = openvdb::FloatGrid::create(fog ? 0.0f : 0.03f);
        grid->setTransform(openvdb::math::Transform::createLinearTransform(voxel));
        grid->setGridClass(kind);
        auto values = grid->getAccessor();
        for (int i = -105; i < 100; ++i) {
            for (int j = -100; j < 105; ++j) {
                for (int k = -102; k < 103; ++k) {
                    const double distance = radius({float(i * voxel), float(j * voxel), float(k * voxel)}) - 0.95;
                    values.setValue({i, j, k}, static_cast<float>(fog ? std::clamp(0.5 - 20 * distance, 0.0, 1.0)
                                                                      : std::clamp(distance, -0.03, 0.03)));
                }
            }
        }
        // More than are read as a whole (vdb_count.cpp).
        ASSERT_GT(grid->tree().leafCount(), 6000u);
        openvdb::io::File(path).write({grid});
        const Mesh whole = vdb_mesh(path, "");
        for (const float spacing : {0.04f, 0.08f, 0.15f}) {
            // One kind at every spacing, every kind at one.
            if (kind != openvdb::GRID_LEVEL_SET && spacing != 0.08f) continue;
            FillSettings fill;
            fill.spacing = spacing;
            for (const bool relaxed : {false, true}) {
                if (relaxed && spacing < 0.1f) continue;  // takes long to place
                fill.relaxed = relaxed;
                const double placed = static_cast<double>(fill_mesh(whole, fill).position.size());
                const Count counted = count_vdb_filling(path, "", fill);
                // A lattice of 13 places is stretched by some percent, more or less for where the grid seems to end.
                const double tolerance = spacing > 0.1f && !relaxed ? 0.2 : 0.05;
                EXPECT_NEAR(counted.particles, placed, tolerance * placed) << kind << " " << spacing << " " << relaxed;
                EXPECT_NEAR(counted.high.y, 0.95, 0.1);
                ASSERT_EQ(counted.notes.size(), 1u) << kind << " " << spacing << " " << relaxed;
                EXPECT_NE(counted.notes[0].find(path + ": counted from 3000 of its"), std::string::npos);
            }
            SurfaceSettings cover;
            cover.spacing = spacing;
            const double placed = static_cast<double>(sample_surface(whole, cover).position.size());
            EXPECT_NEAR(count_vdb_surface(path, "", cover).particles, placed, 0.05 * placed) << kind << " " << spacing;
        }
        // A layer upon it, as it is and larger, turned and elsewhere.
        FillSettings layer;
        layer.spacing = 0.02f;
        Transform leaning;
        leaning.rotation[0] = leaning.rotation[4] = std::cos(0.5);
        leaning.rotation[3] = std::sin(0.5);
        leaning.rotation[1] = -leaning.rotation[3];
        leaning.translation[2] = 7;
        for (const auto& [scale, transform] : {std::pair(1.0f, Transform()), std::pair(1.5f, leaning)}) {
            const Mesh ground = transformed(whole, transform, scale);
            const double placed = static_cast<double>(fill_layer(ground, 0.05f, layer).position.size());
            EXPECT_NEAR(count_vdb_layer(path, "", scale, transform, 0.05f, layer).particles, placed, 0.05 * placed)
                << kind << " " << scale;
        }
    }
    std::filesystem::remove(path);
}

/// What other programs write: double precision, several grids of one name or of none, vectors before numbers.
TEST(VdbShapes, DoublesAndGridsBehindOthersAreFound) {
    openvdb::initialize();
    const std::string path =
        (std::filesystem::temp_directory_path() / ("firn_mixed_" + std::to_string(::getpid()) + ".vdb")).string();
    const double volume = 4.0 / 3 * pi * 0.125;
    const auto doubles = [](const char* name, bool fog) {
        return openvdb::DoubleGrid::Ptr(new openvdb::DoubleGrid(*sphere_grid(name, fog)));
    };
    const auto vectors = [](const char* name) {
        const auto grid = openvdb::Vec3SGrid::create();
        grid->setName(name);
        grid->fill(openvdb::CoordBBox({0, 0, 0}, {3, 3, 3}), openvdb::Vec3s(1, 0, 0));
        return grid;
    };
    const std::pair<openvdb::GridPtrVec, std::string> files[] = {
        {{doubles("surface", false)}, ""},
        {{doubles("density", true)}, "density"},
        {{vectors("surface"), sphere_grid("surface", false)}, "surface"},
        {{vectors("surface"), sphere_grid("surface", false)}, ""},
        {{vectors("vel"), sphere_grid("", false)}, ""},
        {{vectors(""), doubles("", false)}, ""},
    };
    for (const auto& [grids, name] : files) {
        SCOPED_TRACE(grids.front()->getName() + " " + grids.front()->valueType() + " '" + name + "'");
        openvdb::io::File(path).write(grids);
        EXPECT_EQ(message([&] { EXPECT_NEAR(examine(vdb_mesh(path, name)).volume, volume, 0.02 * volume); }),
                  "no error");
    }
    openvdb::io::File(path).write({vectors("vel")});
    EXPECT_NE(message([&] { vdb_mesh(path, ""); }).find("it holds vel (vec3s)"), std::string::npos);
    std::filesystem::remove(path);
}

TEST(VdbShapes, DamagedFilesAreErrorsAndNeverCrashes) {
    openvdb::initialize();
    const std::string path =
        (std::filesystem::temp_directory_path() / ("firn_damaged_" + std::to_string(::getpid()) + ".vdb")).string();
    {
        openvdb::io::File file(path);
        file.write({sphere_grid("surface", false)});
    }
    std::string whole;
    {
        std::ifstream file(path, std::ios::binary);
        whole.assign(std::istreambuf_iterator<char>(file), {});
    }
    std::mt19937 random(11);
    int errors = 0, meshes = 0;
    for (int trial = 0; trial < 40; ++trial) {
        std::string bytes = whole;
        // The start has the lengths and the tree; most damage goes there. One file in ten is cut.
        const size_t range = trial % 2 ? bytes.size() : std::min<size_t>(bytes.size(), 1500);
        for (int k = 0; k < 1 + trial % 3; ++k) bytes[random() % range] = static_cast<char>(random());
        if (trial % 10 == 0) bytes.resize(random() % bytes.size());
        std::ofstream(path, std::ios::binary) << bytes;
        try {
            vdb_mesh(path, "");
            ++meshes;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
            ++errors;
        }
    }
    std::filesystem::remove(path);
    EXPECT_GT(errors, 8);
    EXPECT_GT(meshes, 4);  // damage in the values alone gives another shape
}
