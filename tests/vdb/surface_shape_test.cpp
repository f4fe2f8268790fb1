// Kernels that follow the snow, and relief that sticks to it.

#include <gtest/gtest.h>
#include <openvdb/tools/Interpolation.h>

#include <cmath>
#include <cstring>

#include "firn/error.h"
#include "firn/grids.h"
#include "vdb/snow_shapes.h"

namespace firn {
namespace {

using openvdb::FloatGrid;
using openvdb::Vec3d;

constexpr float spacing = 0.1f;

double at(const FloatGrid& grid, const Vec3d& x) {
    return double(openvdb::tools::BoxSampler::sample(grid.getConstAccessor(), grid.worldToIndex(x)));
}

/// Where the surface is on the way from inside to outside, by halving.
double crossing(const FloatGrid& grid, const Vec3d& from, const Vec3d& to) {
    double low = 0, high = 1;
    EXPECT_LT(at(grid, from), 0);
    EXPECT_GT(at(grid, to), 0);
    for (int k = 0; k < 40; ++k) {
        const double middle = 0.5 * (low + high);
        (at(grid, from + middle * (to - from)) < 0 ? low : high) = middle;
    }
    return low * (to - from).length();
}

SurfaceGridSettings of_kernels() {
    SurfaceGridSettings settings;
    settings.shape = SurfaceGridSettings::Shape::kernels;
    return settings;
}

TEST(SurfaceShape, KernelsEndWhereTheSnowDoesAndKeepItsEdges) {
    // The snow fills 0 to 2 m each way.
    const Particles block = firn_test::box(20, 20, 20, spacing, {0.05f, 0.05f, 0.05f});
    const GridSettings grids{spacing, 0.02f, 0};
    const FloatGrid::Ptr kernels = surface_grid(block, of_kernels(), grids), round = surface_grid(block, {}, grids);
    const Vec3d middle(1, 1, 1);
    double highest = 0, lowest = 10;
    for (int k = 0; k < 12; ++k) {
        const double along = 0.7 + 0.05 * k;
        const double face = crossing(*kernels, {1, along, along}, {2.5, along, along}) - 1;
        highest = std::max(highest, face);
        lowest = std::min(lowest, face);
    }
    EXPECT_NEAR(0.5 * (highest + lowest), 0, 0.1 * spacing);
    EXPECT_LT(highest - lowest, 0.04 * spacing);  // flat
    // An ideal edge lies sqrt(2) from the middle of the block, a corner sqrt(3).
    const double edge = crossing(*kernels, middle, {2.5, 2.5, 1}), round_edge = crossing(*round, middle, {2.5, 2.5, 1});
    const double corner = crossing(*kernels, middle, {2.5, 2.5, 2.5}),
                 round_corner = crossing(*round, middle, {2.5, 2.5, 2.5});
    EXPECT_GT(edge, round_edge);
    EXPECT_GT(corner, round_corner);
    EXPECT_GT(edge, std::sqrt(2.0) - 0.35 * spacing);
    EXPECT_GT(corner, std::sqrt(3.0) - 0.7 * spacing);
}

TEST(SurfaceShape, VoxelsOfATenthOfASpacingGiveTheSameSurface) {
    const Particles ball = firn_test::ball(0.3f, 0.05f);
    const FloatGrid::Ptr coarse = surface_grid(ball, of_kernels(), {0.05f, 0.025f, 0}),
                         fine = surface_grid(ball, of_kernels(), {0.05f, 0.005f, 0});
    for (int k = 0; k < 60; ++k) {
        const double turn = 2.4 * k, up = -0.95 + 0.032 * k, flat = std::sqrt(1 - up * up);
        const Vec3d out(flat * std::cos(turn), up, flat * std::sin(turn));
        EXPECT_NEAR(crossing(*coarse, {0, 0, 0}, 0.45 * out), crossing(*fine, {0, 0, 0}, 0.45 * out), 0.008);
    }
    // Only near the surface: its area over the voxel squared, times the band and what a leaf adds.
    EXPECT_LT(double(fine->activeVoxelCount()), 4 * 3.15 * 0.35 * 0.35 / (0.005 * 0.005) * 8);
    EXPECT_THROW(surface_grid(firn_test::ball(0.3f, 0.01f), {}, {1.0f, 2.1e-5f, 0}), Error);
}

Vec3d turned(const Vec3d& p) {
    // By 40 degrees about y, then 25 about x.
    const double a = 0.698, b = 0.436;
    const Vec3d q(std::cos(a) * p[0] + std::sin(a) * p[2], p[1], std::cos(a) * p[2] - std::sin(a) * p[0]);
    return {q[0], std::cos(b) * q[1] - std::sin(b) * q[2], std::sin(b) * q[1] + std::cos(b) * q[2]};
}

TEST(SurfaceShape, ReliefTurnsWithTheSnowAndStaysWithinItsHeight) {
    Particles rest = firn_test::box(14, 14, 14, spacing, {-0.65f, -0.65f, -0.65f});
    for (size_t i = 0; i < rest.count(); ++i) rest.id.push_back(static_cast<int64_t>(i));
    GrainBirths births;
    births.rest = rest.position;
    Particles now = rest;
    for (Float3& p : now.position) {
        const Vec3d q = turned({double(p.x), double(p.y), double(p.z)});
        p = {float(q[0] + 3), float(q[1] - 1), float(q[2] + 0.5)};
    }
    SurfaceGridSettings settings;
    settings.births = &births;
    settings.relief = 0.3f * spacing;
    settings.relief_size = 3 * spacing;
    const GridSettings grids{spacing, 0.02f, 0};
    const FloatGrid::Ptr before = surface_grid(rest, settings, grids), after = surface_grid(now, settings, grids);
    settings.relief = -1;
    const FloatGrid::Ptr smooth = surface_grid(rest, settings, grids),
                         smooth_after = surface_grid(now, settings, grids);
    double most = 0, sum = 0, alike = 0, other = 0, count = 0;
    for (int k = 0; k < 400; ++k) {
        const double turn = 2.4 * k, up = -0.98 + 0.0049 * k, flat = std::sqrt(1 - up * up);
        const Vec3d out(flat * std::cos(turn), up, flat * std::sin(turn)), moved = turned(out), centre(3, -1, 0.5);
        const double there = crossing(*before, {0, 0, 0}, 1.6 * out) - crossing(*smooth, {0, 0, 0}, 1.6 * out);
        const double here =
            crossing(*after, centre, centre + 1.6 * moved) - crossing(*smooth_after, centre, centre + 1.6 * moved);
        most = std::max(most, std::fabs(there));
        sum += there;
        alike += (there - here) * (there - here);
        other += there * there;
        ++count;
    }
    // Along a slanting ray a displacement is longer than across the face, by up to sqrt(3).
    EXPECT_LT(most, 1.75 * 0.3 * spacing);
    EXPECT_LT(std::fabs(sum / count), 0.05 * spacing);
    EXPECT_GT(std::sqrt(other / count), 0.04 * spacing);           // it is there,
    EXPECT_LT(std::sqrt(alike / other), 0.25) << "of the relief";  // and the same after the turn
}

TEST(SurfaceShape, PressedSnowLosesItsReliefAndSnowOfUnknownBirthHasNone) {
    Particles snow = firn_test::box(12, 12, 12, spacing);
    GrainBirths births;
    births.rest = snow.position;
    const GridSettings grids{spacing, 0.03f, 0};
    const FloatGrid::Ptr plain = surface_grid(snow, {}, grids);
    SurfaceGridSettings settings;
    settings.births = &births;
    const auto difference = [&] {
        const FloatGrid::Ptr grid = surface_grid(snow, settings, grids);
        double most = 0;
        for (auto value = plain->cbeginValueOn(); value; ++value)
            if (std::fabs(*value) < 0.03f)
                most = std::max(most, std::fabs(double(*value) - double(grid->tree().getValue(value.getCoord()))));
        return most;
    };
    EXPECT_GT(difference(), 0.05 * spacing);  // without a word: a fifth of a spacing
    snow.compaction.assign(snow.count(), 1.9f);
    EXPECT_LT(difference(), 0.04 * spacing);  // what making distances twice does
    settings.births = nullptr;
    EXPECT_EQ(difference(), 0);
    settings.relief = 0.01f;
    EXPECT_THROW(surface_grid(snow, settings, grids), Error);
    settings.relief = 3 * spacing;
    settings.births = &births;
    EXPECT_THROW(surface_grid(snow, settings, grids), Error);
    settings.relief = std::nanf("");
    EXPECT_THROW(surface_grid(snow, settings, grids), Error);
}

TEST(SurfaceShape, FreshBreaksAreRougherThanTheSnowAsItWasPlaced) {
    Particles snow = firn_test::box(16, 26, 26, spacing);
    GrainBirths births;
    births.rest = snow.position;
    // It broke in the middle, and the right half is far away.
    const float middle = snow.position.front().x + 7.5f * spacing;
    for (Float3& p : snow.position)
        if (p.x > middle) p.x += 12 * spacing;
    SurfaceGridSettings settings;
    settings.births = &births;
    settings.relief = 0.2f * spacing;
    settings.relief_size = 2 * spacing;
    const GridSettings grids{spacing, 0.03f, 0};
    const FloatGrid::Ptr rough = surface_grid(snow, settings, grids);
    settings.relief = -1;
    const FloatGrid::Ptr smooth = surface_grid(snow, settings, grids);
    const auto roughness = [&](double inside, double outside) {
        double sum = 0;
        for (int j = 0; j < 400; ++j) {
            const double y = snow.position.front().y + (3 + j % 20) * double(spacing),
                         z = snow.position.front().z + (3 + j / 20) * double(spacing);
            const double off =
                crossing(*rough, {inside, y, z}, {outside, y, z}) - crossing(*smooth, {inside, y, z}, {outside, y, z});
            sum += off * off;
        }
        return std::sqrt(sum / 400);
    };
    const double within = double(middle) - 4 * double(spacing), whole = roughness(within, within - 6 * double(spacing)),
                 broken = roughness(within, within + 7 * double(spacing));
    EXPECT_GT(whole, 0.02 * spacing);
    EXPECT_GT(broken, 1.8 * whole);
    EXPECT_LT(broken, 3 * whole);
}

TEST(SurfaceShape, HasTheSameBitsForAnyThreads) {
    Particles snow = firn_test::cloud(20000, 1.5f, {-1, 0, 0.3f}, 9);
    GrainBirths births;
    births.rest = snow.position;
    SurfaceGridSettings settings;
    settings.births = &births;
    const FloatGrid::Ptr one = surface_grid(snow, settings, {0.05f, 0, 1}),
                         two = surface_grid(snow, settings, {0.05f, 0, 2});
    ASSERT_TRUE(one->tree().hasSameTopology(two->tree()));
    for (auto a = one->tree().cbeginLeaf(), b = two->tree().cbeginLeaf(); a; ++a, ++b)
        ASSERT_EQ(std::memcmp(a->buffer().data(), b->buffer().data(), 512 * sizeof(float)), 0);
}

/// From 90 % to 10 % of the density inside, across a face.
double fade_width(const FloatGrid& density, double inside) {
    double first = 0, last = 0;
    for (int k = 0; k < 4000; ++k) {
        const double x = 0.5 + 0.0005 * k;
        double sum = 0;
        for (int j = 0; j < 81; ++j) sum += at(density, {x, 0.41 + 0.02 * (j % 9), 0.41 + 0.02 * (j / 9)});
        if (sum / 81 > 0.9 * inside) first = x;
        if (sum / 81 > 0.1 * inside) last = x;
    }
    return last - first;
}

TEST(GrainDensity, HasTheSnowsMassAndAnEdgeAsSharpAsItsGrains) {
    const Particles block = firn_test::box(10, 10, 10, spacing, {0.05f, 0.05f, 0.05f});
    GrainBirths births;
    births.rest = block.position;
    GrainDensitySettings how;
    how.per_particle = 64;
    how.rest_density = 400;
    const FloatGrid::Ptr sharp = grain_density_grid(block, births, how, {spacing, 0, 0});
    EXPECT_NEAR(sharp->voxelSize()[0], 0.5 * 0.025, 1e-6);
    double mass = 0;
    for (auto value = sharp->cbeginValueOn(); value; ++value)
        mass += double(*value) * std::pow(sharp->voxelSize()[0], 3);
    EXPECT_NEAR(mass, 400, 0.4);  // a cubic metre
    const FloatGrid::Ptr soft = density_grid(block, 400, {spacing, 0, 0});
    const double width = fade_width(*sharp, 400), usual = fade_width(*soft, 400);
    EXPECT_LT(width, 0.45 * usual);
    EXPECT_LT(width, 1.8 * 0.025);
    EXPECT_GT(usual, 0.9 * spacing);
    EXPECT_THROW(grain_density_grid(block, {}, how, {spacing, 0, 0}), Error);
}

}  // namespace
}  // namespace firn
