#include <gtest/gtest.h>
#include <openvdb/tools/Interpolation.h>

#include <cstring>

#include "firn/error.h"
#include "firn/grids.h"
#include "vdb/snow_shapes.h"

namespace {

using firn::density_grid;
using firn::Float3;
using firn::GridSettings;
using firn::masked_density_grid;
using firn::Particles;
using firn::surface_grid;
using firn::SurfaceGridSettings;
using openvdb::Coord;
using openvdb::FloatGrid;
using openvdb::Vec3d;

/// The volume inside, from the values alone: inside voxels count whole, those the surface cuts in part.
double volume(const FloatGrid& grid) {
    const double voxel = grid.voxelSize()[0];
    double voxels = 0;
    for (auto value = grid.tree().cbeginValueAll(); value; ++value) {
        voxels += std::clamp(0.5 - *value / voxel, 0.0, 1.0) * double(value.getVoxelCount());
    }
    return voxels * voxel * voxel * voxel;
}

/// How far |grad| is from 1 in the mean and in the worst case, by central differences where both sides are in the band.
struct GradientError {
    double mean = 0, worst = 0;
};
GradientError gradient_error(const FloatGrid& grid, double band) {
    GradientError error;
    const double voxel = grid.voxelSize()[0];
    double count = 0;
    const auto at = grid.getConstAccessor();
    for (auto value = grid.cbeginValueOn(); value; ++value) {
        if (std::abs(*value) > band) continue;
        const Coord c = value.getCoord();
        double squares = 0;
        for (int axis = 0; axis < 3; ++axis) {
            Coord step(0, 0, 0);
            step[axis] = 1;
            const double slope = (at.getValue(c + step) - at.getValue(c - step)) / (2 * voxel);
            squares += slope * slope;
        }
        const double e = std::abs(std::sqrt(squares) - 1);
        error.mean += e;
        error.worst = std::max(error.worst, e);
        ++count;
    }
    error.mean /= count;
    return error;
}

TEST(SurfaceGrid, OfABallIsItsDistance) {
    const float spacing = 0.05f, radius = 1.0f;
    // Particles fill the ball when they sit where their lattice cell's middle is inside.
    const Particles particles = firn_test::ball(radius, spacing, {3.0f, -1.0f, 2.0f});
    const FloatGrid::Ptr grid = surface_grid(particles, {}, GridSettings{spacing, 0, 0});
    EXPECT_EQ(grid->getName(), "surface");
    EXPECT_EQ(grid->getGridClass(), openvdb::GRID_LEVEL_SET);
    EXPECT_NEAR(grid->background(), 3 * 0.025, 1e-6);

    // The number of particles times the volume of each is the snow's volume.
    const double snow = double(particles.count()) * std::pow(double(spacing), 3);
    EXPECT_NEAR(volume(*grid) / snow, 1, 0.08);

    // The lattice's steps are half a spacing high; a distance can't know better.
    double worst = 0, mean = 0, count = 0;
    for (auto value = grid->cbeginValueOn(); value; ++value) {
        const double expected = (grid->indexToWorld(value.getCoord()) - Vec3d(3, -1, 2)).length() - radius;
        worst = std::max(worst, std::abs(*value - expected));
        mean += *value - expected;
        ++count;
    }
    EXPECT_LT(worst, 0.75 * spacing);
    EXPECT_LT(std::abs(mean / count), 0.35 * spacing);

    // Inside as a whole: no holes, no voxel of the wrong sign within.
    const auto at = grid->getConstAccessor();
    for (int i = -40; i <= 40; ++i) {
        for (int j = -40; j <= 40; ++j) {
            for (int k = -40; k <= 40; ++k) {
                const double r = 0.025 * std::sqrt(double(i * i + j * j + k * k));
                const float value = at.getValue(Coord(120 + i, -40 + j, 80 + k));
                if (r < radius - spacing) {
                    ASSERT_LT(value, 0) << i << " " << j << " " << k;
                }
                if (r > radius + spacing) {
                    ASSERT_GT(value, 0) << i << " " << j << " " << k;
                }
                if (r < radius - 0.3) {
                    ASSERT_EQ(value, -grid->background());
                }
            }
        }
    }
    const GradientError error = gradient_error(*grid, 2 * 0.025);
    EXPECT_LT(error.mean, 0.06);
}

TEST(SurfaceGrid, OfABoxSitsHalfASpacingOffTheParticles) {
    const float spacing = 0.1f;
    const Particles particles = firn_test::box(20, 10, 14, spacing, {0.05f, 0.05f, 0.05f});
    // The box of snow is 2 x 1 x 1.4.
    SurfaceGridSettings settings;
    for (const int smooth : {0, 2}) {
        settings.smooth = smooth;
        const FloatGrid::Ptr grid = surface_grid(particles, settings, GridSettings{spacing, 0, 0});
        const auto at = grid->getConstAccessor();
        // On the faces, away from edges. Balls of a spacing's radius around a lattice leave bumps of 0.29 spacings.
        const float close = (smooth > 0 ? 0.16f : 0.25f) * spacing;
        for (int k = 8; k <= 12; ++k) {
            for (int depth = -2; depth <= 2; ++depth) {
                EXPECT_NEAR(at.getValue(Coord(depth, k, k)), -depth * 0.05, close) << smooth;
                EXPECT_NEAR(at.getValue(Coord(k, 20 - depth, k)), -depth * 0.05, close) << smooth;
                EXPECT_NEAR(at.getValue(Coord(k, k, 28 - depth)), -depth * 0.05, close) << smooth;
            }
        }
        EXPECT_NEAR(volume(*grid), 2.8, 0.15) << smooth;
    }
}

TEST(SurfaceGrid, WithoutSmoothingIsTheDistanceToTheBalls) {
    const float spacing = 0.1f, radius = 0.13f;
    const Particles particles = firn_test::cloud(60, 1.0f, {}, 11);
    SurfaceGridSettings settings;
    settings.radius = radius;
    settings.dilate = settings.erode = -1;
    settings.smooth = 0;
    settings.half_width = 4;
    const float voxel = 0.02f;
    const FloatGrid::Ptr grid = surface_grid(particles, settings, GridSettings{spacing, voxel, 0});
    EXPECT_NEAR(grid->background(), 4 * voxel, 1e-6);
    int checked = 0, in_band = 0;
    for (int i = -10; i <= 60; i += 2) {
        for (int j = -10; j <= 60; j += 3) {
            for (int k = -10; k <= 60; k += 3) {
                const Vec3d x = Vec3d(i, j, k) * double(voxel);
                double least = 1e30;
                for (const Float3& p : particles.position) {
                    least = std::min(least, (x - Vec3d(p.x, p.y, p.z)).length() - radius);
                }
                const float value = grid->tree().getValue(Coord(i, j, k));
                // Outside, the union's distance is the least of the balls'. The grid sees the surface between voxels as
                // flat and solves upwind to first order: a third of a voxel over a band of four, most in creases.
                if (least > 0) {
                    EXPECT_NEAR(value, std::min(least, 4.0 * voxel), 0.4 * voxel) << Coord(i, j, k);
                }
                if (std::abs(least) > 0.05 * voxel) {
                    EXPECT_EQ(value < 0, least < 0) << Coord(i, j, k);
                }
                in_band += least > 0 && least < 4 * voxel;
                ++checked;
            }
        }
    }
    EXPECT_GT(checked, 10000);
    EXPECT_GT(in_band, 1000);
    EXPECT_LT(gradient_error(*grid, 2 * voxel).mean, 0.08);
}

TEST(SurfaceGrid, ClosesGapsAndFillsTheInside) {
    // Snow is not a lattice: every particle off its place by up to a third of a spacing.
    std::mt19937 random(3);
    std::uniform_real_distribution<float> off(-0.033f, 0.033f);
    Particles particles = firn_test::box(24, 24, 24, 0.1f);
    for (Float3& p : particles.position) p = {p.x + off(random), p.y + off(random), p.z + off(random)};
    const FloatGrid::Ptr grid = surface_grid(particles, {}, GridSettings{0.1f, 0, 0});
    const auto at = grid->getConstAccessor();
    for (int i = 1; i <= 45; ++i) {
        for (int j = 1; j <= 45; ++j) {
            for (int k = 1; k <= 45; ++k) ASSERT_LT(at.getValue(Coord(i, j, k)), 0) << Coord(i, j, k);
        }
    }
    // Far inside there is nothing but tiles.
    EXPECT_FALSE(grid->tree().isValueOn(Coord(24, 24, 24)));
    EXPECT_EQ(at.getValue(Coord(24, 24, 24)), -grid->background());
}

TEST(SurfaceGrid, KeepsSingleGrains) {
    Particles one;
    one.position.push_back({0.033f, 0.012f, -0.2f});
    const FloatGrid::Ptr grid = surface_grid(one, {}, GridSettings{0.1f, 0, 0});
    // Smoothing takes from what is only two voxels wide, but leaves it there.
    EXPECT_GT(volume(*grid), 0.08 * 1e-3);
    EXPECT_LT(volume(*grid), 1.0 * 1e-3);
}

/// Scenes and nodes allow 0 to 100 passes: each of them must give a surface, and one more is refused by name.
TEST(SurfaceGrid, SmoothsAsOftenAsScenesAllow) {
    const Particles particles = firn_test::cloud(20000, 0.5f, {}, 9);
    SurfaceGridSettings settings;
    double before = 1e9;
    for (const int passes : {0, 2, 65, 100}) {
        settings.smooth = passes;
        const double inside = volume(*surface_grid(particles, settings, GridSettings{0.02f, 0, 0}));
        EXPECT_GT(inside, 0.05 * 0.125) << passes;
        EXPECT_LT(inside, 2 * 0.125) << passes;
        EXPECT_LE(inside, 1.1 * before) << passes;
        before = inside;
    }
    for (const int passes : {-2, 101}) {
        settings.smooth = passes;
        try {
            surface_grid(particles, settings, GridSettings{0.02f, 0, 0});
            FAIL() << passes;
        } catch (const firn::Error& error) {
            EXPECT_NE(std::string(error.what()).find("0 to 100 passes, not " + std::to_string(passes)),
                      std::string::npos)
                << error.what();
        }
    }
}

TEST(SurfaceGrid, HasTheSameBitsOnOneAndTwoThreads) {
    const Particles particles = firn_test::cloud(20000, 1.5f, {-1, 0, 0.3f}, 9);
    const FloatGrid::Ptr one = surface_grid(particles, {}, GridSettings{0.05f, 0, 1});
    const FloatGrid::Ptr two = surface_grid(particles, {}, GridSettings{0.05f, 0, 2});
    ASSERT_TRUE(one->tree().hasSameTopology(two->tree()));
    auto a = one->tree().cbeginLeaf();
    auto b = two->tree().cbeginLeaf();
    for (; a; ++a, ++b) ASSERT_EQ(std::memcmp(a->buffer().data(), b->buffer().data(), 512 * sizeof(float)), 0);
}

TEST(SurfaceGrid, OfNothingIsOutsideEverywhere) {
    const FloatGrid::Ptr grid = surface_grid(Particles(), {}, GridSettings{0.1f, 0, 0});
    EXPECT_TRUE(grid->empty());
    EXPECT_GT(grid->background(), 0);
    EXPECT_EQ(grid->getGridClass(), openvdb::GRID_LEVEL_SET);
    SurfaceGridSettings bad;
    bad.radius = std::nanf("");
    EXPECT_THROW(surface_grid(Particles(), bad, GridSettings{0.1f, 0, 0}), firn::Error);
    bad.radius = 0;
    bad.half_width = 0;
    EXPECT_THROW(surface_grid(Particles(), bad, GridSettings{0.1f, 0, 0}), firn::Error);
}

TEST(MaskedDensityGrid, IsTheDensityInsideAndNothingOutside) {
    const Particles particles = firn_test::ball(1.0f, 0.1f);
    const GridSettings settings{0.1f, 0, 0};
    const FloatGrid::Ptr density = density_grid(particles, 400, settings);
    const FloatGrid::Ptr surface = surface_grid(particles, {}, settings);
    const FloatGrid::Ptr masked = masked_density_grid(*density, *surface);
    EXPECT_EQ(masked->getName(), "density_masked");
    EXPECT_EQ(masked->getGridClass(), openvdb::GRID_FOG_VOLUME);
    int inside = 0, edge = 0;
    for (auto value = density->cbeginValueOn(); value; ++value) {
        const Coord c = value.getCoord();
        const float distance = surface->tree().getValue(c), kept = masked->tree().getValue(c);
        if (distance <= -0.025f) {
            ASSERT_EQ(kept, *value);
            ++inside;
        } else if (distance >= 0.025f) {
            ASSERT_EQ(kept, 0);
            ASSERT_FALSE(masked->tree().isValueOn(c));
        } else {
            ASSERT_NEAR(kept, *value * (0.5f - distance / 0.05f), 1e-3f);
            ++edge;
        }
    }
    EXPECT_GT(inside, 10000);
    EXPECT_GT(edge, 100);
    EXPECT_LT(masked->tree().leafCount(), density->tree().leafCount());
    const FloatGrid::Ptr other = surface_grid(particles, {}, GridSettings{0.1f, 0.03f, 0});
    EXPECT_THROW(masked_density_grid(*density, *other), firn::Error);

    const FloatGrid::Ptr one = masked_density_grid(*density, *surface, 0, 1);
    const FloatGrid::Ptr two = masked_density_grid(*density, *surface, 0, 2);
    ASSERT_TRUE(one->tree().hasSameTopology(two->tree()));
    for (auto value = one->cbeginValueOn(); value; ++value) {
        ASSERT_EQ(two->tree().getValue(value.getCoord()), *value);
    }
}

TEST(SurfaceGrid, KeepsEveryLoneParticle) {
    // A ball, and around it particles that fly alone, in pairs and in threes.
    Particles snow = firn_test::ball(0.1f, 0.02f);
    const size_t together = snow.count();
    for (int k = 0; k < 200; ++k) {
        const float turn = 2.4f * static_cast<float>(k), up = -0.95f + 0.0095f * static_cast<float>(k),
                    flat = std::sqrt(1 - up * up), far = 0.2f + 0.001f * static_cast<float>(k);
        const Float3 p{far * flat * std::cos(turn), far * up, far * flat * std::sin(turn)};
        for (int n = 0; n <= k % 3; ++n) snow.position.push_back({p.x + 0.018f * static_cast<float>(n), p.y, p.z});
    }
    for (const float voxel : {0.01f, 0.006f, 0.002f}) {
        const FloatGrid::Ptr grid = surface_grid(snow, {}, {0.02f, voxel, 0});
        const auto values = grid->getConstAccessor();
        const auto inside = [&](const Float3& p) {
            return openvdb::tools::BoxSampler::sample(values, grid->worldToIndex(Vec3d(p.x, p.y, p.z)));
        };
        for (size_t i = together; i < snow.count(); ++i) EXPECT_LT(inside(snow.position[i]), 0) << voxel << " " << i;
        SurfaceGridSettings without;
        without.keep_lone = false;
        const FloatGrid::Ptr swallowed = surface_grid(snow, without, {0.02f, voxel, 0});
        // The ball itself stays as smooth as it was.
        const auto smooth = swallowed->getConstAccessor();
        for (auto value = swallowed->cbeginValueOn(); value; ++value) {
            const Vec3d at = swallowed->indexToWorld(value.getCoord());
            if (at.length() > 0.12) continue;
            EXPECT_EQ(values.getValue(value.getCoord()), smooth.getValue(value.getCoord()));
        }
    }
}

}  // namespace
