#pragma once

// What particles add to the 8^3 voxels of one leaf: the innermost loops, a row of eight voxels at a time. Compiled for
// plain x86-64 (or whatever the machine is) and for AVX2; both give the same bits.

#include <cstddef>
#include <cstdint>

#include "firn/vector.h"

namespace firn {

constexpr int leaf_edge = 8;      ///< voxels
constexpr int leaf_voxels = 512;  ///< 8^3; a voxel's place is x * 64 + y * 8 + z, as in OpenVDB

/// A particle as a leaf sees it: voxels from the leaf's first voxel, and its place in the sorted arrays.
struct NearParticle {
    float x, y, z;
    uint32_t place;
};

/// The cubic spline without its norm: 1 in the middle, 0 at `support`.
///     2 (1 - q)^3 - 8 max(1/2 - q, 0)^3, q = r / support
/// A leaf's arrays have 512 floats. Lengths are voxels. `weight` and `value` are asked by NearParticle::place.
struct LeafKernels {
    /// sum += weight * spline
    void (*add)(const NearParticle*, size_t count, const float* weight, float support, float* sum);
    /// weights += spline, values += spline * value, for voxels whose values sit `shift` off their centres
    void (*add_scalar)(const NearParticle*, size_t count, const float* value, float support, const Float3& shift,
                       float* weights, float* values);
    /// the same for vectors: values holds 512 x, 512 y, 512 z
    void (*add_vector)(const NearParticle*, size_t count, const Float3* value, float support, const Float3& shift,
                       float* weights, float* values);
    /// weights += scale * wide, values += scale * wide * value; wide = (1 - (r / reach)^2)^4
    void (*add_scalar_wide)(const NearParticle*, size_t count, const float* value, float reach, float scale,
                            const Float3& shift, float* weights, float* values);
    void (*add_vector_wide)(const NearParticle*, size_t count, const Float3* value, float reach, float scale,
                            const Float3& shift, float* weights, float* values);
    /// squared = min(squared, r^2), for voxels closer than `reach`; others may be left as they are
    void (*nearest)(const NearParticle*, size_t count, float reach, float* squared);
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
