#pragma once

// Kernels that follow the snow: flat along its surface, narrow across it, so that faces come out flat and the edges of
// chunks stay. Yu and Turk 2013, "Reconstructing Surfaces of Particle-Based Fluids Using Anisotropic Kernels".

#include <array>
#include <vector>

#include "firn/vector.h"
#include "leaf_kernels.h"
#include "leaf_loop.h"

namespace firn {

/// The kernel of a particle: weight * (1 - r^T form r)^3 where that is above 0, r from the kernel's centre. Lengths are
/// spacings. Its integral is 1: in bulk snow the kernels add up to 1.
struct KernelShape {
    Float3 shift;               ///< of the centre, from the particle: towards the middle of its neighbours
    std::array<float, 6> form;  ///< symmetric: xx, xy, xz, yy, yz, zz
    float weight = 0;
    Float3 reach;  ///< half the edges of the box around it
};

/// The sum of the kernels at the surface: so low that snow whose particles lie a third of a spacing off their lattice
/// has no holes (0.30 at the least inside of it).
constexpr float kernel_level = 0.25f;
/// How far inside of the snow's end that is at a flat face, spacings: it is 0.53 outside of the outermost particles,
/// where snow ends at 0.5.
constexpr double kernel_inset = -0.03;
/// No kernel reaches further from its particle, spacings.
constexpr float kernel_reach_most = 3.0f;

/// For each particle. `spacing` in m.
std::vector<KernelShape> kernel_shapes(const std::vector<Float3>& position, float spacing, LeafLoop&);

/// Adds the kernels of some particles to the 512 voxels of a leaf. `voxels` is the number of voxels in a spacing.
/// `shapes` is asked by NearParticle::place.
void add_kernels(const NearParticle*, size_t count, const KernelShape* shapes, float voxels, float* sum);

}  // namespace firn
