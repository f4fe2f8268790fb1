#pragma once

// Relief finer than the particles: noise at three scales that is born with the snow and moves, turns and breaks with
// it. Pressed snow loses it.

#include <array>
#include <cstdint>
#include <vector>

#include "firn/grains.h"
#include "leaf_bins.h"

namespace firn {

/// What the snow around each particle was, in the order of the bins; nothing for particles far from the surface.
struct ReliefSource {
    std::vector<Float3> rest;                ///< where it was born, spacings
    std::vector<std::array<float, 9>> back;  ///< from offsets now to offsets at birth
    std::vector<float> strength;             ///< 1, up to relief_of_breaks where it broke, 0 where it was pressed
};

/// Snow breaks along its weakest bonds: how much higher the relief of its fresh faces is.
constexpr float relief_of_breaks = 2.5f;

struct ReliefSettings {
    float height = 0;   ///< voxels: no displacement of snow that did not break is larger
    float size = 0;     ///< of the largest lumps, spacings
    float spacing = 0;  ///< voxels
};

/// For the particles that matter to add_relief() in these leaves, whose distances are 512 numbers each, voxels. Throws
/// Error where RestNeighbours does.
ReliefSource relief_source(const Particles&, const GrainBirths&, const ReliefSettings&, const LeafBins&,
                           const LeafSet& leaves, const std::vector<float>& distances, LeafLoop&);

/// Moves the surface of a leaf: `distance` are its 512 values, voxels. Only those near the surface are changed.
void add_relief(const ReliefSource&, const ReliefSettings&, const NearParticle*, size_t count, float* distance);

/// How far from a voxel particles matter to its relief, spacings.
constexpr float relief_reach = 1.5f;

}  // namespace firn
