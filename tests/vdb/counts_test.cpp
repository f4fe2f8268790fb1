// Counts, against what the samplers then really place.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "firn/collider.h"
#include "firn/counts.h"
#include "shape_measures.h"

using namespace firn;

namespace {

void add(Mesh& mesh, const Mesh& more) {
    const uint32_t first = static_cast<uint32_t>(mesh.points.size());
    mesh.points.insert(mesh.points.end(), more.points.begin(), more.points.end());
    for (const auto& [a, b, c] : more.triangles) mesh.triangles.push_back({first + a, first + b, first + c});
}

Mesh turned(Mesh mesh) {
    for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
    return mesh;
}

Mesh hollow(float outer, float inner) {
    Mesh mesh = sphere_mesh(outer);
    add(mesh, turned(sphere_mesh(inner)));
    return mesh;
}

Mesh holed_sphere() {
    Mesh mesh = sphere_mesh(0.5f);
    mesh.triangles.erase(std::remove_if(mesh.triangles.begin(), mesh.triangles.end(),
                                        [&](const auto& t) { return mesh.points[t[0]].y > 0.49f; }),
                         mesh.triangles.end());
    return mesh;
}

/// A square metre of noise, finer than most spacings below: its area says little about its samples.
Heightfield rough(int count, float height) {
    Heightfield field;
    field.columns = field.rows = count;
    field.cell = 1.0f / static_cast<float>(count - 1);
    uint32_t state = 1;
    for (int i = 0; i < count * count; ++i) {
        state = state * 1664525u + 1013904223u;
        field.height.push_back(height * static_cast<float>(state >> 8) / 16777216.0f);
    }
    return field;
}

double off(double counted, size_t placed) {
    return counted / static_cast<double>(placed) - 1;
}

FillSettings filling(float spacing, bool relaxed = false, float jitter = 0) {
    FillSettings settings;
    settings.spacing = spacing;
    settings.relaxed = relaxed;
    settings.jitter = jitter;
    return settings;
}

SurfaceSettings covering(float spacing) {
    SurfaceSettings settings;
    settings.spacing = spacing;
    return settings;
}

}  // namespace

TEST(Counts, OfSurfacesAreWithin5PercentOfTheSamples) {
    struct Case {
        const char* name;
        Mesh mesh;
        float spacing;
    };
    const Case cases[] = {
        {"plane", plane_mesh(1, 1), 0.1f},
        {"large plane", plane_mesh(2, 3), 0.03f},
        {"strip narrower than a spacing", plane_mesh(5, 0.02f), 0.05f},
        {"box", box_mesh({1, 0.5f, 0.7f}), 0.04f},
        {"plate", box_mesh({1, 0.005f, 0.7f}), 0.04f},
        {"sphere", sphere_mesh(0.5f), 0.03f},
        {"small sphere", sphere_mesh(0.1f), 0.05f},
        {"inside out", turned(sphere_mesh(0.5f)), 0.05f},
        {"cylinder", cylinder_mesh(0.3f, 1), 0.03f},
        {"pole", cylinder_mesh(0.02f, 5), 0.05f},
        {"rough ground", heightfield_mesh(rough(101, 0.02f)), 0.05f},
        {"rougher ground", heightfield_mesh(rough(101, 0.06f)), 0.1f},
    };
    for (const Case& c : cases) {
        const size_t placed = sample_surface(c.mesh, covering(c.spacing)).position.size();
        const Count whole = count_surface(c.mesh, covering(c.spacing));
        EXPECT_LT(std::abs(off(whole.particles, placed)), 0.05) << c.name << ": " << whole.particles << " " << placed;
        EXPECT_EQ(whole.warnings, sample_surface(c.mesh, covering(c.spacing)).warnings) << c.name;
        // From patches, where the surface has more than a handful of them.
        const Count patches = count_surface(c.mesh, covering(c.spacing), 1e4);
        EXPECT_LT(std::abs(off(patches.particles, placed)), 0.05)
            << c.name << ": " << patches.particles << " " << placed;
    }
}

TEST(Counts, OfFillingsAreWithin5PercentOfTheParticles) {
    Mesh overlap = sphere_mesh(0.5f, 3);
    Transform aside;
    aside.translation[0] = 0.3;
    add(overlap, transformed(sphere_mesh(0.5f, 3), aside));
    Mesh ball_above_plate = box_mesh({2, 0.02f, 1.5f});
    Transform above;
    above.translation[1] = 1;
    add(ball_above_plate, transformed(sphere_mesh(0.45f), above));
    struct Case {
        const char* name;
        Mesh mesh;
        FillSettings settings;
        bool exact;
    };
    const Case cases[] = {
        {"box", box_mesh({0.5f, 0.3f, 0.7f}), filling(0.05f), true},
        {"sphere", sphere_mesh(0.5f), filling(0.03f), true},
        {"sphere with jitter", sphere_mesh(0.5f), filling(0.04f, false, 1), true},
        {"inside out", turned(sphere_mesh(0.5f)), filling(0.05f), true},
        {"with a cavity", hollow(0.5f, 0.3f), filling(0.04f), true},
        {"overlapping itself", overlap, filling(0.04f), true},
        {"thinner than a spacing", hollow(0.5f, 0.485f), filling(0.05f), true},
        {"not closed", holed_sphere(), filling(0.05f), true},
        {"not closed, of many places", holed_sphere(), filling(0.02f), false},
        // 400,000 rows: more than are looked at.
        {"of many rows", box_mesh({0.004f, 1.6f, 1}), filling(0.002f), false},
        {"of many rows, round", sphere_mesh(0.5f), filling(0.0019f), false},
        {"relaxed", sphere_mesh(0.3f), filling(0.05f, true), true},
        {"relaxed, larger", sphere_mesh(0.5f), filling(0.04f, true), false},
        {"relaxed plate", box_mesh({0.6f, 0.02f, 0.5f}), filling(0.05f, true), true},
        {"relaxed, plate of a quarter of a spacing", box_mesh({1.6f, 0.01f, 1.5f}), filling(0.04f, true), false},
        {"relaxed, of a bit less than a spacing", box_mesh({1.6f, 0.036f, 1.5f}), filling(0.04f, true), false},
        {"relaxed, of a bit more than a spacing", box_mesh({1.6f, 0.044f, 1.5f}), filling(0.04f, true), false},
        {"relaxed, of 1.3 spacings", box_mesh({1.6f, 0.052f, 1.5f}), filling(0.04f, true), false},
        {"relaxed, a ball above a thin plate", ball_above_plate, filling(0.04f, true), false},
        {"relaxed, not closed", holed_sphere(), filling(0.06f, true), false},
    };
    for (const Case& c : cases) {
        // 76 million particles would be placed: there the volume is what is known.
        const bool vast = c.settings.spacing < 0.0019001f;
        const Filling placed = vast ? Filling() : fill_mesh(c.mesh, c.settings);
        const size_t particles =
            vast ? static_cast<size_t>(std::abs(examine(c.mesh).volume) / std::pow(double(c.settings.spacing), 3))
                 : placed.position.size();
        const Count counted = count_filling(c.mesh, c.settings);
        EXPECT_LT(std::abs(off(counted.particles, particles)), 0.05)
            << c.name << ": " << counted.particles << " " << particles;
        EXPECT_EQ(counted.exact, c.exact) << c.name;
        if (counted.exact) {
            EXPECT_EQ(counted.particles, static_cast<double>(particles)) << c.name;
            EXPECT_EQ(counted.warnings, placed.warnings) << c.name;
        }
    }
}

/// Hills of 10 cm, smooth at every spacing below.
Heightfield hills(int columns, int rows, float cell) {
    Heightfield field;
    field.columns = columns;
    field.rows = rows;
    field.cell = cell;
    field.origin = {-1, 0.3f, 2};
    for (int row = 0; row < rows; ++row)
        for (int i = 0; i < columns; ++i)
            field.height.push_back(
                static_cast<float>(0.1 * std::sin(3 * double(i) * cell) * std::cos(2 * double(row) * cell)));
    return field;
}

TEST(Counts, OfAHeightfieldNeedNoMesh) {
    SurfaceSettings settings;
    for (const Heightfield& field : {hills(700, 500, 0.005f), rough(601, 0.02f), hills(30, 20, 0.1f)}) {
        settings.spacing = field.columns > 100 ? 0.025f : 0.1f;
        const Mesh mesh = heightfield_mesh(field);
        const MeshFacts facts = heightfield_facts(field), wanted = examine(mesh);
        EXPECT_NEAR(facts.area, wanted.area, 1e-5 * wanted.area);
        EXPECT_EQ(facts.low.x, wanted.low.x);
        EXPECT_EQ(facts.low.y, wanted.low.y);
        EXPECT_EQ(facts.high.y, wanted.high.y);
        EXPECT_EQ(facts.high.z, wanted.high.z);
        const Count counted = count_heightfield(field, settings);
        EXPECT_LT(std::abs(off(counted.particles, sample_surface(mesh, settings).position.size())), 0.05);
        EXPECT_NEAR(counted.bytes, count_surface(mesh, settings).bytes, 1e-4 * counted.bytes);
    }
}

TEST(Counts, OfLayersAreExactAndOfRelaxedOnesWithin5Percent) {
    const Heightfield field = rough(21, 0.1f);
    for (const float thickness : {0.01f, 0.1f, 0.23f}) {
        const Count counted = count_layer(field, thickness, filling(0.05f));
        const Filling placed = fill_layer(field, thickness, filling(0.05f));
        EXPECT_TRUE(counted.exact);
        EXPECT_EQ(counted.particles, static_cast<double>(placed.position.size()));
        EXPECT_EQ(counted.warnings, placed.warnings);
    }
    const Count counted = count_layer(field, 0.2f, filling(0.05f, true));
    EXPECT_LT(std::abs(off(counted.particles, fill_layer(field, 0.2f, filling(0.05f, true)).position.size())), 0.05);
}

TEST(Counts, ThrowWhatTheSamplersThrow) {
    Transform far;
    far.translation[0] = 1e7;
    const Mesh mesh = transformed(box_mesh({1, 1, 1}), far);
    EXPECT_EQ(message([&] { count_surface(mesh, covering(0.1f)); }),
              message([&] { sample_surface(mesh, covering(0.1f)); }));
    EXPECT_EQ(message([&] { count_filling(mesh, filling(0.1f)); }), message([&] { fill_mesh(mesh, filling(0.1f)); }));
    EXPECT_EQ(message([&] { count_surface({}, covering(0.1f)); }),
              message([&] { sample_surface({}, covering(0.1f)); }));
    EXPECT_EQ(message([&] { count_filling({}, filling(0.1f)); }), message([&] { fill_mesh({}, filling(0.1f)); }));
    EXPECT_EQ(message([] { count_surface(plane_mesh(1, 1), covering(0)); }),
              message([] { sample_surface(plane_mesh(1, 1), covering(0)); }));
    Heightfield broken = rough(5, 0.1f);
    broken.height[3] = NAN;
    for (const bool relaxed : {false, true})
        EXPECT_EQ(message([&] { count_layer(broken, 0.2f, filling(0.1f, relaxed)); }),
                  message([&] { fill_layer(broken, 0.2f, filling(0.1f, relaxed)); }));
}

TEST(Counts, ALimitOfMemoryHoldsWhileSampling) {
    const auto expect_limit = [](const char* name, const std::string& said) {
        for (const char* part : {"GB, but memory_limit allows 1e-06 GB", "make the spacing larger"})
            EXPECT_NE(said.find(part), std::string::npos) << name << ": " << said;
    };
    SurfaceSettings surface = covering(0.01f);
    surface.memory_limit = 1000;
    expect_limit("surface", message([&] { sample_surface(plane_mesh(1, 1), surface); }));
    BoundarySettings boundary;
    boundary.spacing = 0.01f;
    boundary.memory_limit = 1000;
    expect_limit("collider", message([&] { boundary_of({plane_mesh(1, 1), {}}, boundary, "collider 'ground'"); }));
    for (const bool relaxed : {false, true}) {
        FillSettings settings = filling(0.05f, relaxed);
        settings.memory_limit = 1000;
        expect_limit("mesh", message([&] { fill_mesh(box_mesh({1, 1, 1}), settings); }));
        expect_limit("layer", message([&] { fill_layer(rough(21, 0.1f), 0.2f, settings); }));
    }
    // Enough is enough.
    surface.memory_limit = 1e8;
    EXPECT_GT(sample_surface(plane_mesh(1, 1), surface).position.size(), 9000u);
}
