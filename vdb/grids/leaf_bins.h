#pragma once

// Particles sorted by blocks of 8^3 voxels, the size of an OpenVDB leaf, so that each leaf finds the particles that
// touch it in an order that depends on the particles alone. Plain arrays; nothing here knows OpenVDB.

#include <array>
#include <cstdint>
#include <vector>

#include "firn/vector.h"
#include "leaf_kernels.h"
#include "leaf_loop.h"

namespace firn {

constexpr size_t no_leaf = SIZE_MAX;

/// Leaves near the particles as single numbers: the leaf's place, counted from a corner below all of them, in as few
/// bits as it takes. Keys sort by x, then y, then z; the key of a neighbour is the key plus a constant.
struct LeafSpace {
    std::array<int64_t, 3> low{};  ///< leaf coordinates of key 0
    std::array<int, 3> bits{};

    uint64_t key(int64_t x, int64_t y, int64_t z) const {
        return (static_cast<uint64_t>(x - low[0]) << (bits[1] + bits[2])) |
               (static_cast<uint64_t>(y - low[1]) << bits[2]) | static_cast<uint64_t>(z - low[2]);
    }
    /// What to add to a key to move by so many leaves. Leaves that particles touch never leave the space.
    uint64_t step(int64_t dx, int64_t dy, int64_t dz) const {
        return (static_cast<uint64_t>(dx) << (bits[1] + bits[2])) + (static_cast<uint64_t>(dy) << bits[2]) +
               static_cast<uint64_t>(dz);
    }
    /// The leaf's first voxel.
    std::array<int32_t, 3> origin(uint64_t key) const {
        const uint64_t y = (key >> bits[2]) & ((uint64_t(1) << bits[1]) - 1);
        const uint64_t z = key & ((uint64_t(1) << bits[2]) - 1);
        const uint64_t x = key >> (bits[1] + bits[2]);
        return {static_cast<int32_t>((static_cast<int64_t>(x) + low[0]) * leaf_edge),
                static_cast<int32_t>((static_cast<int64_t>(y) + low[1]) * leaf_edge),
                static_cast<int32_t>((static_cast<int64_t>(z) + low[2]) * leaf_edge)};
    }
};

/// Leaves in the order of their keys, found by key.
class LeafSet {
public:
    LeafSet() = default;
    /// `keys` sorted, each once.
    explicit LeafSet(std::vector<uint64_t> keys);

    size_t count() const { return key_.size(); }
    uint64_t key(size_t leaf) const { return key_[leaf]; }
    const std::vector<uint64_t>& keys() const { return key_; }
    size_t find(uint64_t key) const {
        if (key_.empty()) return no_leaf;
        for (size_t slot = hash(key);; slot = (slot + 1) & mask_) {
            if (slot_[slot] == 0) return no_leaf;
            if (key_[slot_[slot] - 1] == key) return slot_[slot] - 1;
        }
    }

private:
    size_t hash(uint64_t key) const { return static_cast<size_t>((key * 0x9E3779B97F4A7C15ull) >> shift_) & mask_; }

    std::vector<uint64_t> key_;
    std::vector<uint32_t> slot_;  ///< place in key_, plus one
    size_t mask_ = 0;
    int shift_ = 0;
};

struct LeafBins {
    double voxel = 0;  ///< m
    LeafSpace space;
    LeafSet leaves;
    std::vector<uint32_t> begin;     ///< of each leaf's particles; one more than leaves
    std::vector<Float3> local;       ///< voxels from the first voxel of the particle's own leaf
    std::vector<uint32_t> particle;  ///< the particle's place in the host's arrays

    /// The leaves that have a voxel within `reach` voxels of a particle.
    std::vector<uint64_t> touched(double reach, LeafLoop&) const;
    /// The particles within `reach` voxels of one of the leaf's voxels (centres), or of those in a box, in a fixed
    /// order: the first of `out`, which grows but never shrinks. Gives their number.
    size_t near(uint64_t leaf_key, const VoxelBox&, float reach, std::vector<NearParticle>& out) const;
    size_t near(uint64_t leaf_key, float reach, std::vector<NearParticle>& out) const {
        return near(leaf_key, whole_leaf, reach, out);
    }
};

/// Throws Error for a voxel size that is no number above 0, particles that are not finite or further out than OpenVDB
/// counts voxels. `reach` is the largest that will be asked for, voxels.
LeafBins sort_into_leaves(const std::vector<Float3>& position, double voxel, double reach, LeafLoop&);

/// Sorts `keys` and drops what is there twice.
void sort_unique(std::vector<uint64_t>& keys, LeafLoop&);

}  // namespace firn
