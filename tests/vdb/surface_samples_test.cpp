// Surface samples, judged by dense random points on the same surface and by brute force.

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <random>

#include "firn/samples.h"
#include "shape_measures.h"

using namespace firn;

namespace {

struct Point {
    double x, y, z;
};
Point operator-(const Point& a, const Point& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
double dot(const Point& a, const Point& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
Point cross(const Point& a, const Point& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Point point(const Float3& p) {
    return {p.x, p.y, p.z};
}

struct OnSurface {
    Point at, normal;
    double area;  ///< m^2 of its stratum
};
/// Every triangle is cut into equal parts of `part` m^2 or less, long ones into shorter; a random point in each. What
/// is counted with them has noise only from the parts that a border cuts.
std::vector<OnSurface> random_points(const Mesh& mesh, double part) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> share(0, 1);
    std::vector<OnSurface> points;
    for (const auto& [a, b, c] : mesh.triangles) {
        const Point o = point(mesh.points[a]), ab = point(mesh.points[b]) - o, ac = point(mesh.points[c]) - o;
        const Point n = cross(ab, ac), bc = ac - ab;
        const double twice = std::sqrt(dot(n, n)),
                     longest = std::sqrt(std::max({dot(ab, ab), dot(ac, ac), dot(bc, bc)}));
        if (!(twice > 0)) continue;
        const int cuts = std::max({1, int(std::ceil(std::sqrt(0.5 * twice / part))),
                                   std::min(int(std::ceil(0.5 * longest / std::sqrt(part))), 60)});
        const Point normal{n.x / twice, n.y / twice, n.z / twice};
        for (int i = 0; i < cuts; ++i) {
            for (int j = 0; j < cuts - i; ++j) {
                for (int upside_down = 0; upside_down < (j < cuts - i - 1 ? 2 : 1); ++upside_down) {
                    double u = share(random), v = share(random);
                    if ((u + v > 1) != (upside_down == 1)) {
                        u = 1 - u;
                        v = 1 - v;
                    }
                    u = (i + u) / cuts;
                    v = (j + v) / cuts;
                    points.push_back({{o.x + u * ab.x + v * ac.x, o.y + u * ab.y + v * ac.y, o.z + u * ab.z + v * ac.z},
                                      normal,
                                      0.5 * twice / (double(cuts) * cuts)});
                }
            }
        }
    }
    return points;
}

struct Judgement {
    double samples_per_square = 0;               ///< 1 = one for each spacing^2
    double smallest = 0, largest = 0, hole = 0;  ///< cells over the mean; the farthest place from all samples, spacings
    double own_error = 0;  ///< the largest between a sample's own area and its cell, over the mean
};
/// Cells and holes on the sheet that each place belongs to: the two sides of a thin plate don't serve each other.
/// `points_each` points for a cell; with a perimeter of about 4 sqrt(points_each) parts, each of which is in or out,
/// its area has a standard error of about 0.8 points_each^(-3/4).
Judgement judge(const Mesh& mesh, const SurfaceSamples& samples, double spacing, double points_each) {
    const size_t n = samples.position.size();
    const double mean = examine(mesh).area / double(n);
    std::map<std::array<int, 3>, std::vector<size_t>> cells;
    const auto place = [&](const Point& p, int dx, int dy, int dz) {
        return std::array<int, 3>{int(std::floor(p.x / spacing)) + dx, int(std::floor(p.y / spacing)) + dy,
                                  int(std::floor(p.z / spacing)) + dz};
    };
    for (size_t i = 0; i < n; ++i) {
        for (int around = 0; around < 27; ++around) {
            cells[place(point(samples.position[i]), around % 3 - 1, around / 3 % 3 - 1, around / 9 - 1)].push_back(i);
        }
    }
    std::vector<double> cell(n, 0);
    Judgement found;
    std::array<int, 3> last = place({0, 0, 0}, 0, 0, 0);
    const std::vector<size_t>* near = &cells[last];
    for (const OnSurface& p : random_points(mesh, mean / points_each)) {
        double best = spacing * spacing;
        size_t who = n;
        if (const auto here = place(p.at, 0, 0, 0); here != last) {
            last = here;
            near = &cells[here];
        }
        for (const size_t i : *near) {
            const Point d = point(samples.position[i]) - p.at;
            if (dot(d, d) < best && dot(point(samples.normal[i]), p.normal) > -0.5) {
                best = dot(d, d);
                who = i;
            }
        }
        found.hole = std::max(found.hole, std::sqrt(best) / spacing);
        if (who < n) cell[who] += p.area / mean;
    }
    for (size_t i = 0; i < n; ++i) {
        found.own_error = std::max(found.own_error, std::abs(samples.area[i] / mean - cell[i]));
    }
    found.samples_per_square = spacing * spacing / mean;
    found.smallest = *std::min_element(cell.begin(), cell.end());
    found.largest = *std::max_element(cell.begin(), cell.end());
    return found;
}

SurfaceSettings at_spacing(float spacing, float depth) {
    SurfaceSettings settings;
    settings.spacing = spacing;
    settings.depth = depth;
    return settings;
}

Transform turn_and_move() {
    Transform t;
    const double c = std::cos(0.7), s = std::sin(0.7);
    const double r[9] = {c, 0, s, 0, 1, 0, -s, 0, c};
    std::copy(r, r + 9, t.rotation);
    t.translation[0] = 1.5;
    t.translation[1] = -2;
    return t;
}

Float3 carried(const Transform& t, const Float3& p) {
    const double* r = t.rotation;
    return {static_cast<float>(r[0] * p.x + r[1] * p.y + r[2] * p.z + t.translation[0]),
            static_cast<float>(r[3] * p.x + r[4] * p.y + r[5] * p.z + t.translation[1]),
            static_cast<float>(r[6] * p.x + r[7] * p.y + r[8] * p.z + t.translation[2])};
}

/// A plane of slivers: strips a hundred times as long as wide.
Mesh sliver_plane() {
    Mesh mesh;
    for (uint32_t i = 0; i <= 100; ++i) {
        mesh.points.push_back({0.01f * float(i), 0, 0});
        mesh.points.push_back({0.01f * float(i), 0, 1});
        if (i == 0) continue;
        const uint32_t a = 2 * i - 2;
        mesh.triangles.push_back({a, a + 1, a + 3});
        mesh.triangles.push_back({a, a + 3, a + 2});
    }
    return mesh;
}

Mesh torus_mesh(double large, double small, uint32_t around, uint32_t across) {
    Mesh mesh;
    for (uint32_t i = 0; i < around; ++i) {
        for (uint32_t j = 0; j < across; ++j) {
            const double a = 2 * pi * i / around, b = 2 * pi * j / across, r = large + small * std::cos(b);
            mesh.points.push_back({float(r * std::cos(a)), float(small * std::sin(b)), float(r * std::sin(a))});
            const uint32_t next = (i + 1) % around * across, here = i * across, side = (j + 1) % across;
            mesh.triangles.push_back({here + j, here + side, next + j});
            mesh.triangles.push_back({here + side, next + side, next + j});
        }
    }
    return mesh;
}

/// Its edge along z, at x = length.
Mesh wedge_mesh(float length, float height, float depth) {
    const float h = 0.5f * height;
    return {{{0, -h, 0}, {0, h, 0}, {length, 0, 0}, {0, -h, depth}, {0, h, depth}, {length, 0, depth}},
            {{0, 1, 2}, {3, 5, 4}, {0, 3, 4}, {0, 4, 1}, {1, 4, 5}, {1, 5, 2}, {0, 2, 5}, {0, 5, 3}}};
}

Heightfield hills(int cells, float cell, float height) {
    Heightfield field;
    field.columns = field.rows = cells + 1;
    field.cell = cell;
    for (int j = 0; j <= cells; ++j) {
        for (int i = 0; i <= cells; ++i) {
            field.height.push_back(height * std::sin(12 * cell * float(i)) * std::cos(8 * cell * float(j)));
        }
    }
    return field;
}

}  // namespace

TEST(SurfaceSamples, EachStandsForTheSameAreaWithin20PercentAndThereAreNoHoles) {
    struct Case {
        const char* name;
        Mesh mesh;
        float spacing;
    };
    const Case cases[] = {
        {"plane of two huge triangles", plane_mesh(1, 1), 0.04f},
        {"slivers", sliver_plane(), 0.04f},
        {"open grid", heightfield_mesh(hills(50, 0.02f, 0)), 0.04f},
        {"heightfield", heightfield_mesh(hills(64, 0.0156f, 0.08f)), 0.04f},
        {"sphere", sphere_mesh(0.5f, 4), 0.06f},
        {"sphere of tiny triangles", sphere_mesh(0.5f, 6), 0.05f},
        {"icosahedron", sphere_mesh(0.5f, 0), 0.05f},
        {"torus", torus_mesh(0.5, 0.2, 96, 48), 0.05f},
        {"box", box_mesh({1, 0.5f, 0.7f}), 0.06f},
        {"a tenth of a spacing thin", box_mesh({1, 0.005f, 0.7f}), 0.05f},
        {"half a spacing thin", box_mesh({1, 0.03f, 0.7f}), 0.05f},
        {"as thin as a spacing", box_mesh({1, 0.055f, 0.7f}), 0.05f},
        {"cylinder", cylinder_mesh(0.2f, 1), 0.05f},
        {"sharp wedge", wedge_mesh(1, 0.3f, 0.7f), 0.05f},
        {"right-angled wedge", wedge_mesh(0.4f, 0.8f, 0.7f), 0.05f},
    };
    for (const Case& c : cases) {
        const SurfaceSamples samples = sample_surface(c.mesh, at_spacing(c.spacing, 0));
        // 300 points for a cell: a standard error of 1.1 % of its area.
        const Judgement found = judge(c.mesh, samples, double(c.spacing), 300);
        EXPECT_NEAR(found.samples_per_square, 1, 0.04) << c.name;
        EXPECT_GT(found.smallest, 0.8) << c.name;
        EXPECT_LT(found.largest, 1.2) << c.name;
        EXPECT_LT(found.hole, 0.98) << c.name;
        // What a sample says of itself is counted with twenty points: 3 % off in the mean, and there are thousands.
        EXPECT_LT(found.own_error, 0.18) << c.name;
        double area = 0;
        for (const float a : samples.area) area += a;
        EXPECT_NEAR(area, examine(c.mesh).area, 0.001 * examine(c.mesh).area) << c.name;
    }
}

TEST(SurfaceSamples, LieOnTheSurfaceWithItsNormal) {
    const SurfaceSamples sphere = sample_surface(sphere_mesh(0.5f, 5), at_spacing(0.05f, 0));
    for (size_t i = 0; i < sphere.position.size(); ++i) {
        const double r = distance(sphere.position[i], {});
        EXPECT_NEAR(r, 0.5, 0.0005);
        EXPECT_GT(dot(point(sphere.position[i]), point(sphere.normal[i])) / r, 0.999);
    }
    const SurfaceSamples box = sample_surface(box_mesh({1, 1, 1}), at_spacing(0.07f, 0));
    for (size_t i = 0; i < box.position.size(); ++i) {
        const Float3 &p = box.position[i], &n = box.normal[i];
        EXPECT_NEAR(std::abs(n.x) + std::abs(n.y) + std::abs(n.z), 1, 1e-6);  // a face's, also next to an edge
        EXPECT_NEAR(p.x * n.x + p.y * n.y + p.z * n.z, 0.5, 1e-6);
    }
    Mesh inside_out = box_mesh({1, 1, 1});
    for (auto& triangle : inside_out.triangles) std::swap(triangle[0], triangle[1]);
    const SurfaceSamples turned = sample_surface(inside_out, at_spacing(0.07f, 0));
    ASSERT_EQ(turned.warnings.size(), 1u);
    for (size_t i = 0; i < turned.position.size(); ++i) {
        EXPECT_GT(dot(point(turned.position[i]), point(turned.normal[i])), 0.49);
    }
}

TEST(SurfaceSamples, LieHalfASpacingInsideAlsoBesideEdges) {
    const float s = 0.05f;
    const SurfaceSamples box = sample_surface(box_mesh({1, 1, 1}), at_spacing(s, -1));
    for (const Float3& p : box.position) {
        const double inside = 0.5 - std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)});
        EXPECT_NEAR(inside, 0.5 * s, 0.03 * s);
    }
    const SurfaceSamples plane = sample_surface(plane_mesh(1, 1), at_spacing(s, -1));
    for (const Float3& p : plane.position) EXPECT_NEAR(p.y, -0.5f * s, 1e-6);
    SurfaceSettings both = at_spacing(s, -1);
    both.two_sided = true;
    for (const Float3& p : sample_surface(plane_mesh(1, 1), both).position) EXPECT_EQ(p.y, 0);
    // What is thinner than a spacing keeps its samples: they go to the middle.
    for (const Float3& p : sample_surface(box_mesh({1, 0.2f * s, 1}), at_spacing(s, -1)).position) {
        EXPECT_LT(std::abs(p.y), 0.1f * s);
    }
}

TEST(SurfaceSamples, AreTheSameBitsOnOneThreadAndTwo) {
    const Mesh mesh = cylinder_mesh(0.2f, 1);
    SurfaceSamples one, two;
    {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
        one = sample_surface(mesh, at_spacing(0.02f, -1));
    }
    {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
        two = sample_surface(mesh, at_spacing(0.02f, -1));
    }
    ASSERT_EQ(one.position.size(), two.position.size());
    EXPECT_EQ(std::memcmp(one.position.data(), two.position.data(), one.position.size() * sizeof(Float3)), 0);
    EXPECT_EQ(std::memcmp(one.area.data(), two.area.data(), one.area.size() * sizeof(float)), 0);
    EXPECT_EQ(one.triangle, two.triangle);
}

TEST(SurfaceSamples, FollowARigidMotionAndGiveItsVelocity) {
    const Mesh mesh = box_mesh({1, 0.5f, 0.7f});
    const Transform motion = turn_and_move();
    const SurfaceSamples before = sample_surface(mesh, at_spacing(0.05f, -1));
    const SurfaceSamples after = follow(before, transformed(mesh, motion));
    const std::vector<Float3> velocity = velocities(before, after, 0.5f);
    for (size_t i = 0; i < before.position.size(); ++i) {
        const Float3 expected = carried(motion, before.position[i]);
        EXPECT_LT(distance(after.position[i], expected), 1e-5);
        EXPECT_NEAR(velocity[i].y, -4, 1e-4);
        EXPECT_NEAR(velocity[i].x, 2 * (expected.x - before.position[i].x), 1e-4);
    }
    Mesh other = mesh;
    std::swap(other.triangles[0], other.triangles[1]);
    EXPECT_NE(message([&] { follow(before, other); }).find("same topology"), std::string::npos);
}

TEST(SurfaceSamples, FollowADeformation) {
    // Stretched along x by two: on the surface, a sample's x doubles, and y stays half a spacing below.
    Mesh mesh = plane_mesh(1, 1);
    const SurfaceSamples before = sample_surface(mesh, at_spacing(0.05f, -1));
    for (Float3& p : mesh.points) p.x *= 2;
    const SurfaceSamples after = follow(before, mesh);
    for (size_t i = 0; i < before.position.size(); ++i) {
        EXPECT_NEAR(after.position[i].x, 2 * before.position[i].x, 1e-5);
        EXPECT_NEAR(after.position[i].z, before.position[i].z, 1e-5);
        EXPECT_NEAR(after.position[i].y, -0.025, 1e-6);
    }
}

TEST(RigidMotion, IsRecognisedAndDeformationIsNot) {
    const std::vector<Float3> from = sphere_mesh(1, 2).points;
    const Transform motion = turn_and_move();
    std::vector<Float3> to;
    for (const Float3& p : from) to.push_back(carried(motion, p));
    const auto found = rigid_motion(from, to, 1e-5f);
    ASSERT_TRUE(found.has_value());
    for (int i = 0; i < 9; ++i) EXPECT_NEAR(found->rotation[i], motion.rotation[i], 1e-6);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(found->translation[i], motion.translation[i], 1e-6);
    std::vector<Float3> bent = to;
    bent[17].y += 0.001f;
    EXPECT_FALSE(rigid_motion(from, bent, 1e-4f).has_value());
    std::vector<Float3> mirrored = from;
    for (Float3& p : mirrored) p.x = -p.x;
    mirrored.push_back({0.3f, 0.1f, 0.7f});  // or the mirror image of a symmetric sphere is a rotation of it
    std::vector<Float3> original = from;
    original.push_back({-0.3f, -0.2f, 0.7f});
    EXPECT_FALSE(rigid_motion(original, mirrored, 1e-4f).has_value());
    EXPECT_FALSE(rigid_motion(from, {}, 1).has_value());
    // A flat shape, and a half turn: the two cases where the naive ways fail.
    const std::vector<Float3> flat = plane_mesh(2, 3).points;
    std::vector<Float3> half;
    for (const Float3& p : flat) half.push_back({-p.x, p.y, -p.z});
    ASSERT_TRUE(rigid_motion(flat, half, 1e-5f).has_value());
}

TEST(SurfaceSamples, WhatCantBeIsToldBeforeMemoryIsTaken) {
    EXPECT_NE(message([] { sample_surface(plane_mesh(1e5f, 1e5f), at_spacing(0.1f, 0)); }).find("1e+12 particles"),
              std::string::npos);
    Transform far;
    far.translation[2] = 1e9;
    EXPECT_NE(message([&] {
                  sample_surface(transformed(box_mesh({1, 1, 1}), far), at_spacing(0.1f, 0));
              }).find("move the scene to the origin"),
              std::string::npos);
    EXPECT_NE(message([] { sample_surface({}, at_spacing(0.1f, 0)); }).find("no area"), std::string::npos);
    EXPECT_NE(message([] {
                  sample_surface(box_mesh({1, 1, 1}), at_spacing(-1, 0));
              }).find("spacing"),
              std::string::npos);
    // Triangles without area are passed over, with a warning.
    Mesh mesh = box_mesh({1, 1, 1});
    mesh.triangles.push_back({0, 0, 1});
    EXPECT_EQ(sample_surface(mesh, at_spacing(0.1f, 0)).warnings.size(), 1u);
}
