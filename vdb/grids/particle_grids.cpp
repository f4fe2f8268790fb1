// Particles -> density, velocity and attributes, from the sums of every leaf (leaf_sums.h).

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
/// Means need no more than a few particles: narrower, they keep apart what moves apart.
double mean_support(const GridSettings& settings, double voxel) {
    return 1.5 * std::max<double>(settings.spacing, voxel);
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

/// The leaves of a tree to be. Those without an active voxel are left out of it.
template <typename Grid>
class NewLeaves {
public:
    NewLeaves(const LeafSpace& space, const LeafSet& keys) : space_(space), keys_(keys), leaves_(keys.count()) {}

    /// edit(values, mask) writes 512 values and says which are active, 64 voxels in each of eight words; both are 0 at
    /// first. From any thread, one at a time for each leaf.
    template <typename Edit>
    void edit(size_t place, const Edit& edit) {
        std::unique_ptr<Leaf>& leaf = leaves_[place];
        if (!leaf) {
            const std::array<int32_t, 3> origin = space_.origin(keys_.key(place));
            leaf = std::make_unique<Leaf>(openvdb::Coord(origin[0], origin[1], origin[2]));
        }
        edit(leaf->buffer().data(), &leaf->getValueMask().template getWord<openvdb::Index64>(0));
    }
    void move_to(Grid& grid) {
        for (std::unique_ptr<Leaf>& leaf : leaves_) {
            if (leaf && !leaf->isEmpty()) grid.tree().addLeaf(leaf.release());
        }
    }

private:
    using Leaf = typename Grid::TreeType::LeafNodeType;
    const LeafSpace& space_;
    const LeafSet& keys_;
    std::vector<std::unique_ptr<Leaf>> leaves_;
};

using NearScratch = tbb::enumerable_thread_specific<std::vector<NearParticle>>;

/// Which of 512 values are further from 0 than `least`, 64 in a word. Bytes first: compilers make short work of those.
void mark_above(float least, const float* values, openvdb::Index64* mask) {
    for (int row = 0; row < leaf_voxels / 8; ++row) {
        uint64_t bits = 0;
        uint8_t is_above[8];
        for (int k = 0; k < 8; ++k) is_above[k] = std::abs(values[row * 8 + k]) > least ? 1 : 0;
        for (int k = 0; k < 8; ++k) bits |= uint64_t(is_above[k]) << k;
        mask[row / 8] |= bits << (row % 8 * 8);
    }
}

void write_means(const LeafMeans& means, float* out) {
    for (int k = 0; k < leaf_voxels; ++k) out[k] = means.value(k) * means.inverse_weight(k);
}
void write_means(const LeafMeans& means, openvdb::Vec3s* out) {
    for (int k = 0; k < leaf_voxels; ++k) {
        const float inverse = means.inverse_weight(k);
        out[k] = {means.value(k, 0) * inverse, means.value(k, 1) * inverse, means.value(k, 2) * inverse};
    }
}

ScalarSums sums_of(const std::vector<float>& values) {
    return {values.data()};
}
VectorSums sums_of(const std::vector<Float3>& values) {
    return {values.data()};
}

/// extend(leaf's key, its sums) may add to them.
template <typename Grid, typename Sums, typename Extend>
void fill_with_means(NewLeaves<Grid>& made, const SumPlan& plan, const Sums& what, const LeafSet& leaves,
                     LeafLoop& loop, const Extend& extend) {
    SumPool pool(what.channels);
    sum_leaves(
        plan, what, leaves, loop, [&](size_t) { return pool.take(); },
        [&](size_t place, float* sums) {
            extend(leaves.key(place), sums);
            made.edit(place, [sums](auto* out, openvdb::Index64* mask) {
                write_means(LeafMeans{sums}, out);
                mark_above(LeafMeans::least_weight, sums, mask);
            });
            pool.give_back(sums);
        });
}

/// The component across each of a leaf's upper sides, 8 x 8 voxels, and for which of them it is known.
struct UpperSides {
    float value[3][64];
    uint64_t known[3];
};

/// From voxel centres to faces: each component moves half a voxel down along its axis, as the mean of the two centres.
/// Where one of them has no value, the other's holds.
void move_to_faces(NewLeaves<openvdb::Vec3SGrid>& made, const LeafSpace& space, const LeafSet& leaves, LeafLoop& loop) {
    constexpr int stride[3] = {64, 8, 1};
    // What leaves need of their neighbours is put aside first: then each can be changed by itself.
    std::vector<UpperSides> sides(leaves.count());
    const auto is_known = [](const openvdb::Index64* mask, int voxel) { return mask[voxel / 64] >> (voxel % 64) & 1; };
    loop.ranges(leaves.count(), [&](size_t first, size_t last) {
        for (size_t place = first; place < last; ++place) {
            made.edit(place, [&](const openvdb::Vec3s* values, const openvdb::Index64* mask) {
                for (int axis = 0; axis < 3; ++axis) {
                    const int a = stride[axis == 0 ? 1 : 0], b = stride[axis == 2 ? 1 : 2];
                    sides[place].known[axis] = 0;
                    for (int k = 0; k < 64; ++k) {
                        const int voxel = 7 * stride[axis] + k / 8 * a + k % 8 * b;
                        sides[place].value[axis][k] = values[voxel][axis];
                        sides[place].known[axis] |= is_known(mask, voxel) << k;
                    }
                }
            });
        }
    });
    const auto move_leaf = [&](size_t place, openvdb::Vec3s* values, const auto& is_set) {
        for (int axis = 0; axis < 3; ++axis) {
            const int step = stride[axis], a = stride[axis == 0 ? 1 : 0], b = stride[axis == 2 ? 1 : 2];
            const size_t below = leaves.find(leaves.key(place) - space.step(axis == 0, axis == 1, axis == 2));
            for (int k = 0; k < 64; ++k) {
                const int bottom = k / 8 * a + k % 8 * b;
                // From above, so that what is below is still at its centre.
                for (int voxel = bottom + 7 * step; voxel > bottom; voxel -= step) {
                    if (!is_set(voxel) || !is_set(voxel - step)) continue;
                    values[voxel][axis] = 0.5f * (values[voxel][axis] + values[voxel - step][axis]);
                }
                if (below == no_leaf || !is_set(bottom) || !(sides[below].known[axis] >> k & 1)) continue;
                values[bottom][axis] = 0.5f * (values[bottom][axis] + sides[below].value[axis][k]);
            }
        }
    };
    loop.ranges(leaves.count(), [&](size_t first, size_t last) {
        for (size_t place = first; place < last; ++place) {
            made.edit(place, [&](openvdb::Vec3s* values, const openvdb::Index64* mask) {
                if (std::all_of(mask, mask + leaf_edge, [](openvdb::Index64 word) { return ~word == 0; })) {
                    move_leaf(place, values, [](int) { return true; });
                } else {
                    move_leaf(place, values, [&](int voxel) { return is_known(mask, voxel); });
                }
            });
        }
    });
}

std::vector<Float3> joined(const std::vector<Float3>& a, const std::vector<Float3>& b) {
    std::vector<Float3> both;
    both.reserve(a.size() + b.size());
    both.insert(both.end(), a.begin(), a.end());
    both.insert(both.end(), b.begin(), b.end());
    return both;
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
    const double support = mean_support(settings, voxel) / voxel;
    const LeafBins bins = plan_leaves(particles.position, voxel, support * voxel, sizeof(Value), loop);
    const LeafSet leaves(bins.touched(support, loop));
    require_memory(leaves.count(), sizeof(Value), voxel);
    NewLeaves<Grid> made(bins.space, leaves);
    const std::vector<Value> sorted = in_leaf_order(bins, values, loop);
    fill_with_means(made, SumPlan{bins, static_cast<float>(support)}, sums_of(sorted), leaves, loop,
                    [](uint64_t, float*) {});
    made.move_to(*grid);
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
    const LeafSet leaves(bins.touched(support, loop));
    require_memory(leaves.count(), sizeof(float), voxel);

    // Each particle's kernel is divided by its own sum over the voxels: its mass arrives whole, wherever it sits.
    const SplineSum kernel_sum(static_cast<float>(support));
    const double volume_ratio = std::pow(static_cast<double>(settings.spacing) / voxel, 3);
    std::vector<float> weight(particles.count());
    loop.ranges(weight.size(), [&](size_t first, size_t last) {
        for (size_t k = first; k < last; ++k) {
            const double density = own_density ? particles.rest_density[bins.particle[k]] : rest_density;
            weight[k] = static_cast<float>(density * volume_ratio / kernel_sum.at(bins.local[k]));
        }
    });

    NewLeaves<openvdb::FloatGrid> made(bins.space, leaves);
    sum_leaves(
        SumPlan{bins, static_cast<float>(support)}, WeightSums{weight.data()}, leaves, loop,
        [&](size_t place) {
            float* sums = nullptr;
            made.edit(place, [&](float* values, openvdb::Index64*) { sums = values; });
            return sums;
        },
        [&](size_t place, const float*) {
            made.edit(place, [](float* values, openvdb::Index64* mask) { mark_above(0, values, mask); });
        });
    made.move_to(*grid);
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
    // Between the last two faces, one voxel further, there must be two values.
    const double extension = (0.5 * settings.spacing + past_surface) / voxel + (velocity.staggered ? 1.0 : 0.0);
    const double support = mean_support(settings, voxel) / voxel;
    const double reach = std::max(support, extension);

    // Particles first, then the stations of their ways; copied only where there is something to add.
    std::vector<Float3> longer_position, longer_velocity;
    if (particles.velocity.empty()) longer_velocity.resize(particles.count());
    const std::vector<Float3>& own_velocity = particles.velocity.empty() ? longer_velocity : particles.velocity;
    if (velocity.shutter > 0) {
        const MotionPaths paths =
            motion_paths(particles.position, own_velocity, settings.spacing, velocity.shutter, past_surface, loop);
        longer_position = joined(particles.position, paths.position);
        longer_velocity = joined(own_velocity, paths.velocity);
    }
    const std::vector<Float3>& position = longer_position.empty() ? particles.position : longer_position;
    const std::vector<Float3>& values = longer_velocity.empty() ? particles.velocity : longer_velocity;
    const LeafBins bins = plan_leaves(position, voxel, reach * voxel, sizeof(openvdb::Vec3s), loop);
    const LeafSet leaves(bins.touched(reach, loop));
    require_memory(leaves.count(), sizeof(openvdb::Vec3s), voxel);

    const std::vector<Float3> sorted = in_leaf_order(bins, values, loop);
    SumPlan plan{bins, static_cast<float>(support)};
    const MeanExtension carried{static_cast<float>(extension)};
    if (position.size() > particles.count()) plan.first_station = static_cast<uint32_t>(particles.count());
    NearScratch scratch;
    NewLeaves<openvdb::Vec3SGrid> made(bins.space, leaves);
    fill_with_means(made, plan, VectorSums{sorted.data()}, leaves, loop,
                    [&](uint64_t key, float* sums) { carried.add(plan, {sorted.data()}, key, scratch.local(), sums); });
    if (velocity.staggered) move_to_faces(made, bins.space, leaves, loop);
    made.move_to(*grid);
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
