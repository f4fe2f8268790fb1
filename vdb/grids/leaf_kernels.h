#pragma once

// What particles add to the 8^3 voxels of one leaf: the innermost loops, a row of eight voxels at a time. Compiled for
// plain x86-64 (or whatever the machine is) and for AVX2; both give the same bits.

#include <cstddef>
#include <cstdint>

#include "firn/vector.h"

namespace firn {

constexpr int leaf_edge = 8;      ///< voxels
constexpr int leaf_voxels = 512;  ///< 8^3; a voxel's place is x * 64 + y * 8 + z, as in OpenVDB

/// Voxels of a leaf, from low to high.
struct VoxelBox {
    int low[3], high[3];
    bool is_empty() const { return high[0] < low[0]; }
};
constexpr VoxelBox whole_leaf{{0, 0, 0}, {leaf_edge - 1, leaf_edge - 1, leaf_edge - 1}};

/// A particle as a leaf sees it: voxels from the leaf's first voxel, and its place in the sorted arrays.
struct NearParticle {
    float x, y, z;
    uint32_t place;
};

/// Sums around a tile of 2^3 leaves: what its particles add with kernels of up to four voxels of support stays in this
/// block. Rows of 24 voxels along z, those of all channels after each other, then y, then x.
constexpr int tile_leaves = 2;  ///< along each axis
constexpr int splat_edge = (tile_leaves + 1) * leaf_edge;
constexpr int splat_margin = leaf_edge;              ///< floats before and after a block that are there to be read
constexpr int leaves_around_tile = tile_leaves + 2;  ///< along each axis
struct SplatBlock {
    float support;  ///< of the kernel, voxels, at most 4
    int channels;
    int low;  ///< the block's first voxel, from the tile's first, along each axis
    SplatBlock(float support, int channels);
    int floats() const { return channels * splat_edge * splat_edge * splat_edge; }
};

/// Rows of a block that have something in them: from first to before last, along x and y.
struct SplatRows {
    int first[2], last[2];
};

/// The cubic spline without its norm: 1 in the middle, 0 at `support`.
///     2 (1 - q)^3 - 8 max(1/2 - q, 0)^3, q = r / support
/// A leaf's arrays have 512 floats. Lengths are voxels. `weight` and `value` are asked by NearParticle::place.
struct LeafKernels {
    /// sum += weight * spline
    void (*add)(const NearParticle*, size_t count, const float* weight, float support, float* sum);
    /// weights += spline, values += spline * value
    void (*add_scalar)(const NearParticle*, size_t count, const float* value, float support, float* weights,
                       float* values);
    /// the same for vectors: values holds 512 x, 512 y, 512 z
    void (*add_vector)(const NearParticle*, size_t count, const Float3* value, float support, float* weights,
                       float* values);
    /// weights += scale * wide, values += scale * wide * value, in the rows of a box; wide = (1 - (r / reach)^2)^4
    void (*add_vector_wide)(const NearParticle*, size_t count, const Float3* value, float reach, float scale,
                            const VoxelBox&, float* weights, float* values);
    /// squared = min(squared, r^2), for voxels closer than `reach`; others may be left as they are
    void (*nearest)(const NearParticle*, size_t count, float reach, float* squared);

    /// What a leaf's particles add to the block around their tile: weight * spline in one channel; spline and spline *
    /// value in two; spline and spline * vector in four. `leaf` is its first voxel, from the tile's first.
    void (*splat)(const SplatBlock&, const Float3& leaf, const Float3* local, size_t count, const float* weight,
                  float* sums);
    void (*splat_scalar)(const SplatBlock&, const Float3& leaf, const Float3* local, size_t count, const float* value,
                         float* sums);
    void (*splat_vector)(const SplatBlock&, const Float3& leaf, const Float3* local, size_t count, const Float3* value,
                         float* sums);
    /// Moves rows of a block to the 4^3 leaves around its tile, by x, y, z (null = left out), and clears them. A leaf
    /// has 512 floats for each channel.
    void (*move_block)(const SplatBlock&, const SplatRows&, float* sums, float* const* leaf);
};

/// For the processor that this runs on.
const LeafKernels& leaf_kernels();

namespace baseline {
extern const LeafKernels kernels;
}
namespace avx2 {
extern const LeafKernels kernels;
}

}  // namespace firn
