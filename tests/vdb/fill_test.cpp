// Fillings: counts against closed forms, inside against analytic shapes.

#include <gtest/gtest.h>
#include <png.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "firn/samples.h"
#include "shape_measures.h"

using namespace firn;

namespace {

FillSettings at_spacing(float spacing) {
    FillSettings settings;
    settings.spacing = spacing;
    return settings;
}

bool says(const std::vector<std::string>& warnings, const char* part) {
    return std::any_of(warnings.begin(), warnings.end(),
                       [&](const std::string& w) { return w.find(part) != std::string::npos; });
}

double closest_pair(const std::vector<Float3>& p) {
    double best = 1e30;
    for (size_t i = 0; i < p.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
            best = std::min(best, distance(p[i], p[j]));
        }
    }
    return best;
}

/// The largest SPH density over the rest density, by all pairs; the cubic spline of two spacings' support.
double worst_density(const std::vector<Float3>& p, double spacing) {
    double worst = 0;
    for (const Float3& a : p) {
        double sum = 0;
        for (const Float3& b : p) {
            const double q = distance(a, b) / (2 * spacing);
            if (q < 0.5) {
                sum += (6 * (q * q * q - q * q) + 1) / pi;
            } else if (q < 1) {
                sum += 2 * std::pow(1 - q, 3) / pi;
            }
        }
        worst = std::max(worst, sum);
    }
    return worst;
}

/// The farthest that a place on a sphere lies from all particles, m; a spiral of places.
double largest_hole(const std::vector<Float3>& p, float sphere) {
    double worst = 0;
    for (int i = 0; i < 5000; ++i) {
        const double y = 1 - (2 * i + 1) / 5000.0, r = std::sqrt(1 - y * y), angle = 2.399963229728653 * i;
        const Float3 at = {float(sphere * r * std::cos(angle)), float(sphere * y), float(sphere * r * std::sin(angle))};
        double best = 1e30;
        for (const Float3& b : p) best = std::min(best, radius({at.x - b.x, at.y - b.y, at.z - b.z}));
        worst = std::max(worst, best);
    }
    return worst;
}

std::string scratch(const char* name) {
    return (std::filesystem::temp_directory_path() / ("firn_fill_" + std::to_string(::getpid()) + "_" + name)).string();
}

}  // namespace

TEST(Fill, BoxOfWholeSpacingsHoldsExactlyThatMany) {
    const Filling filling = fill_mesh(box_mesh({0.5f, 0.3f, 0.7f}), at_spacing(0.1f));
    EXPECT_EQ(filling.position.size(), 5u * 3 * 7);
    EXPECT_TRUE(filling.warnings.empty());
    for (const Float3& p : filling.position) {
        EXPECT_LE(std::abs(p.x), 0.2001f);
        EXPECT_LE(std::abs(p.y), 0.1001f);
        EXPECT_LE(std::abs(p.z), 0.3001f);
    }
    EXPECT_NEAR(closest_pair(filling.position), 0.1, 1e-5);
}

TEST(Fill, SphereHoldsItsVolume) {
    // Gauss' circle problem: the count's error grows with the surface's share, far less than its square root here.
    const Mesh sphere = sphere_mesh(0.5f, 5);
    const Filling filling = fill_mesh(sphere, at_spacing(0.02f));
    EXPECT_NEAR(double(filling.position.size()) * 8e-6, examine(sphere).volume, 0.005 * examine(sphere).volume);
    for (const Float3& p : filling.position) EXPECT_LT(radius(p), 0.5);
}

/// m^3 that the particles stand for.
double held(const Filling& filling, double spacing) {
    return static_cast<double>(filling.position.size()) * spacing * spacing * spacing * filling.worth;
}

TEST(Fill, ParticlesHaveTheVolumeOfTheShapeAtAnySpacing) {
    const Mesh box = box_mesh({1, 0.7f, 1.3f}), sphere = sphere_mesh(0.5f, 4), drum = cylinder_mesh(0.4f, 0.9f);
    Mesh two = sphere_mesh(0.5f, 4);  // in each other
    Transform aside;
    aside.translation[0] = 0.6;
    const Mesh other = transformed(sphere_mesh(0.5f, 4), aside);
    const uint32_t first = static_cast<uint32_t>(two.points.size());
    two.points.insert(two.points.end(), other.points.begin(), other.points.end());
    for (const auto& [a, b, c] : other.triangles) two.triangles.push_back({first + a, first + b, first + c});
    const double two_volume = 2 * examine(sphere).volume - pi * (2 + 0.6) * 0.16 / 12;
    Mesh open = sphere_mesh(0.5f, 4);
    open.triangles.resize(open.triangles.size() - 3);
    for (const float spacing : {0.12f, 0.08f, 0.05f, 0.031f}) {
        for (const bool relaxed : {false, true}) {
            FillSettings settings = at_spacing(spacing);
            settings.relaxed = relaxed;
            if (relaxed && spacing < 0.08f) continue;  // takes long
            EXPECT_NEAR(held(fill_mesh(box, settings), spacing), 0.91, 0.0015) << spacing << relaxed;
            for (const Mesh& mesh : {sphere, drum})
                EXPECT_NEAR(held(fill_mesh(mesh, settings), spacing), examine(mesh).volume, 0.0015) << spacing;
            EXPECT_NEAR(held(fill_mesh(two, settings), spacing), two_volume, 0.01 * two_volume) << spacing;
        }
        EXPECT_NEAR(held(fill_mesh(open, at_spacing(spacing)), spacing), examine(sphere).volume, 0.005) << spacing;
    }
}

TEST(Fill, ABoxIsAsLargeAsItWasMade) {
    const Float3 size = {1, 0.7f, 1.3f};
    for (const float spacing : {0.12f, 0.08f, 0.05f, 0.031f}) {
        Float3 far = {0, 0, 0};
        const Filling filling = fill_mesh(box_mesh(size), at_spacing(spacing));
        for (const Float3& p : filling.position)
            far = {std::max(far.x, p.x), std::max(far.y, p.y), std::max(far.z, p.z)};
        for (const auto& [reach, length] : {std::pair(far.x, size.x), {far.y, size.y}, {far.z, size.z}}) {
            // Half a layer outside of the last particles.
            const double layers = std::round(double(length) / spacing);
            EXPECT_NEAR(2 * double(reach) * layers / (layers - 1), length, 0.02 * spacing) << spacing;
        }
    }
}

TEST(Fill, LayersHaveTheirVolumeAtAnySpacing) {
    Heightfield field;
    field.columns = 12;
    field.rows = 8;
    field.cell = 0.1f;
    for (int i = 0; i < 96; ++i) field.height.push_back(0.03f * static_cast<float>(i % 12));
    const double volume = 1.1 * 0.7 * 0.23;
    // A round plate: what lies beyond it in its box has no snow.
    const Mesh plate = cylinder_mesh(0.5f, 0.1f);
    const double above = 0.23 * examine(plate).volume / 0.1;
    for (const float spacing : {0.1f, 0.08f, 0.05f, 0.031f}) {
        EXPECT_NEAR(held(fill_layer(field, 0.23f, at_spacing(spacing)), spacing), volume, 0.002 * volume) << spacing;
        EXPECT_NEAR(held(fill_layer(heightfield_mesh(field), 0.23f, at_spacing(spacing)), spacing), volume,
                    0.01 * volume)
            << spacing;
        EXPECT_NEAR(held(fill_layer(plate, 0.23f, at_spacing(spacing)), spacing), above, 0.01 * above) << spacing;
    }
}

TEST(Fill, RowsThroughEdgesAndCornersCountOnce) {
    // A box whose corners, edges and diagonals all lie on lattice rows: an octahedron with whole coordinates.
    Mesh mesh;
    mesh.points = {{4, 0, 0}, {-4, 0, 0}, {0, 4, 0}, {0, -4, 0}, {0, 0, 4}, {0, 0, -4}};
    mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    ASSERT_TRUE(examine(mesh).closed);
    for (const float s : {1.0f, 0.5f, 8.0f / 9}) {
        const Filling filling = fill_mesh(mesh, at_spacing(s));
        for (const Float3& p : filling.position) EXPECT_LE(std::abs(p.x) + std::abs(p.y) + std::abs(p.z), 4.0001f);
        EXPECT_NEAR(double(filling.position.size()) * s * s * s, examine(mesh).volume, 0.3 * s * 64);
        // Brute force over the same lattice, away from the surface itself.
        size_t sure = 0;
        const int n = static_cast<int>(std::lround(8 / s));
        for (int i = 0; i < n * n * n; ++i) {
            const auto at = [&](int k) { return (k - 0.5f * float(n - 1)) * s; };
            sure += std::abs(at(i % n)) + std::abs(at(i / n % n)) + std::abs(at(i / n / n)) < 4 - 1e-4f;
        }
        EXPECT_GE(filling.position.size(), sure);
    }
}

TEST(Fill, CavitiesStayEmptyAndOverlapsFillOnce) {
    Mesh mesh = sphere_mesh(0.5f, 4);
    const Mesh inner = transformed(sphere_mesh(0.3f, 4), {}, 1);
    const uint32_t first = static_cast<uint32_t>(mesh.points.size());
    for (const Float3& p : inner.points) mesh.points.push_back(p);
    for (const auto& [a, b, c] : inner.triangles) mesh.triangles.push_back({first + a, first + c, first + b});
    for (const Float3& p : fill_mesh(mesh, at_spacing(0.05f)).position) EXPECT_GT(radius(p), 0.29);

    Mesh two = sphere_mesh(0.5f, 3);
    Transform aside;
    aside.translation[0] = 0.3;
    const Mesh other = transformed(sphere_mesh(0.5f, 3), aside);
    const uint32_t start = static_cast<uint32_t>(two.points.size());
    for (const Float3& p : other.points) two.points.push_back(p);
    for (const auto& [a, b, c] : other.triangles) two.triangles.push_back({start + a, start + b, start + c});
    const Filling filling = fill_mesh(two, at_spacing(0.05f));
    // Two spheres d apart hold 2 V - pi (4 R + d) (2 R - d)^2 / 12.
    const double volume = 2 * 4.0 / 3 * pi * 0.125 - pi * (2 + 0.3) * 0.49 / 12;
    EXPECT_NEAR(double(filling.position.size()) * 1.25e-4, volume, 0.03 * volume);
    EXPECT_NEAR(closest_pair(filling.position), 0.05, 1e-5);
}

TEST(Fill, InsideOutAndHolesAreFilledWithAWarning) {
    const size_t right = fill_mesh(sphere_mesh(0.5f, 4), at_spacing(0.05f)).position.size();
    Mesh inside_out = sphere_mesh(0.5f, 4);
    for (auto& triangle : inside_out.triangles) std::swap(triangle[0], triangle[1]);
    const Filling turned = fill_mesh(inside_out, at_spacing(0.05f));
    EXPECT_EQ(turned.position.size(), right);
    EXPECT_TRUE(says(turned.warnings, "inside out"));

    // A hole of 1 % of the surface: the winding number falls to half at about the hole itself.
    Mesh holed = sphere_mesh(0.5f, 4);
    holed.triangles.erase(std::remove_if(holed.triangles.begin(), holed.triangles.end(),
                                         [&](const auto& t) { return holed.points[t[0]].y > 0.49f; }),
                          holed.triangles.end());
    const Filling filled = fill_mesh(holed, at_spacing(0.05f));
    EXPECT_TRUE(says(filled.warnings, "not closed"));
    EXPECT_NEAR(double(filled.position.size()), double(right), 0.02 * double(right));
    for (auto& triangle : holed.triangles) std::swap(triangle[0], triangle[1]);
    EXPECT_EQ(fill_mesh(holed, at_spacing(0.05f)).position.size(), filled.position.size());
}

TEST(Fill, JitterStaysInsideAndDependsOnTheSeed) {
    FillSettings settings = at_spacing(0.05f);
    const Mesh sphere = sphere_mesh(0.5f, 4);
    const Filling still = fill_mesh(sphere, settings);
    settings.jitter = 1;
    const Filling one = fill_mesh(sphere, settings);
    settings.seed = 2;
    const Filling two = fill_mesh(sphere, settings);
    ASSERT_EQ(one.position.size(), still.position.size());
    size_t moved = 0, differ = 0;
    double square = 0;
    for (size_t i = 0; i < one.position.size(); ++i) {
        EXPECT_LT(radius(one.position[i]), 0.5);
        EXPECT_LE(std::abs(one.position[i].x - still.position[i].x), 0.02501f);
        moved += one.position[i].x != still.position[i].x;
        differ += one.position[i].x != two.position[i].x;
        square += std::pow((one.position[i].x - still.position[i].x) / 0.025, 2);
    }
    EXPECT_GT(moved, one.position.size() * 8 / 10);
    EXPECT_GT(differ, one.position.size() * 8 / 10);
    EXPECT_NEAR(square / double(moved), 1.0 / 3, 0.03);  // uniform in [-1, 1]
}

TEST(Fill, WhatCantBeIsToldBeforeMemoryIsTaken) {
    const Mesh box = box_mesh({100, 100, 100});
    EXPECT_NE(message([&] { fill_mesh(box, at_spacing(0.001f)); }).find("1e+15 particles"), std::string::npos)
        << message([&] { fill_mesh(box, at_spacing(0.001f)); });
    EXPECT_NE(message([&] { fill_mesh(box, at_spacing(0)); }).find("spacing must be"), std::string::npos);
    EXPECT_NE(message([&] { fill_mesh(box, at_spacing(NAN)); }).find("spacing must be"), std::string::npos);
    Transform far;
    far.translation[0] = 1e9;
    const std::string told = message([&] { fill_mesh(transformed(box_mesh({1, 1, 1}), far), at_spacing(0.01f)); });
    EXPECT_NE(told.find("1e+09 m from the origin"), std::string::npos) << told;
    EXPECT_NE(told.find("64 m apart"), std::string::npos) << told;
    EXPECT_NE(message([&] { fill_mesh({}, at_spacing(0.01f)); }).find("no triangles"), std::string::npos);
}

TEST(Fill, LayerFollowsTheGround) {
    Heightfield field;
    field.columns = 21;
    field.rows = 11;
    field.cell = 0.1f;
    field.origin = {-1, 2, -0.5f};
    for (int row = 0; row < field.rows; ++row) {
        for (int column = 0; column < field.columns; ++column) field.height.push_back(0.5f * 0.1f * float(column));
    }
    const Filling layer = fill_layer(field, 0.2f, at_spacing(0.05f));
    EXPECT_EQ(layer.position.size(), 40u * 20 * 4);
    for (const Float3& p : layer.position) {
        const double above = p.y - (2 + 0.5 * (double(p.x) + 1));
        EXPECT_GT(above, 0.0249);
        EXPECT_LT(above, 0.1751);
    }
    FillSettings relaxed = at_spacing(0.05f);
    relaxed.relaxed = true;
    const Filling filled = fill_layer(field, 0.2f, relaxed);
    EXPECT_TRUE(filled.warnings.empty()) << filled.warnings[0];  // its mesh is closed and faces outwards
    EXPECT_NEAR(double(filled.position.size()), 3200, 0.08 * 3200);
    for (const Float3& p : filled.position) EXPECT_GT(p.y, 2 + 0.5 * (double(p.x) + 1));
    field.height[7] = INFINITY;
    EXPECT_NE(message([&] { fill_layer(field, 0.2f, at_spacing(0.05f)); }).find("height 7"), std::string::npos);
}

TEST(Heightfields, TextRowsAreRead) {
    const std::string path = scratch("rows.txt");
    std::ofstream(path) << "0 0.5 1\n0 0.25 1\n";
    const Heightfield field = read_heightfield(path, 0.5f, 4);
    EXPECT_EQ(field.columns, 3);
    EXPECT_EQ(field.rows, 2);
    EXPECT_EQ(field.height, (std::vector<float>{0, 2, 4, 0, 1, 4}));
    EXPECT_EQ(field.origin.x, -0.5f);
    const Mesh mesh = heightfield_mesh(field);
    EXPECT_EQ(mesh.triangles.size(), 4u);
    std::ofstream(path) << "0 0.5 1\n0 1\n";
    EXPECT_NE(message([&] { read_heightfield(path, 0.5f, 4); }).find(":2: this row has 2"), std::string::npos)
        << message([&] { read_heightfield(path, 0.5f, 4); });
    std::filesystem::remove(path);
}

TEST(Heightfields, GreyPicturesOfEightAndSixteenBitsAreRead) {
    const std::string path = scratch("grey.png");
    png_image image;
    std::memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = 3;
    image.height = 2;
    image.format = PNG_FORMAT_GRAY;
    const uint8_t small[6] = {0, 51, 255, 102, 153, 204};
    ASSERT_TRUE(png_image_write_to_file(&image, path.c_str(), 0, small, 0, nullptr));
    const Heightfield eight = read_heightfield(path, 1, 5);
    ASSERT_EQ(eight.columns, 3);
    for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(eight.height[i], 5.0 * small[i] / 255, 1e-5);
    image.format = PNG_FORMAT_LINEAR_Y;
    const uint16_t large[6] = {0, 1, 65535, 1000, 30000, 40000};
    ASSERT_TRUE(png_image_write_to_file(&image, path.c_str(), 0, large, 0, nullptr));
    const Heightfield sixteen = read_heightfield(path, 1, 5);
    for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(sixteen.height[i], 5.0 * large[i] / 65535, 1e-5);
    image.format = PNG_FORMAT_RGB;
    const uint8_t colours[18] = {};
    ASSERT_TRUE(png_image_write_to_file(&image, path.c_str(), 0, colours, 0, nullptr));
    EXPECT_NE(message([&] { read_heightfield(path, 1, 5); }).find("greyscale"), std::string::npos);
    std::ofstream(path, std::ios::binary) << "\x89PNG\r\n\x1a\nrubbish";
    EXPECT_NE(message([&] { read_heightfield(path, 1, 5); }).find(path), std::string::npos);
    std::filesystem::remove(path);
}

TEST(RelaxedFill, HoldsTheVolumeEvenlyAndInside) {
    FillSettings settings = at_spacing(0.05f);
    settings.relaxed = true;
    const Mesh sphere = sphere_mesh(0.5f, 4);
    const Filling filling = fill_mesh(sphere, settings);
    const double volume = examine(sphere).volume;
    EXPECT_NEAR(double(filling.position.size()) * 1.25e-4, volume, 0.08 * volume);
    // No lattice, but no pair much nearer than a spacing; all of them half a spacing inside, a tenth given or taken.
    EXPECT_GT(closest_pair(filling.position), 0.6 * 0.05);
    double farthest = 0;
    for (const Float3& p : filling.position) farthest = std::max(farthest, radius(p));
    EXPECT_LT(farthest, 0.5 - 0.4 * 0.05);
    EXPECT_GT(farthest, 0.5 - 0.6 * 0.05);
    EXPECT_LT(worst_density(filling.position, 0.05), 1.12);
}

TEST(RelaxedFill, ThinFeaturesSurvive) {
    // A hollow sphere whose wall is three tenths of a spacing: the lattice leaves crumbs, the relaxed filling a sheet.
    Mesh shell = sphere_mesh(0.5f, 4);
    const Mesh inner = sphere_mesh(0.485f, 4);
    const uint32_t first = static_cast<uint32_t>(shell.points.size());
    for (const Float3& p : inner.points) shell.points.push_back(p);
    for (const auto& [a, b, c] : inner.triangles) shell.triangles.push_back({first + a, first + c, first + b});
    FillSettings settings = at_spacing(0.05f);
    const Filling regular = fill_mesh(shell, settings);
    EXPECT_GT(largest_hole(regular.position, 0.4925f), 1.5 * 0.05);
    settings.relaxed = true;
    const Filling relaxed = fill_mesh(shell, settings);
    EXPECT_LT(largest_hole(relaxed.position, 0.4925f), 1.1 * 0.05);
    for (const Float3& p : relaxed.position) {
        EXPECT_GT(radius(p), 0.48);
        EXPECT_LT(radius(p), 0.505);
    }
    EXPECT_GT(closest_pair(relaxed.position), 0.5 * 0.05);
}

TEST(RelaxedFill, WallsOfAnyThicknessHoldTheirMass) {
    FillSettings settings = at_spacing(0.05f);
    settings.relaxed = true;
    for (const float thickness : {1.2f, 1.5f, 2.2f, 2.5f, 3.5f}) {
        const Filling wall = fill_mesh(box_mesh({0.6f, thickness * 0.05f, 0.5f}), settings);
        const double volume = 0.6 * 0.5 * thickness * 0.05;
        EXPECT_NEAR(double(wall.position.size()) * 1.25e-4 / volume, 1, 0.02) << thickness << " spacings";
        EXPECT_GT(closest_pair(wall.position), 0.65 * 0.05) << thickness << " spacings";
        EXPECT_LT(worst_density(wall.position, 0.05), 1.25) << thickness << " spacings";
        for (const Float3& p : wall.position) EXPECT_LT(std::abs(p.y), 0.5 * thickness * 0.05);
    }
}

TEST(RelaxedFill, SameBitsOnOneThreadAndTwo) {
    FillSettings settings = at_spacing(0.1f);
    settings.relaxed = true;
    const Mesh mesh = cylinder_mesh(0.3f, 1);
    Filling one, two;
    {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
        one = fill_mesh(mesh, settings);
    }
    {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
        two = fill_mesh(mesh, settings);
    }
    ASSERT_EQ(one.position.size(), two.position.size());
    EXPECT_EQ(std::memcmp(one.position.data(), two.position.data(), one.position.size() * sizeof(Float3)), 0);
}
