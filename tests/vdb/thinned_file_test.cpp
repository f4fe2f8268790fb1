// Huge mesh files, of which some faces tell the rest; with smaller files that are taken for huge.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "firn/counts.h"
#include "own_file.h"
#include "samples/counting.h"
#include "samples/mesh_sketch.h"
#include "samples/text_lines.h"
#include "samples/thinned_file.h"
#include "shape_measures.h"

using namespace firn;

namespace {

constexpr Thinning small{/*least_faces=*/1000, /*faces_read=*/40000};

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

/// As a PLY of the order "little", "big" or "text" with more than is needed: faces before which a flag stands, quads
/// among them if `mixed`, and edges behind them.
std::string ply_bytes(const Mesh& mesh, const std::string& order, bool mixed) {
    std::string values;
    size_t count = 0;
    const auto put = [&](auto value) {
        std::string bytes;
        append(bytes, value);
        if (order == "big") std::reverse(bytes.begin(), bytes.end());
        values += order == "text" ? std::to_string(+value) + " " : bytes;
    };
    const auto end_line = [&] { values += order == "text" ? "\n" : ""; };
    for (const Float3& p : mesh.points) {
        put(p.x), put(uint8_t(7)), put(p.y), put(p.z);
        end_line();
    }
    for (size_t t = 0; t < mesh.triangles.size(); ++t, ++count) {
        const auto& [a, b, c] = mesh.triangles[t];
        put(uint8_t(1));
        // A corner twice makes no other surface.
        const bool quad = mixed && t % 3 == 0;
        put(uint16_t(quad ? 4 : 3)), put(a), put(b), put(c);
        if (quad) put(c);
        end_line();
    }
    put(5);
    end_line();
    const std::string name = order == "text" ? "ascii" : "binary_" + order + "_endian";
    return "ply\nformat " + name + " 1.0\nelement vertex " + std::to_string(mesh.points.size()) +
           "\nproperty float x\nproperty uchar red\nproperty float y\nproperty float z\nelement face " +
           std::to_string(count) +
           "\nproperty uchar flag\nproperty list ushort uint vertex_indices\nelement edge 1\nproperty int "
           "a\nend_header\n" +
           values;
}

/// Faces that count from the last point before them, which stands among them.
std::string backwards_obj_bytes(const Mesh& mesh) {
    std::string text;
    size_t points = 0;
    for (const auto& triangle : mesh.triangles) {
        for (const size_t last = *std::max_element(triangle.begin(), triangle.end()); points <= last; ++points) {
            const Float3& p = mesh.points[points];
            text += "v " + std::to_string(p.x) + " " + std::to_string(p.y) + " " + std::to_string(p.z) + "\n";
        }
        text += "f";
        for (const uint32_t corner : triangle) text += " -" + std::to_string(points - corner);
        text += "\n";
    }
    return text;
}

std::string text_stl_bytes(const Mesh& mesh) {
    std::string text = "solid some name\n";
    for (const auto& triangle : mesh.triangles) {
        text += "  facet normal 0 0 1e0\n    outer loop\n";
        for (const uint32_t corner : triangle) {
            const Float3& p = mesh.points[corner];
            char line[96];
            std::snprintf(line, sizeof line, "      vertex %.7e %.8g %f\r\n", double(p.x), double(p.y), double(p.z));
            text += line;
        }
        text += "    endloop\n  endfacet\n";
    }
    return text + "endsolid some name\n";
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
    std::vector<HugeFile> files = {{"obj", own_file("huge.obj")},
                                   {"ply", own_file("huge.ply")},
                                   {"ply of a scanner", own_file("wide.ply")},
                                   {"stl", own_file("huge.stl")},
                                   {"text ply", own_file("text.ply")},
                                   {"big-endian ply", own_file("big.ply")},
                                   {"ply of triangles and quads", own_file("mixed.ply")},
                                   {"text ply of triangles and quads", own_file("mixed_text.ply")},
                                   {"obj that counts backwards", own_file("backwards.obj")},
                                   {"text stl", own_file("text.stl")}};
    write_mesh(files[0].path, mesh);
    write_mesh(files[1].path, mesh);
    write_text(files[2].path, wide_ply_bytes(mesh));
    write_text(files[3].path, stl_bytes(mesh));
    write_text(files[4].path, ply_bytes(mesh, "text", false));
    write_text(files[5].path, ply_bytes(mesh, "big", false));
    write_text(files[6].path, ply_bytes(mesh, "little", true));
    write_text(files[7].path, ply_bytes(mesh, "text", true));
    write_text(files[8].path, backwards_obj_bytes(mesh));
    write_text(files[9].path, text_stl_bytes(mesh));
    return files;
}

}  // namespace

TEST(ThinnedFile, FacesAreFoundByTheirNumbers) {
    const Mesh mesh = sphere_mesh(0.5f, 5);
    for (const HugeFile& file : written(mesh)) {
        FileTriangles all(file.path, 1);
        const std::vector<Corners> expected = triangles_of(all);
        const std::unique_ptr<MeshFaces> faces = mesh_faces(file.path);
        ASSERT_TRUE(faces) << file.name;
        if (file.name == std::string("text stl")) continue;  // whose faces have no numbers
        ASSERT_EQ(faces->count(), mesh.triangles.size()) << file.name;
        const MeshFacts facts = examine(mesh);
        const std::optional<Extent> extent = faces->extent();
        ASSERT_TRUE(extent) << file.name;
        EXPECT_NEAR(extent->low.x, facts.low.x, 1e-6) << file.name;
        EXPECT_NEAR(extent->high.z, facts.high.z, 1e-6) << file.name;
        const std::unique_ptr<FaceReader> reader = faces->reader();
        std::vector<Corners> found;
        ASSERT_TRUE(reader->read(0, faces->count(), found)) << file.name;
        expect_alike(found, expected, file.name);
        if (faces->count() != expected.size()) continue;  // quads
        for (const uint64_t number : {uint64_t(7), uint64_t(20000), faces->count() - 1, uint64_t(3)}) {
            found.clear();
            ASSERT_TRUE(reader->read(number, 1, found)) << file.name;
            expect_alike(found, {expected[static_cast<size_t>(number)]}, file.name);
        }
        found.clear();
        EXPECT_FALSE(reader->read(faces->count() - 1, 2, found)) << file.name;
    }
}

/// By where they are in the file: each is one of the mesh's, near where its number would be.
TEST(ThinnedFile, FacetsOfATextStlAreFoundByPlace) {
    const Mesh mesh = sphere_mesh(0.5f, 5);
    const std::string path = own_file("facets.stl");
    write_text(path, text_stl_bytes(mesh));
    const std::unique_ptr<MeshFaces> faces = stl_faces(path);
    ASSERT_TRUE(faces);
    MeshTriangles all(mesh);
    const std::vector<Corners> expected = triangles_of(all);
    EXPECT_NEAR(double(faces->count()), double(expected.size()), 0.002 * double(expected.size()));
    const std::unique_ptr<FaceReader> reader = faces->reader();
    const auto same = [](const Corners& a, const Corners& b) {
        for (size_t k = 0; k < 3; ++k)
            if (std::hypot(a[k].x - b[k].x, a[k].y - b[k].y, a[k].z - b[k].z) > 2e-6) return false;
        return true;
    };
    for (uint64_t number = 0; number < faces->count(); number += 97) {
        std::vector<Corners> found;
        ASSERT_TRUE(reader->read(number, 1, found)) << number;
        const auto at =
            std::find_if(expected.begin(), expected.end(), [&](const Corners& c) { return same(c, found[0]); });
        ASSERT_NE(at, expected.end()) << number;
        EXPECT_NEAR(double(at - expected.begin()), double(number), 0.02 * double(expected.size()));
    }
    // One after the other, as they are; and behind the last none.
    std::vector<Corners> found;
    ASSERT_TRUE(reader->read(100, 50, found));
    const auto first =
        std::find_if(expected.begin(), expected.end(), [&](const Corners& c) { return same(c, found[0]); });
    ASSERT_NE(first, expected.end());
    for (size_t k = 0; k < found.size(); ++k)
        EXPECT_TRUE(same(found[k], *(first + static_cast<std::ptrdiff_t>(k)))) << k;
    EXPECT_FALSE(reader->read(faces->count(), 1, found));
}

TEST(ThinnedFile, NumbersInTextsAreThoseThatOtherReadersSee) {
    for (const std::string text : {"0", "-0.5", "12.25", "1e3", "-1.5E-3", "7.0e+05", "1.17549435e-38", "3.4e38",
                                   "123456789012345678", "0.00000000000000000000125", "5.", ".5", "1e-30"}) {
        const char* at = text.data();
        float value = 0;
        ASSERT_TRUE(number_at(at, text.data() + text.size(), value)) << text;
        EXPECT_FLOAT_EQ(value, std::strtof(text.c_str(), nullptr)) << text;
        EXPECT_EQ(at, text.data() + text.size());
    }
    for (const std::string text : {"", "-", "e3", "1e", "1e+", "1.5x", "nan", "inf", "1e39", "--1", "+1", "1e999"}) {
        const char* at = text.data();
        float value = 0;
        EXPECT_FALSE(number_at(at, text.data() + text.size(), value)) << text;
    }
}

TEST(ThinnedFile, FacesOfAnObjAmongOtherLines) {
    const std::string path = own_file("lines.obj");
    std::string text = "# made by hand\r\nmtllib some.mtl\n\n";
    for (int i = 0; i < 3000; ++i) {
        const std::string x = std::to_string(i);
        text += "v " + x + " 0 0\r\nvn 0 1 0\nv " + x + " 1.5e0 0\nvt 0 0\nv  " + x + "\t+1 -.25 1\n";
        const int first = 3 * i + 1;
        text += "usemtl snow\nf " + std::to_string(first) + "/1/2 " + std::to_string(first + 1) + "//3 " +
                std::to_string(first + 2) + "\n";
    }
    write_text(path, text);
    // A plus sign is read by the other reader only.
    EXPECT_FALSE(obj_faces(path));
    for (size_t at; (at = text.find('+')) != text.npos;) text.erase(at, 1);
    text += "f 1 2 5 4";  // a polygon, and no end of the line
    write_text(path, text);
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
        write_text(own_file(name), bytes);
        return bool(ThinnedFile::of(own_file(name), 1, small));
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
    for (const char* order : {"little", "big", "text"}) {
        const std::string fine = ply_bytes(mesh, order, true);
        EXPECT_TRUE(thinned("fine.ply", fine)) << order;
        EXPECT_FALSE(thinned("short.ply", fine.substr(0, fine.size() * 3 / 4))) << order;
        EXPECT_FALSE(thinned("wrong.ply", ply_bytes(wrong, order, true))) << order;
        EXPECT_FALSE(thinned("far.ply", ply_bytes(far, order, true))) << order;
    }
    const std::string text = text_stl_bytes(mesh), word = "endloop";
    EXPECT_TRUE(thinned("fine_text.stl", text));
    std::string damaged = text;
    for (size_t at = 0; (at = damaged.find(word, at)) != damaged.npos; at += 900) damaged[at] = 'x';
    EXPECT_FALSE(thinned("damaged_text.stl", damaged));
    EXPECT_FALSE(thinned("far_text.stl", text_stl_bytes(far)));
    EXPECT_FALSE(thinned("blank_text.ply", ply_bytes(mesh, "text", false) + "\n"));
    std::string obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    for (int i = 0; i < 20000; ++i) obj += "f 1 2 3\n";
    EXPECT_TRUE(thinned("fine.obj", obj));
    std::string backwards = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    for (int i = 0; i < 20000; ++i) backwards += "f -1 -2 -3\n";
    EXPECT_TRUE(thinned("backwards.obj", backwards));
    std::string before = backwards;
    for (size_t at = 0; (at = before.find("-1", at)) != before.npos;) before[at + 1] = '4';
    EXPECT_FALSE(thinned("before.obj", before));
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
            const bool quads = std::string(file.name).find("quads") != std::string::npos;
            const double triangles = (quads ? 4.0 / 3 : 1.0) * static_cast<double>(mesh.triangles.size());
            EXPECT_NEAR(static_cast<double>(seen.triangles), triangles, 2e-3 * triangles) << file.name;
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
    const std::vector<HugeFile> all = written(mesh), files = {all[0], all[3], all[6], all[9]};
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
    EXPECT_LT(off(count_filling(*ThinnedFile::of(all[1].path, 1, small), relaxed).particles,
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
    const std::string path = own_file("overlap.ply");
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
    const std::string path = own_file("pebbles.ply");
    write_mesh(path, mesh);
    FillSettings filling;
    filling.spacing = 0.005f;
    const std::unique_ptr<ThinnedFile> some = ThinnedFile::of(path, 1, small);
    ASSERT_TRUE(some);
    EXPECT_THROW(count_filling(*some, filling), TooFewTriangles);
}
