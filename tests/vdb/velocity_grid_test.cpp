#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "firn/error.h"
#include "firn/grids.h"
#include "vdb/snow_shapes.h"

namespace {

using firn::Float3;
using firn::GridSettings;
using firn::Particles;
using firn::velocity_grid;
using firn::VelocityGridSettings;
using openvdb::Coord;
using openvdb::Vec3d;
using openvdb::Vec3SGrid;

const Vec3d spin(0.5, 2.0, -1.0);

/// A ball that turns and flies: v = (1, -2, 3) + spin x r.
Particles spinning_ball(float radius, float spacing) {
    Particles particles = firn_test::ball(radius, spacing);
    for (const Float3& p : particles.position) {
        const Vec3d v = Vec3d(1, -2, 3) + spin.cross(Vec3d(p.x, p.y, p.z));
        particles.velocity.push_back({float(v[0]), float(v[1]), float(v[2])});
    }
    return particles;
}

double nearest(const Particles& particles, const Vec3d& x, size_t* which = nullptr) {
    double least = 1e30;
    for (size_t k = 0; k < particles.count(); ++k) {
        const Float3& p = particles.position[k];
        const double r = (x - Vec3d(p.x, p.y, p.z)).length();
        if (r < least) {
            least = r;
            if (which) *which = k;
        }
    }
    return least;
}

class VelocityGrid : public testing::TestWithParam<bool> {};

TEST_P(VelocityGrid, IsTheRigidMotionInsideAndReachesPastTheSurface) {
    const float spacing = 0.1f, radius = 1.0f;
    const Particles particles = spinning_ball(radius, spacing);
    VelocityGridSettings settings;
    settings.staggered = GetParam();
    const Vec3SGrid::Ptr grid = velocity_grid(particles, settings, GridSettings{spacing, 0, 0});
    EXPECT_EQ(grid->getName(), "vel");
    EXPECT_EQ(grid->getVectorType(), openvdb::VEC_CONTRAVARIANT_RELATIVE);
    EXPECT_EQ(grid->getGridClass(), GetParam() ? openvdb::GRID_STAGGERED : openvdb::GRID_UNKNOWN);

    int inside = 0, outside = 0;
    const int n = int((radius + 5 * spacing) / 0.05f);
    for (int i = -n; i <= n; i += 3) {
        for (int j = -n; j <= n; j += 3) {
            for (int k = -n; k <= n; k += 3) {
                const Coord c(i, j, k);
                const openvdb::Vec3s v = grid->tree().getValue(c);
                for (int axis = 0; axis < 3; ++axis) {
                    Vec3d at = c.asVec3d();
                    if (GetParam()) at[axis] -= 0.5;
                    const Vec3d x = at * 0.05;
                    const double expected = (Vec3d(1, -2, 3) + spin.cross(x))[axis];
                    if (x.length() < radius - 2 * spacing) {
                        // Linear fields come through a symmetric kernel up to its unevenness.
                        ASSERT_NEAR(v[axis], expected, 0.01 * spin.length()) << c;
                        ++inside;
                    } else if (grid->tree().isValueOn(c)) {
                        // Past the surface the velocity is that of snow at most so far away as it was carried.
                        ASSERT_NEAR(v[axis], expected, 4.5 * spacing * spin.length()) << c;
                    }
                }
                // Three spacings past the surface, which is half a spacing off the outermost particles.
                const double r = nearest(particles, c.asVec3d() * 0.05);
                if (r < 3.35 * spacing) {
                    ASSERT_TRUE(grid->tree().isValueOn(c)) << c << " at " << r;
                    outside += r > spacing;
                }
                if (r > 4.1 * spacing) {
                    ASSERT_FALSE(grid->tree().isValueOn(c)) << c << " at " << r;
                }
            }
        }
    }
    EXPECT_GT(inside, 1000);
    EXPECT_GT(outside, 1000);
}

TEST_P(VelocityGrid, HasTheSameBitsOnOneAndTwoThreads) {
    const Particles particles = spinning_ball(1.0f, 0.07f);
    VelocityGridSettings settings;
    settings.staggered = GetParam();
    const Vec3SGrid::Ptr one = velocity_grid(particles, settings, GridSettings{0.07f, 0, 1});
    const Vec3SGrid::Ptr two = velocity_grid(particles, settings, GridSettings{0.07f, 0, 2});
    ASSERT_TRUE(one->tree().hasSameTopology(two->tree()));
    auto a = one->tree().cbeginLeaf();
    auto b = two->tree().cbeginLeaf();
    for (; a; ++a, ++b) {
        ASSERT_EQ(std::memcmp(a->buffer().data(), b->buffer().data(), 512 * sizeof(openvdb::Vec3s)), 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Places, VelocityGrid, testing::Bool(),
                         [](const auto& param) { return param.param ? "Staggered" : "Collocated"; });

TEST(VelocityGridSettings, ExtensionIsADistance) {
    Particles one;
    one.position.push_back({0.31f, 0.02f, -0.4f});
    one.velocity.push_back({3, -1, 2});
    VelocityGridSettings settings;
    settings.extension = 0.5f;
    const Vec3SGrid::Ptr grid = velocity_grid(one, settings, GridSettings{0.1f, 0, 0});
    double furthest = 0;
    for (auto value = grid->cbeginValueOn(); value; ++value) {
        furthest = std::max(furthest, nearest(one, grid->indexToWorld(value.getCoord())));
        // One particle's velocity is the same everywhere.
        ASSERT_NEAR(((*value) - openvdb::Vec3s(3, -1, 2)).length(), 0, 1e-4);
    }
    // The rim's weights vanish: the last half voxel is not worth having.
    EXPECT_NEAR(furthest, 0.55, 0.05);
    EXPECT_NEAR(double(grid->activeVoxelCount()) * 0.05 * 0.05 * 0.05, 4.0 / 3 * 3.14159 * std::pow(0.55, 3), 0.1);
}

TEST(VelocityGridSettings, RestAndNothing) {
    Particles particles = firn_test::ball(0.3f, 0.1f);
    const Vec3SGrid::Ptr rest = velocity_grid(particles, {}, GridSettings{0.1f, 0, 0});
    EXPECT_GT(rest->activeVoxelCount(), 1000u);
    for (auto value = rest->cbeginValueOn(); value; ++value) ASSERT_EQ(*value, openvdb::Vec3s(0.0f));
    EXPECT_TRUE(velocity_grid(Particles(), {}, GridSettings{0.1f, 0, 0})->empty());
    particles.velocity.resize(2);
    EXPECT_THROW(velocity_grid(particles, {}, GridSettings{0.1f, 0, 0}), firn::Error);
}

}  // namespace
