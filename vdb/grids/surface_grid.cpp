// Particles -> the surface of the snow, as a level set. Either kernels that follow the snow add up to it (Yu and Turk
// 2013), or a union of balls is dilated, smoothed and eroded: dilation closes the gaps between particles, smoothing
// takes the balls' bumps away, and erosion brings the surface back to where the snow ends. Erosion needs true distances
// inside, so the field is made a distance first. Lone particles don't survive that: they come back as balls.

#include <openvdb/tools/Composite.h>
#include <openvdb/tools/Interpolation.h>
#include <openvdb/tools/SignedFloodFill.h>
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "distance_band.h"
#include "grid_plan.h"
#include "surface_relief.h"

namespace firn {

namespace {

constexpr int most_smoothing_passes = 100;  ///< as many as scenes and nodes allow

// Of a spacing; and of a voxel: a ball has to be larger than half a voxel's diagonal, 0.87, or it might fall between
// the voxels' centres.
constexpr double lone_ball = 0.45, lone_depth = 0.1, lone_ball_voxels = 1.1;

/// The particles whose centres are not well inside the surface.
Particles lone_particles(const Particles& particles, const openvdb::FloatGrid& surface, double spacing,
                         LeafLoop& loop) {
    std::vector<uint8_t> lone(particles.count(), 0);
    loop.ranges(particles.count(), [&](size_t first, size_t last) {
        const openvdb::FloatGrid::ConstAccessor values = surface.getConstAccessor();
        for (size_t i = first; i < last; ++i) {
            const Float3& p = particles.position[i];
            const openvdb::Vec3d at = surface.worldToIndex(openvdb::Vec3d(p.x, p.y, p.z));
            lone[i] = double(openvdb::tools::BoxSampler::sample(values, at)) > -lone_depth * spacing;
        }
    });
    Particles some;
    for (size_t i = 0; i < lone.size(); ++i)
        if (lone[i]) some.position.push_back(particles.position[i]);
    return some;
}

double setting(float value, double default_value, const char* name) {
    if (!std::isfinite(value)) throw Error(std::string("surface ") + name + ": give a finite number of metres");
    return value == 0 ? default_value : std::max(0.0, static_cast<double>(value));
}

/// The bumps of balls are a spacing wide: two passes smooth them with voxels of 0.4 spacings. The square root of the
/// passes, in voxels, is how far smoothing reaches.
int passes_for_balls(double voxel_in_spacings) {
    return static_cast<int>(std::clamp(std::round(2 * std::pow(0.4 / voxel_in_spacings, 2)), 2.0, 32.0));
}

}  // namespace

openvdb::FloatGrid::Ptr surface_grid(const Particles& particles, const SurfaceGridSettings& surface,
                                     const GridSettings& settings, const Interrupted& interrupted) {
    const double voxel = voxel_size(settings);
    if (surface.half_width < 1 || surface.half_width > 64)
        throw Error("surface: half_width must be 1 to 64 voxels, not " + std::to_string(surface.half_width));
    if (surface.smooth < -1 || surface.smooth > most_smoothing_passes)
        throw Error("surface: smooth must be 0 to " + std::to_string(most_smoothing_passes) + " passes, not " +
                    std::to_string(surface.smooth));
    const double spacing = settings.spacing;
    const bool kernels = surface.shape == SurfaceGridSettings::Shape::kernels;
    if (!std::isfinite(surface.relief) || double(surface.relief) > spacing)
        throw Error("surface relief: give 0 to a spacing, that is 0 to " + std::to_string(spacing) + " m, not " +
                    std::to_string(surface.relief));
    if (!std::isfinite(surface.relief_size) || !(surface.relief_size >= 0))
        throw Error("surface relief_size: give a number of metres above 0, or 0 for 1.5 spacings");
    if (surface.relief > 0 && particles.count() > 0 && !surface.births)
        throw Error(
            "surface relief follows the snow from where it was born, which these particles don't say: they have no "
            "attribute 'rest'");
    // Lengths in voxels from here on.
    const double radius = setting(surface.radius, 0.5 * spacing, "radius") / voxel;
    const double dilate = setting(surface.dilate, kernels ? 0 : 0.5 * spacing, "dilate") / voxel;
    const double ball = kernels ? 0.95 * spacing / voxel : radius + dilate;
    // Between particles the balls' union lies lower than on top of them, by spacing^2 / (12 ball) in the mean over a
    // lattice's face: so much less is to be taken away.
    const double valleys = ball > 0 && !kernels ? std::min(dilate, std::pow(spacing / voxel, 2) / (12 * ball)) : 0;
    double erode = setting(surface.erode, (dilate - valleys) * voxel, "erode") / voxel;
    // Kernels end near where snow ends; from there only a difference of the settings moves them.
    if (kernels) erode += (0.5 - kernel_inset) * spacing / voxel - radius - dilate;
    const float half_width = static_cast<float>(surface.half_width);

    openvdb::FloatGrid::Ptr grid = openvdb::FloatGrid::create(static_cast<float>(half_width * voxel));
    place_grid(*grid, "surface", voxel, openvdb::GRID_LEVEL_SET);
    if (particles.count() == 0) return grid;

    BandSettings band;
    band.ball = static_cast<float>(ball);
    band.smooth = surface.smooth >= 0 ? surface.smooth : (kernels ? 0 : passes_for_balls(voxel / spacing));
    // The middle of a lattice's cell is 0.87 spacings from the nearest particle.
    if (band.smooth > 0 && !kernels) {
        band.level = static_cast<float>(std::clamp(ball - 0.87 * spacing / voxel, 0.25, 1.0));
    }
    band.spacing = static_cast<float>(spacing / voxel);
    // Outside, the kernels' sum is no more than their level below it: as much must be left inside, or smoothing moves
    // the surface.
    if (band.smooth > 0 && kernels) band.level = kernel_level * band.spacing;
    band.inside = std::max(half_width + static_cast<float>(erode), 1.0f);
    band.outside = std::max(half_width - static_cast<float>(erode), 1.0f);
    const double relief = setting(surface.relief, surface.births ? 0.2 * spacing : 0, "relief") / voxel;
    band.displacement = relief_of_breaks * static_cast<float>(relief);
    // What a leaf asks for: particles whose balls, kernels or relief come near it.
    const double reach = std::max<double>(band.reach(), kernels ? double(kernel_reach_most * band.spacing) : 0.0);

    LeafLoop loop(settings.threads, interrupted);
    const LeafBins bins = plan_leaves(particles.position, voxel, reach * voxel, 3 * sizeof(float), loop);
    std::vector<KernelShape> shapes;
    if (kernels) {
        shapes = in_leaf_order(bins, kernel_shapes(particles.position, settings.spacing, loop), loop);
        band.kernels = &shapes;
    }
    ReliefSource source;
    tbb::enumerable_thread_specific<std::vector<NearParticle>> scratch;
    if (relief > 0) {
        const ReliefSettings how{static_cast<float>(relief),
                                 surface.relief_size > 0 ? surface.relief_size / settings.spacing : 1.5f, band.spacing};
        band.before_displacing = [&, how](const LeafSet& leaves, const std::vector<float>& distances) {
            source = relief_source(particles, *surface.births, how, bins, leaves, distances, loop);
        };
        band.displace = [&source, &scratch, &bins, how](uint64_t leaf, float* distance) {
            std::vector<NearParticle>& near = scratch.local();
            const size_t count = bins.near(leaf, relief_reach * how.spacing, near);
            add_relief(source, how, near.data(), count, distance);
        };
    }
    const DistanceBand distance =
        distance_band(bins, band, loop, [&](size_t leaves) { require_memory(leaves, 3 * sizeof(float), voxel); });

    using Leaf = openvdb::FloatTree::LeafNodeType;
    std::vector<std::unique_ptr<Leaf>> leaves(distance.leaves.count());
    loop.ranges(leaves.size(), [&](size_t first, size_t last) {
        for (size_t k = first; k < last; ++k) {
            const float* values = distance.values.data() + k * leaf_voxels;
            const std::array<int32_t, 3> origin = bins.space.origin(distance.leaves.key(k));
            auto leaf = std::make_unique<Leaf>(openvdb::Coord(origin[0], origin[1], origin[2]), grid->background());
            float* out = leaf->buffer().data();
            bool any = false;
            for (int v = 0; v < leaf_voxels; ++v) {
                const float d = values[v] + static_cast<float>(erode);
                if (std::abs(d) < half_width) {
                    leaf->setValueOn(static_cast<openvdb::Index>(v));
                    any = true;
                }
                out[v] = std::min(std::max(d, -half_width), half_width) * static_cast<float>(voxel);
            }
            if (any) leaves[k] = std::move(leaf);
        }
    });
    for (std::unique_ptr<Leaf>& leaf : leaves) {
        if (leaf) grid->tree().addLeaf(leaf.release());
    }
    // What lies between the leaves becomes inside or outside, whole regions at a time.
    loop.within([&] { openvdb::tools::signedFloodFill(grid->tree()); });
    if (!surface.keep_lone || (!kernels && dilate == 0 && erode == 0 && band.smooth == 0)) return grid;
    const Particles lone = lone_particles(particles, *grid, spacing, loop);
    if (lone.count() == 0) return grid;
    SurfaceGridSettings balls;
    balls.shape = SurfaceGridSettings::Shape::balls;
    balls.radius = static_cast<float>(std::max(lone_ball * spacing, lone_ball_voxels * voxel));
    balls.dilate = balls.erode = -1;
    balls.smooth = 0;
    balls.half_width = surface.half_width;
    const openvdb::FloatGrid::Ptr others = surface_grid(lone, balls, settings, interrupted);
    loop.within([&] { openvdb::tools::csgUnion(*grid, *others); });
    return grid;
}

}  // namespace firn
