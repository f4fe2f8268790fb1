#include "leaf_sums.h"

#include <cstring>

namespace firn {

namespace {

/// The first leaf of the tile that a leaf is in.
uint64_t tile_key(const LeafSpace& space, uint64_t key) {
    const uint64_t odd =
        (uint64_t(1) << (space.bits[1] + space.bits[2])) | (uint64_t(1) << space.bits[2]) | uint64_t(1);
    return key & ~odd;
}

int place_in_tile(const LeafSpace& space, uint64_t key) {
    return static_cast<int>(((key >> (space.bits[1] + space.bits[2])) & 1) * 4 + ((key >> space.bits[2]) & 1) * 2 +
                            (key & 1));
}

int turn(const LeafSpace& space, uint64_t key) {
    return static_cast<int>(((key >> (space.bits[1] + space.bits[2] + 1)) & 1) * 4 +
                            ((key >> (space.bits[2] + 1)) & 1) * 2 + ((key >> 1) & 1));
}

}  // namespace

bool SlabSteps::next() {
    constexpr size_t enough_bins = 1024;
    const size_t bin_count = bins_.leaves.count();
    if (next_bin_ == bin_count) return false;
    // Layers of tiles are whole.
    const auto layer = [shift = bins_.space.bits[1] + bins_.space.bits[2] + 1](uint64_t key) { return key >> shift; };
    const size_t first = next_bin_;
    next_bin_ = std::min(bin_count, first + enough_bins);
    const uint64_t last = layer(bins_.leaves.key(next_bin_ - 1));
    while (next_bin_ < bin_count && layer(bins_.leaves.key(next_bin_)) == last) ++next_bin_;

    while (reached < leaves_.count() && layer(leaves_.key(reached)) <= last + 1) ++reached;
    while (complete < leaves_.count() && layer(leaves_.key(complete)) < last) ++complete;
    if (next_bin_ == bin_count) reached = complete = leaves_.count();

    for (std::vector<LeafTile>& tiles : turns) tiles.clear();
    for (size_t bin = first; bin < next_bin_; ++bin) {
        const uint64_t tile = tile_key(bins_.space, bins_.leaves.key(bin));
        // A tile is found at the first of its bins.
        size_t around[8];
        int earliest = -1;
        for (int k = 0; k < 8; ++k) {
            around[k] = bins_.leaves.find(tile + bins_.space.step(k >> 2, (k >> 1) & 1, k & 1));
            if (earliest < 0 && around[k] != no_leaf) earliest = k;
        }
        if (earliest != place_in_tile(bins_.space, bins_.leaves.key(bin))) continue;
        LeafTile made{tile, {}};
        std::memcpy(made.bin, around, sizeof around);
        turns[turn(bins_.space, tile)].push_back(made);
    }
    return true;
}

size_t SumPlan::particles_first(std::vector<NearParticle>& near, size_t count) const {
    const auto end =
        std::stable_partition(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(count),
                              [&](const NearParticle& p) { return bins.particle[p.place] < first_station; });
    return static_cast<size_t>(end - near.begin());
}

float* SumPool::take() {
    float* sums = nullptr;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (unused_.empty()) {
            all_.emplace_back(new float[floats_]);
            unused_.push_back(all_.back().get());
        }
        sums = unused_.back();
        unused_.pop_back();
    }
    std::fill_n(sums, floats_, 0.0f);
    return sums;
}

void SumPool::give_back(float* sums) {
    const std::lock_guard<std::mutex> lock(mutex_);
    unused_.push_back(sums);
}

void sums_around(const LeafBins& bins, const LeafTile& tile, const LeafSet& leaves, float* const* sums,
                 float** around) {
    for (int64_t x = -1; x <= tile_leaves; ++x) {
        for (int64_t y = -1; y <= tile_leaves; ++y) {
            for (int64_t z = -1; z <= tile_leaves; ++z) {
                const size_t leaf = leaves.find(tile.key + bins.space.step(x, y, z));
                *around++ = leaf == no_leaf ? nullptr : sums[leaf];
            }
        }
    }
}

void widen(SplatRows& rows, const SplatBlock& block, const Float3& leaf, const Float3* local, size_t count) {
    if (count == 0) return;
    float low[2] = {leaf_edge, leaf_edge}, high[2] = {0, 0};
    for (size_t p = 0; p < count; ++p) {
        low[0] = std::min(low[0], local[p].x);
        high[0] = std::max(high[0], local[p].x);
        low[1] = std::min(low[1], local[p].y);
        high[1] = std::max(high[1], local[p].y);
    }
    const float origin[2] = {leaf.x, leaf.y};
    for (int axis = 0; axis < 2; ++axis) {
        // A row more on either side, for rounding.
        const float from = origin[axis] - static_cast<float>(block.low);
        const int first = static_cast<int>(std::floor(from + low[axis] - block.support)) - 1;
        const int last = static_cast<int>(std::ceil(from + high[axis] + block.support)) + 2;
        rows.first[axis] = std::max(0, std::min(rows.first[axis], first));
        rows.last[axis] = std::min(splat_edge, std::max(rows.last[axis], last));
    }
}

}  // namespace firn
