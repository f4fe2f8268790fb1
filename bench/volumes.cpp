// Particles -> volumes, beside OpenVDB's own rasterisers on the same million particles and the same voxels, in turns.
// Prints a table and merges its figures into a JSON file (bench/run.sh).

#include <openvdb/openvdb.h>
#include <openvdb/points/PointAttribute.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/points/PointRasterizeSDF.h>
#include <openvdb/points/PointRasterizeTrilinear.h>
#include <openvdb/tools/ParticlesToLevelSet.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "figures.h"
#include "firn/error.h"
#include "firn/grids.h"

namespace {

using firn::Float3;
using firn::Particles;
using openvdb::FloatGrid;
using openvdb::Vec3SGrid;

constexpr float spacing = 0.02f;
constexpr double voxel = 0.01;

/// Loose snow: a cube of 100^3 particles, each off its place by up to a quarter of a spacing.
Particles snow() {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> off(-0.25f * spacing, 0.25f * spacing);
    Particles particles;
    for (int i = 0; i < 100; ++i) {
        for (int j = 0; j < 100; ++j) {
            for (int k = 0; k < 100; ++k) {
                const float x = spacing * static_cast<float>(i) + off(random),
                            y = spacing * static_cast<float>(j) + off(random),
                            z = spacing * static_cast<float>(k) + off(random);
                particles.position.push_back({x, y, z});
                particles.velocity.push_back({y, -x, z});
            }
        }
    }
    return particles;
}

/// What OpenVDB's tools ask of particles.
struct ParticleList {
    using PosType = openvdb::Vec3R;
    const Particles& particles;
    size_t size() const { return particles.count(); }
    void getPos(size_t n, PosType& p) const {
        const Float3& x = particles.position[n];
        p = PosType(x.x, x.y, x.z);
    }
};

openvdb::points::PointDataGrid::Ptr point_grid(const Particles& particles, bool with_velocity) {
    using namespace openvdb::points;
    std::vector<openvdb::Vec3f> position, velocity;
    for (const Float3& p : particles.position) position.emplace_back(p.x, p.y, p.z);
    const PointAttributeVector<openvdb::Vec3f> positions(position);
    const auto transform = openvdb::math::Transform::createLinearTransform(voxel);
    const auto index = openvdb::tools::createPointIndexGrid<openvdb::tools::PointIndexGrid>(positions, *transform);
    const auto grid = createPointDataGrid<NullCodec, PointDataGrid>(*index, positions, *transform);
    if (with_velocity) {
        for (const Float3& v : particles.velocity) velocity.emplace_back(v.x, v.y, v.z);
        appendAttribute<openvdb::Vec3f>(grid->tree(), "v");
        populateAttribute<PointDataTree, openvdb::tools::PointIndexTree, PointAttributeVector<openvdb::Vec3f>>(
            grid->tree(), index->tree(), "v", PointAttributeVector<openvdb::Vec3f>(velocity));
    } else {
        appendAttribute<float>(grid->tree(), "mass", 1.0f);
    }
    return grid;
}

/// Eight voxels around each particle, trees for each thread, added up at the end: how a user of OpenVDB writes a splat.
FloatGrid::Ptr trilinear_scatter(const Particles& particles) {
    tbb::enumerable_thread_specific<FloatGrid::Ptr> parts([] { return FloatGrid::create(); });
    tbb::parallel_for(tbb::blocked_range<size_t>(0, particles.count(), 4096), [&](const auto& range) {
        auto at = parts.local()->getAccessor();
        for (size_t n = range.begin(); n != range.end(); ++n) {
            const openvdb::Vec3d x =
                openvdb::Vec3d(particles.position[n].x, particles.position[n].y, particles.position[n].z) / voxel;
            const openvdb::Coord low = openvdb::Coord::floor(x);
            const openvdb::Vec3d f = x - low.asVec3d();
            for (int c = 0; c < 8; ++c) {
                const int i = c >> 2, j = (c >> 1) & 1, k = c & 1;
                const float weight =
                    static_cast<float>((i ? f[0] : 1 - f[0]) * (j ? f[1] : 1 - f[1]) * (k ? f[2] : 1 - f[2]));
                at.modifyValue(low.offsetBy(i, j, k), [=](float& value) { value += weight; });
            }
        }
    });
    FloatGrid::Ptr sum;
    for (const FloatGrid::Ptr& part : parts) {
        if (!sum) {
            sum = part;
        } else {
            openvdb::tools::compSum(*sum, *part);
        }
    }
    return sum;
}

double seconds(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Each in turns, so that all see the same weather; the best of a few rounds.
std::vector<double> best_of(int rounds, const std::vector<std::function<void()>>& works) {
    std::vector<double> best(works.size(), 1e30);
    for (int round = 0; round < rounds; ++round) {
        for (size_t k = 0; k < works.size(); ++k) best[k] = std::min(best[k], seconds(works[k]));
    }
    return best;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) {
        std::fprintf(stderr, "usage: firn_volumes FIGURES.json   (made, or added to)\n");
        return 1;
    }
    openvdb::initialize();
    Figures figures(argv[1]);
    const Particles particles = snow();
    const firn::GridSettings settings{spacing, static_cast<float>(voxel), 0};
    constexpr int rounds = 5;

    {
        const std::vector<double> t = best_of(
            rounds,
            {[&] { firn::density_grid(particles, 400, settings); },
             [&] { openvdb::points::rasterizeTrilinear<false, float>(point_grid(particles, false)->tree(), "mass"); },
             [&] { trilinear_scatter(particles); }});
        figures.add("density_1m_s", t[0], "cubic spline over four voxels, mass kept");
        figures.add("density_over_openvdb", t[1] / t[0],
                    "times points::rasterizeTrilinear, point grid included (goal 1)");
        figures.add("density_over_scatter", t[2] / t[0], "times a trilinear scatter into trees per thread (goal 1)");
    }
    {
        firn::VelocityGridSettings staggered;
        staggered.staggered = true;
        const std::vector<double> t = best_of(rounds, {[&] { firn::velocity_grid(particles, {}, settings); },
                                                       [&] {
                                                           openvdb::points::rasterizeTrilinear<false, openvdb::Vec3f>(
                                                               point_grid(particles, true)->tree(), "v");
                                                       },
                                                       [&] { firn::velocity_grid(particles, staggered, settings); },
                                                       [&] {
                                                           openvdb::points::rasterizeTrilinear<true, openvdb::Vec3f>(
                                                               point_grid(particles, true)->tree(), "v");
                                                       }});
        figures.add("velocity_1m_s", t[0], "collocated, three spacings past the surface");
        figures.add("velocity_over_openvdb", t[1] / t[0], "times points::rasterizeTrilinear (goal 1)");
        figures.add("staggered_velocity_1m_s", t[2], "");
        figures.add("staggered_velocity_over_openvdb", t[3] / t[2], "times points::rasterizeTrilinear (goal 1)");
    }
    {
        const double radius = spacing;
        const std::vector<double> t =
            best_of(rounds, {[&] { firn::surface_grid(particles, {}, settings); },
                             [&] {
                                 const FloatGrid::Ptr grid = openvdb::createLevelSet<FloatGrid>(voxel);
                                 openvdb::tools::particlesToSdf(ParticleList{particles}, *grid, radius);
                             },
                             [&] { openvdb::points::rasterizeSpheres(*point_grid(particles, false), radius); }});
        figures.add("surface_1m_s", t[0], "dilated, smoothed, eroded, a true distance");
        figures.add("surface_over_openvdb", t[1] / t[0], "times tools::ParticlesToLevelSet, bare spheres (goal 1)");
        figures.add("surface_over_spheres", t[2] / t[0], "times points::rasterizeSpheres, bare spheres (goal 1)");
    }
    {
        Particles line;
        for (int k = 0; k < 1000000; ++k) line.position.push_back({0.01f * static_cast<float>(k), 0, 0});
        FloatGrid::Ptr grid;
        figures.add("line_10km_density_s", seconds([&] { grid = firn::density_grid(line, 400, settings); }),
                    "a million particles in a line over ten kilometres");
        figures.add("line_10km_density_mb", static_cast<double>(grid->memUsage()) / 1e6, "");
    }
    if (!figures.write()) {
        std::fprintf(stderr, "firn_volumes: can't write %s\n", argv[1]);
        return 1;
    }
    std::printf("\nwritten to %s\n", argv[1]);
} catch (const std::exception& error) {
    std::fprintf(stderr, "firn_volumes: %s\n", error.what());
    return 1;
}
