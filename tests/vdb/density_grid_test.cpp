#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "firn/error.h"
#include "firn/grids.h"
#include "vdb/snow_shapes.h"

namespace {

using firn::attribute_grid;
using firn::density_grid;
using firn::Error;
using firn::Float3;
using firn::GridSettings;
using firn::Particles;
using firn_test::ball;
using firn_test::box;
using firn_test::cloud;
using openvdb::Coord;
using openvdb::FloatGrid;

double mass(const FloatGrid& grid) {
    double sum = 0;
    for (auto value = grid.cbeginValueOn(); value; ++value) sum += double(*value) * double(value.getVoxelCount());
    return sum * std::pow(grid.voxelSize()[0], 3);
}

/// Monaghan's cubic spline with its norm, in double, from the definition: support 2 h, here h = support / 2.
double kernel(double r, double support) {
    const double pi = 3.14159265358979323846, h = support / 2, s = r / h, norm = 1 / (pi * h * h * h);
    if (s < 1) return norm * (1 - 1.5 * s * s + 0.75 * s * s * s);
    if (s < 2) return norm * 0.25 * (2 - s) * (2 - s) * (2 - s);
    return 0;
}

TEST(DensityGrid, KeepsMassAtEveryVoxelSizeAndPlace) {
    const float spacing = 0.02f;
    // Far out, the voxels' places have more digits than a float; the particles have what they have.
    for (const Float3 low : {Float3{-0.13f, 0.01f, 0.4f}, Float3{5000, -3000, 8000}}) {
        Particles particles = cloud(2000, 0.2f, low, 1);
        for (size_t k = 0; k < particles.count(); ++k) particles.rest_density.push_back(100.0f + float(k % 7) * 90.0f);
        double expected = 0;
        for (const float rho : particles.rest_density) expected += double(rho) * std::pow(double(spacing), 3);
        for (const float voxel : {0.0f, 0.003f, 0.02f, 0.033f, 0.1f, 3.0f}) {
            const FloatGrid::Ptr grid = density_grid(particles, 1.0f, GridSettings{spacing, voxel, 0});
            EXPECT_NEAR(mass(*grid) / expected, 1, 2e-4) << "voxel " << voxel << " at " << low.x;
        }
    }
}

TEST(DensityGrid, KeepsTheMassOfASingleParticleAnywhereInAVoxel) {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> anywhere(-1, 1);
    for (const float voxel : {0.1f, 0.12f, 0.051f, 0.034f, 0.9f}) {
        for (int trial = 0; trial < 40; ++trial) {
            Particles one;
            one.position.push_back({anywhere(random), anywhere(random), anywhere(random)});
            const FloatGrid::Ptr grid = density_grid(one, 400, GridSettings{0.1f, voxel, 1});
            EXPECT_NEAR(mass(*grid), 0.4, 0.4 * 5e-4) << "voxel " << voxel;
        }
    }
}

TEST(DensityGrid, IsTheSphSum) {
    const float spacing = 0.05f, rho = 300;
    const Particles particles = cloud(900, 0.4f, {0.2f, -0.5f, 1.0f}, 3);
    // Supports of 4, 2, 3.6, 3.3, 2.9 and 8 voxels: each has its own way through the kernels.
    for (const float voxel : {0.025f, 0.05f, 0.0275f, 0.03f, 0.035f, 0.0125f}) {
        const FloatGrid::Ptr grid = density_grid(particles, rho, GridSettings{spacing, voxel, 0});
        const double support = 2 * spacing, particle_mass = rho * std::pow(double(spacing), 3);
        // The kernel's sum over voxels differs from its integral by a few per cent at two voxels' support, by a few
        // thousandths at four; the grid divides by the sum.
        const double tolerance = voxel == 0.05f ? 0.08 : voxel > 0.025f ? 0.03 : 0.01;
        double checked = 0, peak = 0;
        const openvdb::CoordBBox bounds = grid->evalActiveVoxelBoundingBox();
        for (auto at = bounds.begin(); at; ++at) {
            const Coord c = *at;
            if ((c.x() * 7 + c.y() * 3 + c.z()) % 13 != 0) continue;
            const openvdb::Vec3d x = grid->indexToWorld(c);
            double sum = 0;
            for (const Float3& p : particles.position) {
                sum += particle_mass * kernel((x - openvdb::Vec3d(p.x, p.y, p.z)).length(), support);
            }
            peak = std::max(peak, sum);
            ASSERT_NEAR(grid->tree().getValue(c), sum, tolerance * sum + 0.02) << c;
            EXPECT_EQ(grid->tree().isValueOn(c), grid->tree().getValue(c) != 0);
            ++checked;
        }
        EXPECT_GT(checked, 50);
        EXPECT_GT(peak, rho);
    }
}

TEST(DensityGrid, IsTheRestDensityInsideALattice) {
    const Particles particles = box(20, 20, 20, 0.1f);
    const FloatGrid::Ptr grid = density_grid(particles, 400, GridSettings{0.1f, 0, 0});
    EXPECT_NEAR(grid->voxelSize()[0], 0.05, 1e-9);
    for (int k = 10; k <= 28; ++k) {
        // A lattice of cubic splines is flat to a few per cent.
        EXPECT_NEAR(grid->tree().getValue(Coord(k, 20, 39 - k)), 400, 12);
    }
    EXPECT_EQ(grid->tree().getValue(Coord(-6, 20, 20)), 0);
    EXPECT_EQ(grid->background(), 0);
    EXPECT_EQ(grid->getName(), "density");
    EXPECT_EQ(grid->getGridClass(), openvdb::GRID_FOG_VOLUME);
}

TEST(DensityGrid, HasTheSameBitsOnOneAndTwoThreads) {
    Particles particles = cloud(30000, 1.0f, {-0.5f, -0.5f, -0.5f}, 5);
    std::vector<float> values;
    for (size_t k = 0; k < particles.count(); ++k) values.push_back(std::sin(float(k)));
    const GridSettings one{0.03f, 0, 1}, two{0.03f, 0, 2};
    const auto same = [](const FloatGrid& a, const FloatGrid& b) {
        ASSERT_TRUE(a.tree().hasSameTopology(b.tree()));
        auto at = a.tree().cbeginLeaf();
        auto bt = b.tree().cbeginLeaf();
        for (; at; ++at, ++bt) {
            ASSERT_EQ(std::memcmp(at->buffer().data(), bt->buffer().data(), 512 * sizeof(float)), 0) << at->origin();
        }
    };
    same(*density_grid(particles, 400, one), *density_grid(particles, 400, two));
    same(*attribute_grid(particles, values, "a", one), *attribute_grid(particles, values, "a", two));
}

TEST(DensityGrid, ALineOverTenKilometresCostsWhatItCovers) {
    // A million particles, one centimetre apart.
    Particles particles;
    for (int k = 0; k < 1000000; ++k) particles.position.push_back({0.01f * float(k) - 5000.0f, 0.1f, 0.2f});
    const auto start = std::chrono::steady_clock::now();
    const FloatGrid::Ptr grid = density_grid(particles, 400, GridSettings{0.02f, 0.02f, 0});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    EXPECT_NEAR(mass(*grid) / (400 * 8e-6 * 1e6), 1, 1e-3);
    // Ten kilometres in voxels of 2 cm, at most 2 x 2 leaves across the line, and OpenVDB's inner nodes.
    const uint64_t leaves = 62500 * 4;
    EXPECT_LT(grid->tree().leafCount(), leaves + 8);
    EXPECT_LT(grid->memUsage(), (leaves + 8) * 2300 + 4000 * 70000ull);
    // Seconds even on a busy machine; a dense box would take 1e15 voxels.
    EXPECT_LT(seconds, 20);
}

TEST(DensityGrid, NothingGivesAValidEmptyGrid) {
    const FloatGrid::Ptr grid = density_grid(Particles(), 400, GridSettings{0.1f, 0, 0});
    EXPECT_TRUE(grid->empty());
    EXPECT_EQ(grid->getName(), "density");
    EXPECT_NEAR(grid->voxelSize()[0], 0.05, 1e-9);
}

TEST(DensityGrid, SaysWhatIsWrong) {
    const auto message = [](const Particles& particles, const GridSettings& settings) -> std::string {
        try {
            density_grid(particles, 400, settings);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    const Particles good = ball(0.5f, 0.1f);
    EXPECT_NE(message(good, {0, 0, 0}).find("spacing"), std::string::npos);
    EXPECT_NE(message(good, {0.1f, -1, 0}).find("voxel size"), std::string::npos);
    EXPECT_NE(message(good, {0.1f, std::nanf(""), 0}).find("voxel size"), std::string::npos);
    // 1e-4 m: a ball of 1e12 voxels. The answer has to come before the memory is asked for.
    EXPECT_NE(message(good, {0.1f, 1e-4f, 0}).find("GB"), std::string::npos) << message(good, {0.1f, 1e-4f, 0});
    EXPECT_NE(message(good, {0.1f, 1e-12f, 0}).find("voxel size 1e-12 m"), std::string::npos);
    Particles bad = good;
    bad.position[17].y = std::numeric_limits<float>::infinity();
    EXPECT_NE(message(bad, {0.1f, 0, 0}).find("particle 17"), std::string::npos) << message(bad, {0.1f, 0, 0});
    bad.position[17].y = 1e9f;
    EXPECT_NE(message(bad, {0.1f, 0, 0}).find("1e+09 m"), std::string::npos) << message(bad, {0.1f, 0, 0});
    bad = good;
    bad.rest_density.assign(3, 400.0f);
    EXPECT_NE(message(bad, {0.1f, 0, 0}).find("rest_density"), std::string::npos);
}

TEST(DensityGrid, StopsWhenAsked) {
    const Particles particles = ball(0.5f, 0.05f);
    int asked = 0;
    EXPECT_THROW(density_grid(particles, 400, GridSettings{0.05f, 0, 0}, [&] { return ++asked > 3; }), Error);
    EXPECT_EQ(asked, 4);
}

TEST(AttributeGrid, ReproducesALinearFieldInside) {
    const Particles particles = box(16, 16, 16, 0.1f);
    std::vector<float> values;
    std::vector<Float3> vectors;
    for (const Float3& p : particles.position) {
        values.push_back(270.0f + 3.0f * p.x - 2.0f * p.y + p.z);
        vectors.push_back({p.y, -p.x, 2.0f * p.z});
    }
    const GridSettings settings{0.1f, 0, 0};
    const FloatGrid::Ptr scalar = attribute_grid(particles, values, "temperature", settings);
    const openvdb::Vec3SGrid::Ptr vector = attribute_grid(particles, vectors, "spin", settings);
    EXPECT_EQ(scalar->getName(), "temperature");
    EXPECT_EQ(vector->getName(), "spin");
    for (int k = 8; k <= 22; ++k) {
        const Coord c(k, 30 - k, 15);
        const openvdb::Vec3d x = scalar->indexToWorld(c);
        // A symmetric kernel on a lattice reproduces linear fields up to how uneven its weights are: a hundredth of
        // a spacing times the slope.
        EXPECT_NEAR(scalar->tree().getValue(c), 270 + 3 * x[0] - 2 * x[1] + x[2], 0.03);
        EXPECT_NEAR(vector->tree().getValue(c)[0], x[1], 0.01);
        EXPECT_NEAR(vector->tree().getValue(c)[1], -x[0], 0.01);
        EXPECT_NEAR(vector->tree().getValue(c)[2], 2 * x[2], 0.02);
    }
    // A mean never leaves the range of what it is made of.
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    for (auto value = scalar->cbeginValueOn(); value; ++value) {
        ASSERT_GE(*value, *low - 0.001f);
        ASSERT_LE(*value, *high + 0.001f);
    }
    EXPECT_THROW(attribute_grid(particles, std::vector<float>(5), "short", settings), Error);
    values[3] = std::nanf("");
    EXPECT_THROW(attribute_grid(particles, values, "broken", settings), Error);
}

}  // namespace
