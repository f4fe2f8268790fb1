#pragma once

// Kernel-weighted means of particle values, leaf by leaf, and their continuation past the surface.

#include <cstdint>
#include <vector>

#include "leaf_sums.h"

namespace firn {

/// A leaf's sums as means: weights, then weighted values.
struct LeafMeans {
    const float* sums;

    /// What is left of a weight at the rim of its reach is noise: such voxels have no mean.
    static constexpr float least_weight = 1e-15f;
    /// 0 where there is no mean.
    float inverse_weight(int voxel) const { return sums[voxel] > least_weight ? 1.0f / sums[voxel] : 0.0f; }
    float value(int voxel, int component = 0) const { return sums[(1 + component) * leaf_voxels + voxel]; }
};

/// Means carried on past the kernel's support, by weights too small to blur what the kernel says.
struct MeanExtension {
    float reach = 0;  ///< from the particles, voxels

    /// Adds to the sums of a leaf that has voxels past the surface. `near` is room for the particles near it.
    void add(const SumPlan&, const VectorSums&, uint64_t key, std::vector<NearParticle>& near, float* sums) const;
};

}  // namespace firn
