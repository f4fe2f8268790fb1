// Huge mesh files, of which some faces tell the rest; with smaller files that are taken for huge.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "firn/counts.h"
#include "samples/counting.h"
#include "samples/mesh_sketch.h"
#include "samples/thinned_file.h"
#include "shape_measures.h"

using namespace firn;

namespace {

constexpr Thinning small{/*least_faces=*/1000, /*faces_read=*/40000};

/// Tests run side by side: each has files of its own.
std::string in_folder(const char* name) {
    return ::testing::TempDir() + ::testing::UnitTest::GetInstance()->current_test_info()->name() + "." + name;
}

void write_bytes(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

template <class Value>
void append(std::string& bytes, const Value& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string stl_bytes(const Mesh& mesh) {
    std::string bytes(80, '\0');
    append(bytes, static_cast<uint32_t>(mesh.triangles.size()));
    for (const auto& triangle : mesh.triangles) {
        append(bytes, Float3{});
        for (const uint32_t corner : triangle) append(bytes, mesh.points[corner]);
        bytes.append(2, '\0');
    }
    return bytes;
}

/// With coordinates of eight bytes and something beside them, as scanners write it.
std::string wide_ply_bytes(const Mesh& mesh) {
    std::string bytes = "ply\nformat binary_little_endian 1.0\nelement vertex " + std::to_string(mesh.points.size()) +
                        "\nproperty uchar red\nproperty double x\nproperty double y\nproperty double z\n"
                        "property float quality\nelement face " +
                        std::to_string(mesh.triangles.size()) + "\nproperty list uchar uint vertex_index\nend_header\n";
    for (const Float3& p : mesh.points) {
        bytes += '\x7f';
        for (const float coordinate : {p.x, p.y, p.z}) append(bytes, double(coordinate));
        append(bytes, 1.0f);
    }
    for (const auto& triangle : mesh.triangles) {
        bytes += '\3';
        for (const uint32_t corner : triangle) append(bytes, corner);
    }
    return bytes;
}

std::vector<Corners> triangles_of(TriangleSource& source) {
    std::vector<Corners> all;
    source.for_each([&](const Corners* some, size_t count) { all.insert(all.end(), some, some + count); });
    return all;
}

void expect_alike(const std::vector<Corners>& found, const std::vector<Corners>& expected, const char* name) {
    ASSERT_EQ(found.size(), expected.size()) << name;
    for (size_t t = 0; t < found.size(); ++t)
        for (size_t k = 0; k < 3; ++k) {
            ASSERT_NEAR(found[t][k].x, expected[t][k].x, 1e-6) << name << ", triangle " << t;
            ASSERT_NEAR(found[t][k].y, expected[t][k].y, 1e-6) << name << ", triangle " << t;
            ASSERT_NEAR(found[t][k].z, expected[t][k].z, 1e-6) << name << ", triangle " << t;
        }
}

/// A mesh of 327,680 triangles, in files of every kind.
struct HugeFile {
    const char* name;
    std::string path;
};
std::vector<HugeFile> written(const Mesh& mesh) {
    std::vector<HugeFile> files = {{"obj", in_folder("huge.obj")},
                                   {"ply", in_folder("huge.ply")},
                                   {"ply of a scanner", in_folder("wide.ply")},
                                   {"stl", in_folder("huge.stl")}};
    write_mesh(files[0].path, mesh);
    write_mesh(files[1].path, mesh);
    write_bytes(files[2].path, wide_ply_bytes(mesh));
    write_bytes(files[3].path, stl_bytes(mesh));
    return files;
}

}  // namespace

TEST(ThinnedFile, FacesAreFoundByTheirNumbers) {
    const Mesh mesh = sphere_mesh(0.5f, 5);
    MeshTriangles all(mesh);
    const std::vector<Corners> expected = triangles_of(all);
    for (const HugeFile& file : written(mesh)) {
        const std::unique_ptr<MeshFaces> faces = mesh_faces(file.path);
        ASSERT_TRUE(faces) << file.name;
        ASSERT_EQ(faces->count(), expected.size()) << file.name;
        const MeshFacts facts = examine(mesh);
        const std::optional<Extent> extent = faces->extent();
        ASSERT_TRUE(extent) << file.name;
        EXPECT_NEAR(extent->low.x, facts.low.x, 1e-6) << file.name;
        EXPECT_NEAR(extent->high.z, facts.high.z, 1e-6) << file.name;
        const std::unique_ptr<FaceReader> reader = faces->reader();
        std::vector<Corners> found;
        ASSERT_TRUE(reader->read(0, faces->count(), found)) << file.name;
        expect_alike(found, expected, file.name);
        for (const uint64_t number : {uint64_t(7), uint64_t(20000), faces->count() - 1, uint64_t(3)}) {
            found.clear();
            ASSERT_TRUE(reader->read(number, 1, found)) << file.name;
            expect_alike(found, {expected[static_cast<size_t>(number)]}, file.name);
        }
        found.clear();
        EXPECT_FALSE(reader->read(faces->count() - 1, 2, found)) << file.name;
    }
}

TEST(ThinnedFile, FacesOfAnObjAmongOtherLines) {
    const std::string path = in_folder("lines.obj");
    std::string text = "# made by hand\r\nmtllib some.mtl\n\n";
    for (int i = 0; i < 3000; ++i) {
        const std::string x = std::to_string(i);
        text += "v " + x + " 0 0\r\nvn 0 1 0\nv " + x + " 1.5e0 0\nvt 0 0\nv  " + x + "\t+1 -.25 1\n";
        const int first = 3 * i + 1;
        text += "usemtl snow\nf " + std::to_string(first) + "/1/2 " + std::to_string(first + 1) + "//3 " +
                std::to_string(first + 2) + "\n";
    }
    write_bytes(path, text);
    // A plus sign is read by the other reader only.
    EXPECT_FALSE(obj_faces(path));
    for (size_t at; (at = text.find('+')) != text.npos;) text.erase(at, 1);
    text += "f 1 2 5 4";  // a polygon, and no end of the line
    write_bytes(path, text);
    const std::unique_ptr<MeshFaces> faces = obj_faces(path);
    ASSERT_TRUE(faces);
    std::vector<Corners> found;
    ASSERT_TRUE(faces->reader()->read(0, faces->count(), found));
    FileTriangles all(path, 1);
    expect_alike(found, triangles_of(all), "obj");
}

TEST(ThinnedFile, WhatIsUnusualOrDamagedIsLeftToTheOtherReaders) {
    const Mesh mesh = sphere_mesh(0.5f, 5);
    const auto thinned = [](const char* name, const std::string& bytes) {
        write_bytes(in_folder(name), bytes);
        return bool(ThinnedFile::of(in_folder(name), 1, small));
    };
    const std::string stl = stl_bytes(mesh), ply = wide_ply_bytes(mesh);
    EXPECT_TRUE(thinned("fine.stl", stl));
    EXPECT_TRUE(thinned("fine.ply", ply));
    EXPECT_FALSE(thinned("short.stl", stl.substr(0, stl.size() - 1)));
    EXPECT_FALSE(thinned("short.ply", ply.substr(0, ply.size() - 1)));
    Mesh far = mesh;
    far.points[77].y = NAN;
    EXPECT_FALSE(thinned("far.stl", stl_bytes(far)));
    EXPECT_FALSE(thinned("far.ply", wide_ply_bytes(far)));
    Mesh wrong = mesh;
    for (auto& triangle : wrong.triangles) triangle[1] = 1u << 30;
    EXPECT_FALSE(thinned("wrong.ply", wide_ply_bytes(wrong)));
    std::string obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    for (int i = 0; i < 20000; ++i) obj += "f 1 2 3\n";
    EXPECT_TRUE(thinned("fine.obj", obj));
    std::string backwards = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    for (int i = 0; i < 20000; ++i) backwards += "f -1 -2 -3\n";
    EXPECT_FALSE(thinned("backwards.obj", backwards));
    EXPECT_FALSE(thinned("joined.obj", obj + "f 1 2 \\\n3\n"));
    EXPECT_FALSE(thinned("long.obj", obj + "# " + std::string(5000, 'x') + "\n"));
    EXPECT_FALSE(thinned("none.obj", "v 0 0 0\n# " + std::string(200, 'x') + "\n"));
}

TEST(ThinnedFile, SomeFacesTellAreaVolumeAndPlace) {
    const Mesh mesh = sphere_mesh(0.5f, 7);
    for (const HugeFile& file : written(mesh)) {
        for (const float scale : {1.0f, -2.0f}) {
            const std::unique_ptr<ThinnedFile> some = ThinnedFile::of(file.path, scale, small);
            ASSERT_TRUE(some) << file.name;
            const MeshFacts facts = examine(transformed(mesh, Transform(), scale));
            const MeshSketch seen = sketch(*some);
            EXPECT_FALSE(seen.whole);
            EXPECT_TRUE(seen.facts.closed) << file.name;
            EXPECT_NEAR(seen.facts.area, facts.area, 0.005 * facts.area) << file.name;
            EXPECT_NEAR(seen.facts.volume, facts.volume, 0.005 * facts.volume) << file.name;
            EXPECT_LT(seen.volume_error, 0.005 * facts.volume) << file.name;
            EXPECT_NEAR(seen.facts.high.x, facts.high.x, 1e-5) << file.name;
            EXPECT_NEAR(static_cast<double>(seen.triangles), static_cast<double>(mesh.triangles.size()), 10);
        }
    }
}

TEST(ThinnedFile, CountsAreWithin5PercentOfWhatIsPlaced) {
    Mesh mesh = sphere_mesh(0.5f, 7);
    for (Float3& p : mesh.points) {  // no sphere
        const float bump = 1 + 0.2f * std::sin(7 * p.x) * std::cos(5 * p.z);
        p = {p.x * bump, 0.7f * p.y * bump, p.z};
    }
    const auto off = [](double counted, size_t placed) { return std::abs(counted / static_cast<double>(placed) - 1); };
    const std::vector<HugeFile> files = written(mesh);
    // All of the sketch, patches of what was read, and patches for which more is read.
    for (const float spacing : {0.06f, 0.02f, 0.006f}) {
        SurfaceSettings covering;
        covering.spacing = spacing;
        FillSettings filling;
        filling.spacing = spacing;
        const size_t on_it = sample_surface(mesh, covering).position.size();
        const size_t in_it = fill_mesh(mesh, filling).position.size();
        const size_t upon_it = fill_layer(mesh, 0.03f, filling).position.size();
        for (const HugeFile& file : files) {
            const std::unique_ptr<ThinnedFile> some = ThinnedFile::of(file.path, 1, small);
            ASSERT_TRUE(some) << file.name;
            EXPECT_LT(off(count_surface(*some, covering).particles, on_it), 0.05) << file.name << " " << spacing;
            EXPECT_LT(off(count_filling(*some, filling).particles, in_it), 0.05) << file.name << " " << spacing;
            const std::unique_ptr<ThinnedFile> more = ThinnedFile::of(file.path, 1, {1000, 150000});
            EXPECT_LT(off(count_layer(*more, 0.03f, filling).particles, upon_it), 0.02) << file.name << " " << spacing;
        }
    }
    FillSettings relaxed;
    relaxed.spacing = 0.05f;
    relaxed.relaxed = true;
    EXPECT_LT(off(count_filling(*ThinnedFile::of(files[1].path, 1, small), relaxed).particles,
                  fill_mesh(mesh, relaxed).position.size()),
              0.05);
}

/// A few large triangles among many small ones: whoever misses them misses most of the area.
TEST(ThinnedFile, OfUnequalTrianglesAllAreRead) {
    Mesh mesh = sphere_mesh(0.1f, 6);
    const uint32_t first = static_cast<uint32_t>(mesh.points.size());
    const Mesh floor = plane_mesh(3, 3);
    mesh.points.insert(mesh.points.end(), floor.points.begin(), floor.points.end());
    for (const auto& [a, b, c] : floor.triangles) mesh.triangles.push_back({first + a, first + b, first + c});
    for (const HugeFile& file : written(mesh)) EXPECT_FALSE(ThinnedFile::of(file.path, 1, small)) << file.name;
}

/// Parts that lie in others are filled once, and what is not closed where it winds about.
TEST(ThinnedFile, OverlapsAndHolesAreFilledAsTheyAre) {
    Mesh mesh = sphere_mesh(0.5f, 6);
    Transform aside;
    aside.translation[0] = 0.3;
    const Mesh other = transformed(mesh, aside);
    const uint32_t first = static_cast<uint32_t>(mesh.points.size());
    mesh.points.insert(mesh.points.end(), other.points.begin(), other.points.end());
    for (const auto& [a, b, c] : other.triangles) mesh.triangles.push_back({first + a, first + b, first + c});
    const std::string path = in_folder("overlap.ply");
    write_mesh(path, mesh);
    for (const float spacing : {0.05f, 0.015f}) {
        FillSettings filling;
        filling.spacing = spacing;
        const double placed = static_cast<double>(fill_mesh(mesh, filling).position.size());
        EXPECT_NEAR(count_filling(*ThinnedFile::of(path, 1, small), filling).particles, placed, 0.05 * placed);
    }
}

/// In the sum of balls far apart, most of the volume's terms cancel each other: a few leave noise.
TEST(ThinnedFile, AVolumeThatFewDontTellIsNotTaken) {
    const Mesh ball = sphere_mesh(0.02f, 3);
    Mesh mesh;
    for (int i = 0; i < 64; ++i) {
        Transform place;
        place.translation[0] = 10.0 * (i % 8);
        place.translation[2] = 10.0 * (i / 8);
        const Mesh one = transformed(ball, place);
        const uint32_t first = static_cast<uint32_t>(mesh.points.size());
        mesh.points.insert(mesh.points.end(), one.points.begin(), one.points.end());
        for (const auto& [a, b, c] : one.triangles) mesh.triangles.push_back({first + a, first + b, first + c});
    }
    const std::string path = in_folder("pebbles.ply");
    write_mesh(path, mesh);
    FillSettings filling;
    filling.spacing = 0.005f;
    const std::unique_ptr<ThinnedFile> some = ThinnedFile::of(path, 1, small);
    ASSERT_TRUE(some);
    EXPECT_THROW(count_filling(*some, filling), TooFewTriangles);
}
