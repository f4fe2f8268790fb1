// Meshes: shapes against closed forms, files against what was written, damage against a clear error.

#include "firn/mesh.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "shape_measures.h"

using namespace firn;

namespace {

#define EXPECT_SAYS(action, part) \
    EXPECT_NE(message([&] { action; }).find(part), std::string::npos) << message([&] { action; })

const char* cube_obj =
    "# a cube of quads, relative and full indices\n"
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "vn 0 0 1\nvt 0 0\n"
    "f 1 4 3 2\nf 5/1/1 6/1/1 7/1/1 8/1/1\nf 1//1 2//1 6//1 5//1\n"
    "f -6 -5 \\\n -1 -2\nf 1 5 8 4\nf 2 3 7 6\n";

std::string little(uint32_t value) {
    std::string bytes(4, 0);
    for (int i = 0; i < 4; ++i) bytes[static_cast<size_t>(i)] = static_cast<char>(value >> 8 * i);
    return bytes;
}
std::string little(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    return little(bits);
}
std::string reversed(std::string text) {
    return {text.rbegin(), text.rend()};
}

std::string stl_of(const Mesh& mesh, uint32_t announced) {
    std::string bytes = "solid, says a binary file";
    bytes.resize(80, ' ');
    bytes += little(announced);
    for (const auto& triangle : mesh.triangles) {
        bytes += std::string(12, 0);
        for (const uint32_t corner : triangle) {
            const Float3& p = mesh.points[corner];
            bytes += little(p.x) + little(p.y) + little(p.z);
        }
        bytes += std::string(2, 0);
    }
    return bytes;
}

class Folder {
public:
    Folder() : path_(std::filesystem::temp_directory_path() / ("firn_mesh_" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    std::string operator/(const char* name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

}  // namespace

TEST(MeshShapes, HaveTheAreaAndVolumeOfTheirForm) {
    const MeshFacts box = examine(box_mesh({1, 2, 3}));
    EXPECT_TRUE(box.closed);
    EXPECT_NEAR(box.volume, 6, 1e-6);
    EXPECT_NEAR(box.area, 22, 1e-6);
    EXPECT_EQ(box.high.z, 1.5f);

    const MeshFacts sphere = examine(sphere_mesh(2, 5));
    EXPECT_TRUE(sphere.closed);
    // The icosphere lies inside the sphere; its edges are 2 * 1.107 / 32 long, the loss grows with their square.
    EXPECT_NEAR(sphere.volume, 4.0 / 3 * pi * 8, 0.002 * 4.0 / 3 * pi * 8);
    EXPECT_LT(sphere.volume, 4.0 / 3 * pi * 8);
    EXPECT_NEAR(sphere.area, 4 * pi * 4, 0.002 * 4 * pi * 4);

    const int n = 48;
    const MeshFacts cylinder = examine(cylinder_mesh(0.5f, 3, n));
    const double base = 0.5 * n * 0.25 * std::sin(2 * pi / n);
    EXPECT_TRUE(cylinder.closed);
    EXPECT_NEAR(cylinder.volume, 3 * base, 1e-5);
    EXPECT_NEAR(cylinder.area, 2 * base + 3 * n * std::sin(pi / n), 1e-5);
    EXPECT_EQ(cylinder.high.y, 1.5f);

    const Mesh plane = plane_mesh(2, 3);
    const MeshFacts facts = examine(plane);
    EXPECT_FALSE(facts.closed);
    EXPECT_EQ(facts.open_edges, 4u);
    EXPECT_NEAR(facts.area, 6, 1e-6);

    EXPECT_SAYS(box_mesh({1, 0, 1}), "positive");
    EXPECT_SAYS(sphere_mesh(NAN), "positive");
    EXPECT_SAYS(cylinder_mesh(1, 1, 2), "segments");
}

TEST(MeshShapes, KeepTheirVolumeWhenTheyAreTurnedAndMirrored) {
    Transform turn;
    const double c = std::cos(0.3), s = std::sin(0.3);
    const double r[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    std::copy(r, r + 9, turn.rotation);
    turn.translation[1] = 7;
    const MeshFacts twice = examine(transformed(box_mesh({1, 2, 3}), turn, 2));
    EXPECT_NEAR(twice.volume, 48, 1e-4);
    EXPECT_GT(twice.low.y, 3);
    EXPECT_NEAR(examine(transformed(box_mesh({1, 2, 3}), turn, -1)).volume, 6, 1e-5);
}

TEST(MeshFacts, TellHolesFlapsTurnedFacesAndInsideOut) {
    Mesh mesh = box_mesh({1, 1, 1});
    mesh.triangles.pop_back();
    EXPECT_EQ(examine(mesh).open_edges, 3u);
    EXPECT_FALSE(examine(mesh).closed);

    mesh = box_mesh({1, 1, 1});
    mesh.triangles.push_back({0, 1, 7});  // a wall through the inside: three edges, one of them new
    EXPECT_GE(examine(mesh).non_manifold_edges, 1u);

    mesh = box_mesh({1, 1, 1});
    std::swap(mesh.triangles[3][0], mesh.triangles[3][1]);
    EXPECT_EQ(examine(mesh).turned_edges, 3u);

    mesh = box_mesh({1, 1, 1});
    for (auto& triangle : mesh.triangles) std::swap(triangle[0], triangle[1]);
    EXPECT_TRUE(examine(mesh).closed);
    EXPECT_NEAR(examine(mesh).volume, -1, 1e-6);

    // Unwelded corners are no holes; triangles without area are counted and harmless.
    Mesh soup;
    for (const auto& triangle : box_mesh({1, 1, 1}).triangles) {
        const uint32_t n = static_cast<uint32_t>(soup.points.size());
        for (const uint32_t corner : triangle) soup.points.push_back(box_mesh({1, 1, 1}).points[corner]);
        soup.triangles.push_back({n, n + 1, n + 2});
    }
    soup.triangles.push_back({0, 1, 0});
    EXPECT_TRUE(examine(soup).closed);
    EXPECT_EQ(examine(soup).degenerate_triangles, 1u);

    mesh.triangles[0][1] = 99;
    EXPECT_SAYS(examine(mesh), "corner 99");
    mesh = box_mesh({1, 1, 1});
    mesh.points[4].y = NAN;
    EXPECT_SAYS(examine(mesh), "point 4");
}

TEST(MeshFiles, AreKnownByTheirEndings) {
    for (const char* path : {"a.obj", "A.OBJ", "some/where.1/b.Ply", "c.stl"}) EXPECT_TRUE(is_mesh_file(path)) << path;
    for (const char* path : {"a.vdb", "obj", "a.obj.txt", "", "obj.ply/heights.png"})
        EXPECT_FALSE(is_mesh_file(path)) << path;
}

TEST(MeshFiles, ObjOfQuadsWithAllKindsOfIndices) {
    const Mesh cube = parse_obj(cube_obj, "cube.obj");
    EXPECT_EQ(cube.points.size(), 8u);
    EXPECT_EQ(cube.triangles.size(), 12u);
    EXPECT_TRUE(examine(cube).closed);
    EXPECT_NEAR(examine(cube).volume, 1, 1e-6);
}

TEST(MeshFiles, PolygonsThatAreNotConvexKeepTheirArea) {
    // An arrow head and a comb, counter-clockwise about +z; the fan from the first corner would leave both.
    const Mesh arrow = parse_obj("v 0 0 0\nv 2 -1 0\nv 0 2 0\nv -2 -1 0\nf 2 3 4 1\n", "arrow.obj");
    EXPECT_NEAR(examine(arrow).area, 4, 1e-6);
    const Mesh comb = parse_obj(
        "v 0 0 0\nv 5 0 0\nv 5 3 0\nv 4 3 0\nv 4 1 0\nv 3 1 0\nv 3 3 0\nv 2 3 0\nv 2 1 0\nv 1 1 0\nv 1 3 0\nv 0 3 0\n"
        "f 1 2 3 4 5 6 7 8 9 10 11 12\n",
        "comb.obj");
    EXPECT_EQ(comb.triangles.size(), 10u);
    EXPECT_NEAR(examine(comb).area, 11, 1e-6);
}

TEST(MeshFiles, PlyInAllThreeOrdersAreTheSameMesh) {
    const std::string header_end =
        "comment x\nelement vertex 4\nproperty uchar red\nproperty float x\nproperty double y\nproperty float z\n"
        "element edge 1\nproperty list uchar short ends\nelement face 2\nproperty list uchar int vertex_indices\n"
        "property float weight\nend_header\n";
    const float xyz[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0.25f}, {0, 1, -2}};
    const auto binary = [&](bool big) {
        const auto order = [&](std::string b) { return big ? reversed(b) : b; };
        std::string bytes;
        for (const auto& p : xyz) {
            double y = p[1];
            uint64_t bits;
            std::memcpy(&bits, &y, 8);
            bytes += '\7';
            bytes += order(little(p[0]));
            bytes += order(little(static_cast<uint32_t>(bits)) + little(static_cast<uint32_t>(bits >> 32)));
            bytes += order(little(p[2]));
        }
        bytes += '\2';
        bytes += std::string(4, 1);
        for (const auto& face : {std::array<uint32_t, 3>{0, 1, 2}, std::array<uint32_t, 3>{0, 2, 3}}) {
            bytes += '\3';
            for (const uint32_t corner : face) bytes += order(little(corner));
            bytes += std::string(4, 0);
        }
        return bytes;
    };
    const Mesh text = parse_ply("ply\nformat ascii 1.0\n" + header_end +
                                    "7 0 0 0\n7 1 0 0\n7 1 1 0.25\n7 0 1 -2\n2 0 1\n3 0 1 2 0.5\n3 0 2 3 0.5\n",
                                "a.ply");
    const Mesh small = parse_ply("ply\r\nformat binary_little_endian 1.0\n" + header_end + binary(false), "b.ply");
    const Mesh large = parse_ply("ply\nformat binary_big_endian 1.0\n" + header_end + binary(true), "c.ply");
    for (const Mesh* mesh : {&text, &small, &large}) {
        ASSERT_EQ(mesh->points.size(), 4u);
        EXPECT_EQ(mesh->triangles, text.triangles);
        for (size_t i = 0; i < 4; ++i) {
            EXPECT_EQ(mesh->points[i].x, xyz[i][0]);
            EXPECT_EQ(mesh->points[i].y, xyz[i][1]);
            EXPECT_EQ(mesh->points[i].z, xyz[i][2]);
        }
    }
}

TEST(MeshFiles, StlJoinsItsCorners) {
    const Mesh box = box_mesh({1, 2, 3});
    const Mesh binary = parse_stl(stl_of(box, 12), "box.stl");
    EXPECT_EQ(binary.points.size(), 8u);
    EXPECT_TRUE(examine(binary).closed);
    EXPECT_NEAR(examine(binary).volume, 6, 1e-6);

    std::string text = "solid box\n";
    for (const auto& triangle : box.triangles) {
        text += " facet normal 0 0 0\n  outer loop\n";
        for (const uint32_t corner : triangle) {
            const Float3& p = box.points[corner];
            text += "   vertex " + std::to_string(p.x) + " " + std::to_string(p.y) + " " + std::to_string(p.z) + "\n";
        }
        text += "  endloop\n endfacet\n";
    }
    const Mesh read = parse_stl(text + "endsolid box\n", "box.stl");
    EXPECT_EQ(read.points.size(), 8u);
    EXPECT_NEAR(examine(read).volume, 6, 1e-6);
}

TEST(MeshFiles, WhatIsWrittenIsReadToTheBit) {
    const Folder folder;
    const Mesh mesh = sphere_mesh(0.3337f, 2);
    for (const char* name : {"s.obj", "s.ply", "S.PLY"}) {
        write_mesh(folder / name, mesh);
        const Mesh back = read_mesh(folder / name);
        EXPECT_EQ(back.triangles, mesh.triangles);
        ASSERT_EQ(back.points.size(), mesh.points.size());
        EXPECT_EQ(std::memcmp(back.points.data(), mesh.points.data(), mesh.points.size() * sizeof(Float3)), 0);
    }
    EXPECT_SAYS(write_mesh(folder / "s.fbx", mesh), ".obj or .ply");
    EXPECT_SAYS(read_mesh(folder / "missing.obj"), "no such file");
    EXPECT_SAYS(read_mesh(folder / "."), "not a file");
}

// Files are read a megabyte at a time; from memory they are parsed as a whole.
TEST(MeshFiles, LongFilesAreReadAsTheyAreParsed) {
    const Mesh ball = sphere_mesh(0.7f, 6);  // 81,920 triangles
    std::string obj = "# " + std::string(3000000, 'x') + "\n", ply, stl = "solid ball\n";
    ply = "ply\nformat ascii 1.0\nelement vertex " + std::to_string(ball.points.size()) +
          "\nproperty float x\nproperty float y\nproperty float z\nelement face " +
          std::to_string(ball.triangles.size()) + "\nproperty list uchar int vertex_indices\nend_header\n";
    char line[200];
    for (const Float3& p : ball.points) {
        std::snprintf(line, sizeof line, "%.9g %.9g %.9g\n", double(p.x), double(p.y), double(p.z));
        obj += std::string("v ") + line;
        ply += line;
    }
    for (const auto& [a, b, c] : ball.triangles) {
        obj += "f " + std::to_string(a + 1) + " " + std::to_string(b + 1) + " \\\n" + std::to_string(c + 1) + "\n";
        ply += "3 " + std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(c) + "\n";
        stl += "facet normal 0 0 0\nouter loop\n";
        for (const uint32_t corner : {a, b, c}) {
            const Float3& p = ball.points[corner];
            std::snprintf(line, sizeof line, "vertex %.9g %.9g %.9g\n", double(p.x), double(p.y), double(p.z));
            stl += line;
        }
        stl += "endloop\nendfacet\n";
    }
    const Folder folder;
    const auto check = [&](const std::string& text, const char* kind, const Mesh& parsed, size_t points) {
        SCOPED_TRACE(kind);
        std::ofstream(folder / kind, std::ios::binary) << text;
        const Mesh read = read_mesh(folder / kind);
        ASSERT_EQ(read.points.size(), points);
        EXPECT_EQ(std::memcmp(read.points.data(), parsed.points.data(), points * sizeof(Float3)), 0);
        EXPECT_EQ(read.triangles, parsed.triangles);
        EXPECT_TRUE(examine(read).closed);
        EXPECT_NEAR(examine(read).area, examine(ball).area, 1e-9);
    };
    check(obj, "ball.obj", firn::parse_obj(obj, "ball"), ball.points.size());
    check(ply, "ball.ply", firn::parse_ply(ply, "ball"), ball.points.size());
    check(stl, "ball.stl", firn::parse_stl(stl, "ball"), ball.points.size());
}

TEST(MeshFiles, DamageIsToldWithItsPlace) {
    EXPECT_SAYS(parse_obj("v 0 0 0\nv 1 0 nan\n", "bad.obj"), "bad.obj:2: coordinate is nan");
    EXPECT_SAYS(parse_obj("v 0 0 1e99\n", "bad.obj"), "bad.obj:1: coordinate is 1e99");
    EXPECT_SAYS(parse_obj("v 0 0\n", "bad.obj"), "bad.obj:1: a point needs three");
    EXPECT_SAYS(parse_obj("v 0 0 x\n", "bad.obj"), "'x' is no number");
    EXPECT_SAYS(parse_obj("v 0 0 0\nv 1 0 0\nv 1 1 0\n\nf 1 2 4\n", "bad.obj"), "bad.obj:5: a face has corner 4");
    EXPECT_SAYS(parse_obj("v 0 0 0\nf 1 1 0\n", "bad.obj"), "corner 0");
    EXPECT_SAYS(parse_obj("v 0 0 0\nf -2 1 1\n", "bad.obj"), "corner -2");
    EXPECT_SAYS(parse_obj("v 0 0 0\nf 1 99999999999999999999 1\n", "bad.obj"), "no whole number");
    EXPECT_SAYS(parse_obj("v 0 0 0\nf 1 1\n", "bad.obj"), "three corners");
    EXPECT_SAYS(parse_obj("", "bad.obj"), "no faces");
    EXPECT_SAYS(parse_obj(std::string("\0\1\2", 3), "bad.obj"), "text file");
    EXPECT_EQ(parse_obj("v 1e-60 +1 .5 1\nv 1 0 0 0.2 0.3 0.4\nv 0 0 -1e-400\nf 1 2 3\n", "ok.obj").points[2].z, 0);

    EXPECT_SAYS(parse_ply("plx", "bad.ply"), "bad.ply:1");
    EXPECT_SAYS(parse_ply("ply\nformat ascii 1.0\nelement vertex 3\n", "bad.ply"), "end_header");
    const std::string header =
        "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\n"
        "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
    EXPECT_SAYS(parse_ply(header, "bad.ply"), "announces 4000000000");
    EXPECT_SAYS(parse_ply("ply\nformat ascii 1.0\nelement vertex 9223372036854775807\nend_header\n", "bad.ply"),
                "announces");
    const std::string text =
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
        "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
    EXPECT_SAYS(parse_ply(text + "0 0 0\n3 0 0 1\n", "bad.ply"), "bad.ply:11: face 0 has corner 1");
    EXPECT_SAYS(parse_ply(text + "0 inf 0\n3 0 0 0\n", "bad.ply"), "bad.ply:10");
    EXPECT_SAYS(parse_ply(text + "0 0 0\n3 0 0", "bad.ply"), "cut off");

    const std::string stl = stl_of(box_mesh({1, 1, 1}), 12);
    EXPECT_SAYS(parse_stl(stl.substr(0, 300), "bad.stl"), "announces 12 triangles (684 bytes), but has only 300");
    EXPECT_SAYS(parse_stl("short", "bad.stl"), "too few");
    std::string hostile = stl_of(box_mesh({1, 1, 1}), 0xffffffffu);
    hostile[0] = 'x';
    EXPECT_SAYS(parse_stl(hostile, "bad.stl"), "announces 4294967295");
    std::string nan = stl;
    std::memset(&nan[84 + 12], 0xff, 4);
    EXPECT_SAYS(parse_stl(nan, "bad.stl"), "byte 96: triangle 0");
    EXPECT_SAYS(parse_stl("solid x\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nendloop\n", "bad.stl"), "bad.stl:5");
}
