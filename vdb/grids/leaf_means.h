#pragma once

// Kernel-weighted means of particle values, leaf by leaf, and their continuation past the surface.

#include <cstdint>
#include <limits>
#include <vector>

#include "leaf_bins.h"

namespace firn {

/// One leaf's sums, and room for the particles near it. One for each thread.
struct LeafSums {
    std::vector<NearParticle> near;
    alignas(32) float weights[leaf_voxels];
    alignas(32) float values[3 * leaf_voxels];  ///< of vectors: 512 x, 512 y, 512 z

    /// What is left of a weight at the rim of its reach is noise: such voxels have no mean.
    bool has_mean(int voxel) const { return weights[voxel] > 1e-15f; }
    float mean(int voxel, int component = 0) const {
        return has_mean(voxel) ? values[component * leaf_voxels + voxel] / weights[voxel] : 0.0f;
    }
};

struct Means {
    const LeafBins& bins;
    float support = 0;    ///< of the kernel, voxels
    float extension = 0;  ///< from the particles, voxels; means are carried on so far, by weights too small to blur
                          ///< what the kernel says. 0 = the kernel's support
    /// The host's particles from here on are only stations of the ways that others go (motion_paths.h). They have a say
    /// where no particle has one.
    uint32_t first_station = std::numeric_limits<uint32_t>::max();

    /// Adds up `values`, which are in the order of the bins, for voxels whose values sit `shift` off their centres.
    /// False = nothing is near.
    bool sum(uint64_t key, const float* values, const Float3& shift, LeafSums&) const;
    bool sum(uint64_t key, const Float3* values, const Float3& shift, LeafSums&) const;
};

}  // namespace firn
