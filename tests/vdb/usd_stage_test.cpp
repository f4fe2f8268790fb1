// The text of a stage; usd_stage.py looks at it with Pixar's own library.

#include "firn/usd_stage.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "firn/grain_file.h"
#include "particle_samples.h"

namespace {

using namespace firn_test;
using firn::UsdStage;

/// Two volumes, a collider that turns, one that deforms and one that stands, names of all kinds, a camera.
UsdStage sample_stage() {
    UsdStage stage;
    stage.fps = 25;
    stage.first_frame = 1;
    stage.last_frame = 3;
    UsdStage::Volume snow;
    snow.name = "snow";
    snow.fields = {"density", "vel", "surface", "compaction"};
    for (int frame = 1; frame <= 3; ++frame)
        snow.files.push_back(
            {double(frame), "volumes/snow.000" + std::to_string(frame) + ".vdb", {-1, 0, -1}, {1, float(frame), 1}});
    UsdStage::Volume odd = snow;
    odd.name = "2nd \"Schnee\" \xc3\xa4";
    odd.fields = {"density"};
    odd.files = {{1, "../elsewhere/a@b.vdb", {}, {}}};
    stage.volumes = {snow, odd};

    firn::Mesh mesh;
    mesh.points = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 2, 0}};
    mesh.triangles = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
    UsdStage::Collider turning;
    turning.name = "plough";
    turning.mesh = mesh;
    for (int frame = 1; frame <= 3; ++frame) {
        const double angle = 0.5 * (frame - 1);
        firn::Transform transform;
        // About y: z turns to x.
        const double rotation[9] = {std::cos(angle), 0, std::sin(angle), 0, 1, 0, -std::sin(angle), 0, std::cos(angle)};
        std::copy_n(rotation, 9, transform.rotation);
        transform.translation[0] = frame;
        transform.translation[1] = 0.25;
        turning.placements.push_back({double(frame), transform});
    }
    UsdStage::Collider cloth;
    cloth.name = "plough";  // taken
    cloth.mesh = mesh;
    for (int frame = 1; frame <= 3; ++frame) {
        cloth.deformed.push_back({double(frame), mesh.points});
        cloth.deformed.back().points[3].y = 2.0f + frame;
    }
    UsdStage::Collider floor;
    floor.name = "";
    floor.mesh = mesh;
    floor.colour = {0.5f, 0.25f, 0.125f};
    stage.colliders = {turning, cloth, floor};
    stage.has_grains = true;
    stage.grains = {"./grains", "snow", 1, "sample.usda"};
    stage.to_sun = {3, 4, 12};
    stage.has_camera = true;
    stage.camera = {{4, 3, 5}, {0.5f, 0.25f, -1}, 0.6f, 16.0f / 9.0f};
    return stage;
}

/// Eight particles that fly along x at 2 m/s; frame 2 is missing.
void write_sample_grains(const std::string& folder) {
    firn::Particles first;
    for (int i = 0; i < 8; ++i) first.position.push_back({0.1f * (i & 1), 0.1f * (i >> 1 & 1), 0.1f * (i >> 2)});
    first.velocity.assign(8, {2, 0, 0});
    firn::GrainSettings settings;
    settings.spacing = 0.1f;
    settings.per_particle = 20;
    for (const int frame : {1, 3}) {
        firn::Particles now = first;
        for (firn::Float3& p : now.position) p.x += 2.0f * static_cast<float>(frame - 1) / 25;
        const firn::GrainField field(now, births_from(first, now), settings);
        write_grains(folder + "/grains/snow.000" + std::to_string(frame) + ".usda", field, now,
                     {frame, (frame - 1) / 25.0, 25}, {});
    }
}

TEST(UsdStage, SampleForUsdCore) {
    // usd_stage.sh says where; else the text is only made.
    Folder folder;
    const char* given = std::getenv("FIRN_USD_FOLDER");
    const std::string target = given ? std::string(given) : folder.path();
    firn::write_usda(target + "/sample.usda", sample_stage());
    write_sample_grains(target);
    UsdStage down = sample_stage();
    down.volumes.clear();
    down.colliders.clear();
    down.has_grains = false;
    down.camera = {{0, 5, 0}, {0, 0, 0}, 1.0f, 1.0f};
    firn::write_usda(target + "/down.usda", down);
    const std::string text = bytes_of(target + "/sample.usda");
    for (const char* part :
         {"#usda 1.0\n", "metersPerUnit = 1\n", "upAxis = \"Y\"\n", "endTimeCode = 3\n", "timeCodesPerSecond = 25\n",
          "2: @./volumes/snow.0002.vdb@,\n", "@@@../elsewhere/a@b.vdb@@@\n", "def Mesh \"plough_2\"",
          "token fieldClass = \"levelSet\"", "def Mesh \"_\"", "def Points \"grains\"", "def DomeLight"})
        EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(UsdStage, WhatCanNotBeWrittenIsAnError) {
    Folder folder;
    const auto error = [&](auto change) {
        UsdStage stage = sample_stage();
        change(stage);
        return error_of([&] { firn::write_usda(folder / "a.usda", stage); });
    };
    EXPECT_EQ(error([](UsdStage&) {}), "");
    const auto expect = [&](auto change, const char* part) {
        std::filesystem::remove(folder / "a.usda");
        const std::string text = error(change);
        EXPECT_NE(text.find(part), std::string::npos) << text;
        EXPECT_EQ(text.compare(0, folder.path().size(), folder.path()), 0) << text;
        EXPECT_EQ(folder.count(), 0u);
    };
    expect([](UsdStage& s) { s.fps = 0; }, "frames per second");
    expect([](UsdStage& s) { s.colliders[2].mesh.points[0].x = std::numeric_limits<float>::quiet_NaN(); },
           "not finite");
    expect([](UsdStage& s) { s.colliders[2].mesh.triangles[0][1] = 4; }, "corner 4 of 4");
    expect([](UsdStage& s) { s.colliders[1].deformed[1].points.pop_back(); }, "frame 2 has 3 points");
    expect([](UsdStage& s) { s.volumes[0].files[2].frame = 2; }, "must rise");
    expect([](UsdStage& s) { s.camera.target = s.camera.eye; }, "apart from its eye");
    expect([](UsdStage& s) { s.camera.angle = 0; }, "angle");
    expect([](UsdStage& s) { s.to_sun = {}; }, "the sun needs a direction");
    expect([](UsdStage& s) { s.volumes[0].files[0].path = "a\nb.vdb"; }, "control characters");
}

}  // namespace
