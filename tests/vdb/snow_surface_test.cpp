#include "firn/snow_surface.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>

namespace firn {
namespace {

constexpr float spacing = 0.1f;

Float3 cross(const Float3& a, const Float3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
float dot(const Float3& a, const Float3& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
float length(const Float3& a) {
    return std::sqrt(dot(a, a));
}

std::vector<Float3> block(int nx, int ny, int nz, const Float3& corner = {0, 0, 0}) {
    std::vector<Float3> points;
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i)
                points.push_back({corner.x + spacing * static_cast<float>(i),
                                  corner.y + spacing * static_cast<float>(j),
                                  corner.z + spacing * static_cast<float>(k)});
    return points;
}

SnowSurface make_surface(const std::vector<Float3>& points, const Float3& origin = {0, 0, 0}, int threads = 0) {
    Particles particles;
    particles.position = points;
    SnowSurfaceSettings settings;
    settings.spacing = spacing;
    settings.origin = origin;
    settings.threads = threads;
    return make_snow_surface(particles, {}, settings);
}

double volume(const SnowSurface& surface) {
    double sum = 0;
    for (const auto& [a, b, c] : surface.triangles)
        sum += static_cast<double>(dot(surface.points[a], cross(surface.points[b], surface.points[c]))) / 6;
    return sum;
}

/// Every edge is crossed as often one way as the other: no holes.
bool is_closed(const SnowSurface& surface) {
    std::map<std::pair<uint32_t, uint32_t>, int> balance;
    for (const auto& t : surface.triangles)
        for (size_t n = 0; n < 3; ++n) {
            const uint32_t a = t[n], b = t[(n + 1) % 3];
            balance[std::minmax(a, b)] += a < b ? 1 : -1;
        }
    for (const auto& [edge, count] : balance)
        if (count != 0) return false;
    return true;
}

TEST(SnowSurface, EnclosesTheVolumeOfItsParticles) {
    const std::vector<Float3> points = block(16, 12, 20);
    const SnowSurface surface = make_surface(points, {0, 0, 0});
    ASSERT_FALSE(surface.triangles.empty());
    EXPECT_TRUE(is_closed(surface));
    EXPECT_TRUE(surface.grains.empty());
    const double expected = static_cast<double>(points.size()) * std::pow(static_cast<double>(spacing), 3);
    // A tenth of a spacing too far out or in is 5 % of this block.
    EXPECT_NEAR(volume(surface), expected, 0.06 * expected);
}

TEST(SnowSurface, NormalsPointOutwards) {
    const SnowSurface surface = make_surface(block(12, 12, 12, {-0.55f, -0.55f, -0.55f}), {0, 0, 0});
    for (size_t i = 0; i < surface.points.size(); ++i) {
        EXPECT_NEAR(length(surface.normals[i]), 1, 1e-4f);
        EXPECT_GT(dot(surface.normals[i], surface.points[i]), 0);
    }
}

TEST(SnowSurface, LoneParticlesAreGrainsOfTheirSize) {
    const std::vector<Float3> points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const SnowSurface surface = make_surface(points, {0, 0, 0});
    EXPECT_GE(surface.grains.size(), points.size());
    for (const Float4& grain : surface.grains) {
        float nearest = 1e9f;
        for (const Float3& p : points)
            nearest = std::min(nearest, length({grain.x - p.x, grain.y - p.y, grain.z - p.z}));
        // A ball of the particle's volume has a radius of 0.62 spacings; grains stick out of it by a part of their own.
        EXPECT_LT(nearest + grain.w, 0.95f * spacing);
    }
}

TEST(SnowSurface, NothingAppearsBetweenTwoLumps) {
    std::vector<Float3> points = block(6, 6, 6);
    const std::vector<Float3> other = block(6, 6, 6, {6 * spacing + 1.5f * spacing, 0, 0});
    points.insert(points.end(), other.begin(), other.end());
    const SnowSurface surface = make_surface(points, {0, 0, 0});
    EXPECT_TRUE(is_closed(surface));
    // The last layer of one is at 5 spacings, the first of the other at 7.5: the plane half-way is free.
    for (const auto& t : surface.triangles) {
        const bool left = surface.points[t[0]].x < 6.25f * spacing;
        for (const uint32_t corner : t) EXPECT_EQ(surface.points[corner].x < 6.25f * spacing, left);
    }
}

TEST(SnowSurface, IsTheSameForAnyNumberOfThreads) {
    std::vector<Float3> points = block(20, 9, 14);
    points.push_back({5, 5, 5});
    points.push_back({-700, 2, 900});
    const SnowSurface one = make_surface(points, {1, 0, 0}, 1);
    const SnowSurface four = make_surface(points, {1, 0, 0}, 4);
    EXPECT_EQ(one.triangles, four.triangles);
    ASSERT_EQ(one.points.size(), four.points.size());
    for (size_t i = 0; i < one.points.size(); ++i) {
        EXPECT_EQ(one.points[i].x, four.points[i].x);
        EXPECT_EQ(one.points[i].y, four.points[i].y);
        EXPECT_EQ(one.points[i].z, four.points[i].z);
    }
    EXPECT_EQ(one.grains.size(), four.grains.size());
}

TEST(SnowSurface, NoParticlesNoSurface) {
    const SnowSurface surface = make_surface({}, {0, 0, 0});
    EXPECT_TRUE(surface.triangles.empty());
    EXPECT_TRUE(surface.grains.empty());
    EXPECT_EQ(make_surface({{std::nanf(""), 0, 0}, {1e30f, 0, 0}}, {0, 0, 0}).left_out_count, 2u);
}

TEST(SnowSurface, HasTheVelocityOfItsSnow) {
    Particles particles;
    particles.position = block(8, 8, 8);
    particles.position.push_back({3, 0, 0});  // and one that flies alone
    for (const Float3& p : particles.position) particles.velocity.push_back({1, 2 * p.x, 0});
    SnowSurfaceSettings settings;
    settings.spacing = spacing;
    EXPECT_TRUE(make_snow_surface(particles, {}, settings).velocity.empty());
    settings.with_velocity = true;
    const SnowSurface surface = make_snow_surface(particles, {}, settings);
    ASSERT_EQ(surface.velocity.size(), surface.points.size());
    ASSERT_EQ(surface.grain_velocity.size(), surface.grains.size());
    for (size_t i = 0; i < surface.points.size(); ++i) {
        EXPECT_NEAR(surface.velocity[i].x, 1, 0.02f);
        EXPECT_NEAR(surface.velocity[i].y, 2 * surface.points[i].x, 1.8f * spacing);
    }
    for (const Float3& v : surface.grain_velocity) EXPECT_NEAR(v.y, 6, 1e-3f);
}

TEST(SnowSurface, DirectionsOutOfABlockAreItsNormals) {
    const std::vector<Float3> snow = block(12, 12, 12);
    const float middle = 5.5f * spacing;
    const std::vector<Float4> points = {{11.2f * spacing, middle, middle, 0.01f},
                                        {middle, -0.2f * spacing, middle, 0.01f},
                                        {middle, middle, middle, 0.01f},
                                        {5, 5, 5, 0.01f}};
    const std::vector<Float3> out = directions_out(points, snow, spacing, 2);
    EXPECT_GT(out[0].x, 0.98f);
    EXPECT_LT(out[1].y, -0.98f);
    EXPECT_EQ(length(out[2]), 0);  // nowhere in the middle,
    EXPECT_EQ(length(out[3]), 0);  // and far away
}

}  // namespace
}  // namespace firn
