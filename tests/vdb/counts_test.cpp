// Counts, against what the samplers then really place.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "firn/collider.h"
#include "firn/counts.h"
#include "own_file.h"
#include "samples/counting.h"
#include "samples/mesh_sketch.h"
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
Heightfield rough(int count, float height, uint32_t seed = 1) {
    Heightfield field;
    field.columns = field.rows = count;
    field.cell = 1.0f / static_cast<float>(count - 1);
    uint32_t state = seed;
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
    constexpr double probes = 2e4;  // fewer than the larger ones have points: those are counted from patches
    for (const Heightfield& field : {hills(300, 240, 0.01f), rough(201, 0.02f), hills(30, 20, 0.1f)}) {
        settings.spacing = field.columns > 100 ? 0.025f : 0.1f;
        const Mesh mesh = heightfield_mesh(field);
        const MeshFacts facts = heightfield_facts(field), wanted = examine(mesh);
        EXPECT_NEAR(facts.area, wanted.area, 1e-5 * wanted.area);
        EXPECT_EQ(facts.low.x, wanted.low.x);
        EXPECT_EQ(facts.low.y, wanted.low.y);
        EXPECT_EQ(facts.high.y, wanted.high.y);
        EXPECT_EQ(facts.high.z, wanted.high.z);
        const Count counted = count_heightfield(field, settings, probes);
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

/// Snow on whatever is below the sky: on a ball over a slab that leans.
TEST(Counts, OfLayersOnMeshesAreExactOrWithin5Percent) {
    Transform leaning, above;
    leaning.rotation[0] = leaning.rotation[4] = std::cos(0.3);
    leaning.rotation[3] = std::sin(0.3);
    leaning.rotation[1] = -leaning.rotation[3];
    above.translation[1] = 1;
    Mesh mesh = transformed(box_mesh({3, 0.2f, 2}), leaning);
    add(mesh, transformed(sphere_mesh(0.4f), above));
    const std::string path = own_file("layer.ply");
    write_mesh(path, mesh);
    // The finer one has more columns than are looked at.
    for (const float spacing : {0.03f, 0.002f}) {
        const double placed = static_cast<double>(fill_layer(mesh, 2.5f * spacing, filling(spacing)).position.size());
        const Count counted = count_layer(mesh, 2.5f * spacing, filling(spacing)),
                    of_file = count_mesh_layer(path, 1, Transform(), 2.5f * spacing, filling(spacing));
        EXPECT_EQ(counted.exact, spacing > 0.01f);
        EXPECT_NEAR(counted.particles, placed, counted.exact ? 0 : 0.05 * placed);
        EXPECT_EQ(of_file.particles, counted.particles);
        EXPECT_EQ(of_file.exact, counted.exact);
    }
    // Elsewhere and larger.
    const Count larger = count_mesh_layer(path, 2, above, 0.2f, filling(0.06f));
    EXPECT_EQ(larger.particles,
              static_cast<double>(fill_layer(transformed(mesh, above, 2), 0.2f, filling(0.06f)).position.size()));
    const Heightfield field = rough(21, 0.1f);
    EXPECT_EQ(count_layer_on(field, 0.1f, filling(0.05f)).particles,
              static_cast<double>(fill_layer(heightfield_mesh(field), 0.1f, filling(0.05f)).position.size()));
}

/// However wide the ground is: some of its columns are enough to know it.
TEST(Counts, OfLayersOnWideGroundNeedNoColumns) {
    const Count counted = count_layer(plane_mesh(200, 200), 0.06f, filling(0.01f));
    EXPECT_FALSE(counted.exact);
    EXPECT_NEAR(counted.particles, 2.4e9, 1e6);
    EXPECT_NE(message([&] { count_layer(plane_mesh(2000, 2000), 0.06f, filling(0.01f)); }).find("too wide"),
              std::string::npos);
}

TEST(Counts, TellHowTheMeshesOfLargeFilesMove) {
    Mesh mesh = sphere_mesh(0.5f, 6);  // has so many points that some are left out
    Transform moved;
    moved.rotation[0] = moved.rotation[8] = std::cos(0.7);
    moved.rotation[2] = std::sin(0.7);
    moved.rotation[6] = -moved.rotation[2];
    moved.translation[0] = 3;
    write_mesh(own_file("first.ply"), mesh);
    write_mesh(own_file("moved.ply"), transformed(mesh, moved));
    for (Float3& p : mesh.points) p.y *= 1.1f;
    write_mesh(own_file("deformed.ply"), mesh);
    Mesh other = sphere_mesh(0.5f, 6);
    std::swap(other.triangles[0], other.triangles[5]);
    write_mesh(own_file("other.ply"), other);
    const auto motion = [&](const char* then) {
        return motion_of_files({own_file("first.ply"), own_file(then)}, 1, 0.05f);
    };
    EXPECT_EQ(motion("first.ply"), Motion::rigid);
    EXPECT_EQ(motion("moved.ply"), Motion::rigid);
    EXPECT_EQ(motion("deformed.ply"), Motion::deforming);
    EXPECT_EQ(motion("other.ply"), Motion::deforming);
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

/// The way of large files, with shapes of which the rest is known.
TEST(Counts, OfTrianglesThatAreNotKeptAreWithin5Percent) {
    struct Case {
        const char* name;
        Mesh mesh;
        float spacing;
    };
    // Of two sizes of triangles: those that matter are few.
    Mesh ball_on_slab = box_mesh({3, 0.3f, 3});
    Transform above;
    above.translation[1] = 0.8;
    add(ball_on_slab, transformed(sphere_mesh(0.4f, 7), above));
    const Case cases[] = {
        {"ball", sphere_mesh(0.5f, 7), 0.03f},
        {"ball, coarse", sphere_mesh(0.5f, 7), 0.1f},
        {"inside out", turned(sphere_mesh(0.5f, 7)), 0.1f},
        {"ball on a slab", ball_on_slab, 0.04f},
        {"with a hole", holed_sphere(), 0.04f},
        {"rough ground", heightfield_mesh(rough(401, 0.01f)), 0.02f},
        // From patches of which not all triangles are kept.
        {"rough, fine", heightfield_mesh(rough(601, 0.01f)), 0.012f},
        {"rough, coarse", heightfield_mesh(rough(401, 0.02f)), 0.05f},
    };
    for (const Case& c : cases) {
        MeshTriangles triangles(c.mesh);
        const size_t on_it = sample_surface(c.mesh, covering(c.spacing)).position.size();
        for (const double probes : {1e4, 2e5}) {
            const Count surface = count_surface(triangles, covering(c.spacing), probes);
            EXPECT_LT(std::abs(off(surface.particles, on_it)), 0.05)
                << c.name << ", " << probes << " probes: " << surface.particles << " " << on_it;
        }
        if (std::string(c.name).rfind("rough", 0) == 0) continue;
        for (const bool relaxed : {false, true}) {
            if (relaxed && c.mesh.triangles.size() > 100000 && c.spacing < 0.04f) continue;  // takes long to place
            const size_t in_it = fill_mesh(c.mesh, filling(c.spacing, relaxed)).position.size();
            const Count inside = count_filling(triangles, filling(c.spacing, relaxed));
            EXPECT_LT(std::abs(off(inside.particles, in_it)), 0.05)
                << c.name << (relaxed ? ", relaxed: " : ": ") << inside.particles << " " << in_it;
        }
    }
}

/// Noise of half a spacing: where sites begin says little about how many there are in the end, and sites lie on each of
/// the triangles. In memory that is found out.
TEST(Counts, OfVeryRoughSurfacesAreExactInMemoryAndElseWithin5Percent) {
    for (const uint32_t seed : {1u, 2u}) {
        const Mesh mesh = heightfield_mesh(rough(321, 0.05f, seed));
        MeshTriangles triangles(mesh);
        const size_t placed = sample_surface(mesh, covering(0.1f)).position.size();
        const double not_kept = count_surface(triangles, covering(0.1f)).particles;
        EXPECT_EQ(count_surface(mesh, covering(0.1f)).particles, static_cast<double>(placed));
        EXPECT_LT(std::abs(off(not_kept, placed)), 0.05) << not_kept << " " << placed;
    }
    // So large that patches of it are enough.
    const Mesh mesh = heightfield_mesh(rough(451, 0.012f));
    MeshTriangles triangles(mesh);
    const size_t placed = sample_surface(mesh, covering(0.024f)).position.size();
    const double not_kept = count_surface(triangles, covering(0.024f)).particles;
    EXPECT_LT(std::abs(off(not_kept, placed)), 0.05) << not_kept << " " << placed;
}

TEST(Counts, ASketchKnowsWhatTheWholeMeshIs) {
    for (const Mesh& mesh : {sphere_mesh(0.5f, 7), turned(sphere_mesh(0.5f, 7)), holed_sphere(),
                             heightfield_mesh(rough(401, 0.01f)), hollow(0.5f, 0.3f)}) {
        MeshTriangles triangles(mesh);
        const MeshFacts facts = examine(mesh);
        // A few of them stand for all.
        const MeshSketch seen = sketch(triangles, 1000);
        EXPECT_EQ(seen.facts.closed, facts.closed);
        EXPECT_NEAR(seen.facts.area, facts.area, 1e-9 * facts.area);
        if (facts.closed) {
            EXPECT_NEAR(seen.facts.volume, facts.volume, 1e-6 * std::abs(facts.volume));
        }
        EXPECT_EQ(seen.facts.low.x, facts.low.x);
        EXPECT_EQ(seen.facts.high.y, facts.high.y);
        EXPECT_EQ(seen.triangles, mesh.triangles.size());
        EXPECT_LE(seen.drawn.triangles.size(), 1100u);
        EXPECT_NEAR(examine(seen.drawn).area, facts.area, 1e-4 * facts.area);
        double stood_for = 0;
        for (const float area : seen.as_they_are.stands_for) stood_for += area;
        EXPECT_NEAR(stood_for, facts.area, 1e-4 * facts.area);
    }
}

TEST(Counts, ManyPointsAreKeptWithSixteenBits) {
    const Mesh mesh = transformed(sphere_mesh(0.5f, 5), Transform(), 20);
    ManyPoints points(1000);
    for (const Float3& p : mesh.points) points.push_back(p);
    ASSERT_EQ(points.size(), mesh.points.size());
    EXPECT_LT(points.bytes(), 7 * mesh.points.size());
    for (size_t i = 0; i < mesh.points.size(); ++i) {
        // 20 m in 65,535 steps, rounded.
        const float tolerance = i < 1000 ? 0.0f : 1.1f * 0.5f * 20 / 65535;
        ASSERT_NEAR(points[i].x, mesh.points[i].x, tolerance);
        ASSERT_NEAR(points[i].y, mesh.points[i].y, tolerance);
        ASSERT_NEAR(points[i].z, mesh.points[i].z, tolerance);
    }
    constexpr float huge = std::numeric_limits<float>::max();
    ManyPoints far(0);
    for (int i = 0; i < 600; ++i) far.push_back({i % 2 ? huge : -huge, 7, static_cast<float>(i)});
    EXPECT_NEAR(far[0].x / huge, -1, 1e-4);
    EXPECT_NEAR(far[511].x / huge, 1, 1e-4);
    EXPECT_EQ(far[300].y, 7);
    EXPECT_EQ(far[599].z, 599);
}

/// Files of every kind, read once or as often as they are asked for.
TEST(Counts, TrianglesOfAFileAreThoseOfItsMesh) {
    const Mesh mesh = sphere_mesh(0.5f, 3);
    for (const char* name : {"triangles.obj", "triangles.ply"}) {
        write_mesh(own_file(name), mesh);
        for (const float scale : {1.0f, -2.0f}) {
            std::vector<Corners> expected;
            MeshTriangles(transformed(mesh, Transform(), scale)).for_each([&](const Corners* some, size_t count) {
                expected.insert(expected.end(), some, some + count);
            });
            for (const uint64_t kept : {uint64_t(0), uint64_t(1) << 20}) {
                FileTriangles triangles(own_file(name), scale, kept);
                for (int time = 0; time < 2; ++time) {
                    std::vector<Corners> found;
                    triangles.for_each(
                        [&](const Corners* some, size_t count) { found.insert(found.end(), some, some + count); });
                    ASSERT_EQ(found.size(), expected.size());
                    for (size_t t = 0; t < found.size(); ++t)
                        for (size_t k = 0; k < 3; ++k) {
                            EXPECT_NEAR(found[t][k].x, expected[t][k].x, 1e-6);
                            EXPECT_NEAR(found[t][k].y, expected[t][k].y, 1e-6);
                            EXPECT_NEAR(found[t][k].z, expected[t][k].z, 1e-6);
                        }
                }
            }
        }
    }
}
