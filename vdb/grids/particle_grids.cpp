// Particles -> density, velocity and attributes. Every leaf gathers the particles that touch it, in a fixed order: no
// two threads write the same voxel, and the sums don't depend on who adds first.

#include <tbb/enumerable_thread_specific.h>

#include <cmath>
#include <memory>
#include <string>

#include "grid_plan.h"
#include "leaf_means.h"
#include "motion_paths.h"
#include "spline_sum.h"

namespace firn {

namespace {

/// Where the voxels are coarser than the particles the kernel widens with them: no particle may fall between voxels.
double kernel_support(const GridSettings& settings, double voxel) {
    return 2.0 * std::max<double>(settings.spacing, voxel);
}

void require_values(size_t values, const Particles& particles, const char* name) {
    if (values == particles.count()) return;
    throw Error(std::string("attribute ") + name + ": " + std::to_string(values) + " values for " +
                std::to_string(particles.count()) + " particles");
}

bool is_finite(float value) {
    return std::isfinite(value);
}
bool is_finite(const Float3& value) {
    return std::isfinite(value.x) && std::isfinite(value.y) && std::isfinite(value.z);
}

template <typename Value>
void require_finite(const std::vector<Value>& values, const char* name) {
    for (size_t k = 0; k < values.size(); ++k) {
        if (is_finite(values[k])) continue;
        throw Error("particle " + std::to_string(k) + ": its " + name +
                    " is not finite; volumes need numbers (delete the particle or mend the attribute)");
    }
}

/// Fills the leaves of a new tree: fill(leaf's number, its key, values, mask) writes 512 values and says which are
/// active, 64 voxels in each of eight words. Leaves without an active voxel are left out.
template <typename Grid, typename Fill>
void fill_leaves(Grid& grid, const LeafSpace& space, const std::vector<uint64_t>& keys, LeafLoop& loop,
                 const Fill& fill) {
    using Leaf = typename Grid::TreeType::LeafNodeType;
    std::vector<std::unique_ptr<Leaf>> leaves(keys.size());
    loop.ranges(keys.size(), [&](size_t first, size_t last) {
        for (size_t k = first; k < last; ++k) {
            const std::array<int32_t, 3> origin = space.origin(keys[k]);
            auto leaf = std::make_unique<Leaf>(openvdb::Coord(origin[0], origin[1], origin[2]));
            uint64_t mask[leaf_edge] = {};
            fill(keys[k], leaf->buffer().data(), mask);
            bool any = false;
            for (openvdb::Index word = 0; word < leaf_edge; ++word) {
                leaf->getValueMask().template getWord<openvdb::Index64>(word) = mask[word];
                any |= mask[word] != 0;
            }
            if (any) leaves[k] = std::move(leaf);
        }
    });
    for (std::unique_ptr<Leaf>& leaf : leaves) {
        if (leaf) grid.tree().addLeaf(leaf.release());
    }
}

template <typename Value>
using Scratch = tbb::enumerable_thread_specific<Value>;

uint64_t bit(int voxel) {
    return uint64_t(1) << (voxel & 63);
}

float mean_at(const LeafSums& s, int k, float) {
    return s.mean(k);
}
openvdb::Vec3s mean_at(const LeafSums& s, int k, const openvdb::Vec3s&) {
    return {s.mean(k, 0), s.mean(k, 1), s.mean(k, 2)};
}

/// `sorted`: values in the order of the bins.
template <typename Grid, typename Value>
void fill_with_means(Grid& grid, const Means& means, const std::vector<Value>& sorted,
                     const std::vector<uint64_t>& leaves, LeafLoop& loop) {
    using Out = typename Grid::ValueType;
    Scratch<LeafSums> scratch;
    fill_leaves(grid, means.bins.space, leaves, loop, [&](uint64_t key, Out* out, uint64_t* mask) {
        LeafSums& s = scratch.local();
        if (!means.sum(key, sorted.data(), {}, s)) return;
        for (int k = 0; k < leaf_voxels; ++k) {
            out[k] = mean_at(s, k, Out());
            mask[k / 64] |= s.has_mean(k) ? bit(k) : 0;
        }
    });
}

template <typename Grid>
typename Grid::Ptr new_grid(const char* name, double voxel, openvdb::GridClass grid_class) {
    typename Grid::Ptr grid = Grid::create();
    place_grid(*grid, name, voxel, grid_class);
    return grid;
}

template <typename Grid, typename Value>
typename Grid::Ptr mean_grid(const Particles& particles, const std::vector<Value>& values, const char* name,
                             openvdb::GridClass grid_class, const GridSettings& settings,
                             const Interrupted& interrupted) {
    const double voxel = voxel_size(settings);
    const typename Grid::Ptr grid = new_grid<Grid>(name, voxel, grid_class);
    require_values(values.size(), particles, name);
    require_finite(values, name);

    LeafLoop loop(settings.threads, interrupted);
    const double support = kernel_support(settings, voxel) / voxel;
    const LeafBins bins = plan_leaves(particles.position, voxel, support * voxel, sizeof(Value), loop);
    const std::vector<uint64_t> leaves = bins.touched(support, loop);
    require_memory(leaves.size(), sizeof(Value), voxel);
    fill_with_means(*grid, Means{bins, static_cast<float>(support)}, in_leaf_order(bins, values, loop), leaves, loop);
    return grid;
}

}  // namespace

openvdb::FloatGrid::Ptr density_grid(const Particles& particles, float rest_density, const GridSettings& settings,
                                     const Interrupted& interrupted) {
    const double voxel = voxel_size(settings);
    openvdb::FloatGrid::Ptr grid = new_grid<openvdb::FloatGrid>("density", voxel, openvdb::GRID_FOG_VOLUME);
    const bool own_density = !particles.rest_density.empty();
    if (own_density) require_values(particles.rest_density.size(), particles, "rest_density");
    if (own_density) require_finite(particles.rest_density, "rest_density");
    if (!own_density && !is_finite(rest_density)) throw Error("rest density: volumes need a finite number of kg/m^3");

    LeafLoop loop(settings.threads, interrupted);
    const double support = kernel_support(settings, voxel) / voxel;
    const LeafBins bins = plan_leaves(particles.position, voxel, support * voxel, sizeof(float), loop);
    const std::vector<uint64_t> leaves = bins.touched(support, loop);
    require_memory(leaves.size(), sizeof(float), voxel);

    // Each particle's kernel is divided by its own sum over the voxels: its mass arrives whole, wherever it sits.
    const SplineSum sums(static_cast<float>(support));
    const double volume_ratio = std::pow(static_cast<double>(settings.spacing) / voxel, 3);
    std::vector<float> weight(particles.count());
    loop.ranges(weight.size(), [&](size_t first, size_t last) {
        for (size_t k = first; k < last; ++k) {
            const double density = own_density ? particles.rest_density[bins.particle[k]] : rest_density;
            weight[k] = static_cast<float>(density * volume_ratio / sums.at(bins.local[k]));
        }
    });

    Scratch<std::vector<NearParticle>> scratch;
    fill_leaves(*grid, bins.space, leaves, loop, [&](uint64_t key, float* values, uint64_t* mask) {
        std::vector<NearParticle>& near = scratch.local();
        const size_t count = bins.near(key, static_cast<float>(support), near);
        leaf_kernels().add(near.data(), count, weight.data(), static_cast<float>(support), values);
        for (int k = 0; k < leaf_voxels; ++k) mask[k / 64] |= values[k] != 0.0f ? bit(k) : 0;
    });
    return grid;
}

openvdb::Vec3SGrid::Ptr velocity_grid(const Particles& particles, const VelocityGridSettings& velocity,
                                      const GridSettings& settings, const Interrupted& interrupted) {
    const double voxel = voxel_size(settings);
    openvdb::Vec3SGrid::Ptr grid = new_grid<openvdb::Vec3SGrid>(
        "vel", voxel, velocity.staggered ? openvdb::GRID_STAGGERED : openvdb::GRID_UNKNOWN);
    grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
    if (!particles.velocity.empty()) require_values(particles.velocity.size(), particles, "v");
    require_finite(particles.velocity, "v");
    if (!(velocity.extension >= 0) || !std::isfinite(velocity.extension)) {
        throw Error("velocity extension " + std::to_string(velocity.extension) +
                    " m: give a number above 0, or 0 for three particle spacings");
    }
    if (!(velocity.shutter >= 0) || !std::isfinite(velocity.shutter)) {
        throw Error("velocity shutter " + std::to_string(velocity.shutter) + " s: give 0 or more");
    }
    if (particles.count() == 0) return grid;

    LeafLoop loop(settings.threads, interrupted);
    // The surface is half a spacing off the outermost particles.
    const double past_surface = velocity.extension > 0 ? velocity.extension : 3.0 * settings.spacing;
    const double extension = (0.5 * settings.spacing + past_surface) / voxel;
    const double support = kernel_support(settings, voxel) / voxel;
    const double reach = std::max(support, extension) + (velocity.staggered ? 0.5 : 0.0);

    // Particles first, then the stations of their ways.
    std::vector<Float3> position = particles.position, values = particles.velocity;
    values.resize(position.size());
    if (velocity.shutter > 0) {
        const MotionPaths paths =
            motion_paths(position, values, settings.spacing, velocity.shutter, past_surface, loop);
        position.insert(position.end(), paths.position.begin(), paths.position.end());
        values.insert(values.end(), paths.velocity.begin(), paths.velocity.end());
    }
    const LeafBins bins = plan_leaves(position, voxel, reach * voxel, sizeof(openvdb::Vec3s), loop);
    const std::vector<uint64_t> leaves = bins.touched(reach, loop);
    require_memory(leaves.size(), sizeof(openvdb::Vec3s), voxel);

    const std::vector<Float3> sorted = in_leaf_order(bins, values, loop);
    Means means{bins, static_cast<float>(support), static_cast<float>(extension)};
    if (position.size() > particles.count()) means.first_station = static_cast<uint32_t>(particles.count());
    if (!velocity.staggered) {
        fill_with_means(*grid, means, sorted, leaves, loop);
        return grid;
    }

    Scratch<LeafSums> scratch;
    // Each component lives on the voxel's faces across its axis: half a voxel below the centre.
    std::vector<float> component[3];
    for (int axis = 0; axis < 3; ++axis) {
        component[axis].resize(sorted.size());
        for (size_t k = 0; k < sorted.size(); ++k) component[axis][k] = (&sorted[k].x)[axis];
    }
    const Float3 shift[3] = {{-0.5f, 0, 0}, {0, -0.5f, 0}, {0, 0, -0.5f}};
    fill_leaves(*grid, bins.space, leaves, loop, [&](uint64_t key, openvdb::Vec3s* out, uint64_t* mask) {
        LeafSums& s = scratch.local();
        std::fill(mask, mask + leaf_edge, ~uint64_t(0));
        for (int axis = 0; axis < 3; ++axis) {
            if (!means.sum(key, component[axis].data(), shift[axis], s)) {
                std::fill(mask, mask + leaf_edge, 0);
                return;
            }
            for (int k = 0; k < leaf_voxels; ++k) {
                out[k][axis] = s.mean(k);
                if (!s.has_mean(k)) mask[k / 64] &= ~bit(k);
            }
        }
        for (int k = 0; k < leaf_voxels; ++k) {
            if (!(mask[k / 64] & bit(k))) out[k] = openvdb::Vec3s(0.0f);
        }
    });
    return grid;
}

openvdb::FloatGrid::Ptr attribute_grid(const Particles& particles, const std::vector<float>& values, const char* name,
                                       const GridSettings& settings, const Interrupted& interrupted) {
    return mean_grid<openvdb::FloatGrid>(particles, values, name, openvdb::GRID_FOG_VOLUME, settings, interrupted);
}

openvdb::Vec3SGrid::Ptr attribute_grid(const Particles& particles, const std::vector<Float3>& values, const char* name,
                                       const GridSettings& settings, const Interrupted& interrupted) {
    return mean_grid<openvdb::Vec3SGrid>(particles, values, name, openvdb::GRID_UNKNOWN, settings, interrupted);
}

}  // namespace firn
