#pragma once

// What the particles add up to in the voxels of every leaf. Kernels of up to four voxels are splatted: the particles of
// a tile of leaves into a block around it, the blocks into the leaves, in eight turns of tiles whose blocks don't
// overlap. So no two threads write the same voxel, and the order of the sums depends on the particles alone. Wider
// kernels are gathered, leaf by leaf.

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <vector>

#include "leaf_bins.h"

namespace firn {

// What is added up. Pointers are to arrays in the order of the bins. Sums of a leaf: 512 floats for each channel.

/// weight * spline
struct WeightSums {
    static constexpr int channels = 1;
    const float* weight;

    void splat(const SplatBlock& block, const Float3& leaf, const Float3* local, size_t first, size_t count,
               float* sums) const {
        leaf_kernels().splat(block, leaf, local + first, count, weight + first, sums);
    }
    void gather(const NearParticle* near, size_t count, float support, float* sums) const {
        leaf_kernels().add(near, count, weight, support, sums);
    }
};

/// spline; spline * value
struct ScalarSums {
    static constexpr int channels = 2;
    const float* value;

    void splat(const SplatBlock& block, const Float3& leaf, const Float3* local, size_t first, size_t count,
               float* sums) const {
        leaf_kernels().splat_scalar(block, leaf, local + first, count, value + first, sums);
    }
    void gather(const NearParticle* near, size_t count, float support, float* sums) const {
        leaf_kernels().add_scalar(near, count, value, support, sums, sums + leaf_voxels);
    }
};

/// spline; spline * x, y, z
struct VectorSums {
    static constexpr int channels = 4;
    const Float3* value;

    void splat(const SplatBlock& block, const Float3& leaf, const Float3* local, size_t first, size_t count,
               float* sums) const {
        leaf_kernels().splat_vector(block, leaf, local + first, count, value + first, sums);
    }
    void gather(const NearParticle* near, size_t count, float support, float* sums) const {
        leaf_kernels().add_vector(near, count, value, support, sums, sums + leaf_voxels);
    }
};

/// The bins of 2^3 leaves.
struct LeafTile {
    uint64_t key;   ///< of its first leaf
    size_t bin[8];  ///< by x, y, z; no_leaf = no particles
};
constexpr int tile_turns = 8;  ///< tiles of a turn have another tile between them

/// Steps through the layers of tiles along x, each as small as keeps many threads busy: what it works on should stay
/// near the processor.
class SlabSteps {
public:
    SlabSteps(const LeafBins& bins, const LeafSet& leaves) : bins_(bins), leaves_(leaves) {}
    /// False = there are no more.
    bool next();

    std::vector<LeafTile> turns[tile_turns];  ///< the tiles of this step
    size_t reached = 0;                       ///< leaves up to here have been reached by it or by earlier steps
    size_t complete = 0;                      ///< leaves up to here are reached by no later one

private:
    const LeafBins& bins_;
    const LeafSet& leaves_;
    size_t next_bin_ = 0;
};

/// The sums of the leaves around a tile, as move_block takes them; `sums` has one for every leaf.
void sums_around(const LeafBins&, const LeafTile&, const LeafSet& leaves, float* const* sums, float** around);

/// Widens `rows` to those that particles reach. `leaf` is their leaf's first voxel, from the tile's first.
void widen(SplatRows& rows, const SplatBlock&, const Float3& leaf, const Float3* local, size_t count);

struct SumPlan {
    const LeafBins& bins;
    float support = 0;                    ///< of the kernel, voxels
    uint32_t first_station = UINT32_MAX;  ///< the host's particles from here on are left out

    /// Puts particles before stations, among the first `count` that are near; gives the number of particles.
    size_t particles_first(std::vector<NearParticle>& near, size_t count) const;
};

/// `block_sums` are 0 before and after.
template <typename Sums>
void splat_tile(const SumPlan& plan, const Sums& what, const SplatBlock& block, const LeafTile& tile, float* block_sums,
                float* const* around) {
    const LeafBins& bins = plan.bins;
    SplatRows rows{{splat_edge, splat_edge}, {0, 0}};
    for (int k = 0; k < 8; ++k) {
        if (tile.bin[k] == no_leaf) continue;
        const size_t first = bins.begin[tile.bin[k]];
        // In a bin, particles come before stations: both keep the host's order.
        const auto begin = bins.particle.begin() + static_cast<std::ptrdiff_t>(first);
        const auto end = bins.particle.begin() + static_cast<std::ptrdiff_t>(bins.begin[tile.bin[k] + 1]);
        const size_t count = static_cast<size_t>(
            std::partition_point(begin, end, [&](uint32_t particle) { return particle < plan.first_station; }) - begin);
        const Float3 leaf{static_cast<float>((k >> 2) * leaf_edge), static_cast<float>(((k >> 1) & 1) * leaf_edge),
                          static_cast<float>((k & 1) * leaf_edge)};
        widen(rows, block, leaf, bins.local.data() + first, count);
        what.splat(block, leaf, bins.local.data(), first, count, block_sums);
    }
    leaf_kernels().move_block(block, rows, block_sums, around);
}

/// As sum_leaves.
template <typename Sums, typename Open, typename Done>
void gather_leaves(const SumPlan& plan, const Sums& what, const LeafSet& leaves, LeafLoop& loop, const Open& open,
                   const Done& done) {
    const LeafBins& bins = plan.bins;
    tbb::enumerable_thread_specific<std::vector<NearParticle>> scratch;
    loop.ranges(leaves.count(), [&](size_t first, size_t last) {
        std::vector<NearParticle>& near = scratch.local();
        for (size_t k = first; k < last; ++k) {
            const size_t count = bins.near(leaves.key(k), plan.support, near);
            float* sums = open(k);
            what.gather(near.data(), plan.particles_first(near, count), plan.support, sums);
            done(k, sums);
        }
    });
}

/// As sum_leaves, for kernels of up to four voxels.
template <typename Sums, typename Open, typename Done>
void splat_leaves(const SumPlan& plan, const Sums& what, const LeafSet& leaves, LeafLoop& loop, const Open& open,
                  const Done& done) {
    const LeafBins& bins = plan.bins;
    const SplatBlock block(plan.support, Sums::channels);
    const size_t block_floats = static_cast<size_t>(block.floats()) + 2 * splat_margin;
    tbb::enumerable_thread_specific<std::vector<float>> scratch([&] { return std::vector<float>(block_floats, 0.0f); });
    std::vector<float*> sums(leaves.count(), nullptr);
    SlabSteps step(bins, leaves);
    for (size_t reached = 0, complete = 0; step.next(); reached = step.reached, complete = step.complete) {
        loop.ranges(step.reached - reached, [&](size_t first, size_t last) {
            for (size_t k = reached + first; k < reached + last; ++k) sums[k] = open(k);
        });
        for (const std::vector<LeafTile>& tiles : step.turns) {
            loop.chunks(tiles.size(), [&](size_t k) {
                float* around[leaves_around_tile * leaves_around_tile * leaves_around_tile];
                sums_around(bins, tiles[k], leaves, sums.data(), around);
                splat_tile(plan, what, block, tiles[k], scratch.local().data() + splat_margin, around);
            });
        }
        loop.ranges(step.complete - complete, [&](size_t first, size_t last) {
            for (size_t k = complete + first; k < complete + last; ++k) done(k, sums[k]);
        });
    }
}

/// Sums of every one of `leaves`: open(place in `leaves`) gives a leaf's memory, all 0; done(place, sums) is told when
/// they are complete. Both are called from many threads.
template <typename Sums, typename Open, typename Done>
void sum_leaves(const SumPlan& plan, const Sums& what, const LeafSet& leaves, LeafLoop& loop, const Open& open,
                const Done& done) {
    constexpr float widest_splat = 4;
    if (plan.support > widest_splat) {
        gather_leaves(plan, what, leaves, loop, open, done);
    } else {
        splat_leaves(plan, what, leaves, loop, open, done);
    }
}

/// Memory for sums that are turned into something else: used again and again.
class SumPool {
public:
    explicit SumPool(int channels) : floats_(static_cast<size_t>(channels) * leaf_voxels) {}
    float* take();
    void give_back(float* sums);

private:
    size_t floats_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<float[]>> all_;
    std::vector<float*> unused_;
};

}  // namespace firn
