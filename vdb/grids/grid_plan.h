#pragma once

// What every grid does before its own work: settings checked, particles sorted into leaves, memory estimated.

#include "firn/grids.h"
#include "leaf_bins.h"

namespace firn {

/// m; the setting, or half the spacing. Throws Error when there is neither.
double voxel_size(const GridSettings&);

/// Sorts the particles for grids that reach `reach` metres beyond them, after a look at whether the machine has the
/// memory for leaves of `bytes_per_voxel`; throws Error with the numbers when not.
LeafBins plan_leaves(const std::vector<Float3>& position, double voxel, double reach, double bytes_per_voxel,
                     LeafLoop&);

/// The same look once the leaves are counted.
void require_memory(size_t leaves, double bytes_per_voxel, double voxel);

/// The same look before there are particles: at `snow` m^3 that are covered, or what a single particle covers that
/// reaches far.
void require_memory(double snow, double reach, double bytes_per_voxel, double voxel);

/// World-aligned, so that the voxels of every frame and every grid of a run coincide.
void place_grid(openvdb::GridBase&, const char* name, double voxel, openvdb::GridClass);

/// Per-particle values in the order of the bins.
template <typename Value>
std::vector<Value> in_leaf_order(const LeafBins& bins, const std::vector<Value>& values, LeafLoop& loop) {
    std::vector<Value> sorted(bins.particle.size());
    loop.ranges(sorted.size(), [&](size_t first, size_t last) {
        for (size_t k = first; k < last; ++k) sorted[k] = values[bins.particle[k]];
    });
    return sorted;
}

}  // namespace firn
