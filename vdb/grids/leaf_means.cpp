#include "leaf_means.h"

namespace firn {

namespace {

/// The voxels whose sums are below `least`, as a box.
VoxelBox box_below(float least, const float* sums) {
    VoxelBox box{{leaf_edge, leaf_edge, leaf_edge}, {-1, -1, -1}};
    const auto include = [&box](int axis, int voxel) {
        box.low[axis] = std::min(box.low[axis], voxel);
        box.high[axis] = std::max(box.high[axis], voxel);
    };
    int below[leaf_edge] = {};  // along z; eight at a time, as processors like it
    for (int row = 0; row < leaf_voxels / leaf_edge; ++row) {
        int here[leaf_edge], any = 0;
        for (int k = 0; k < leaf_edge; ++k) here[k] = sums[row * leaf_edge + k] < least ? 1 : 0;
        for (int k = 0; k < leaf_edge; ++k) below[k] |= here[k];
        for (int k = 0; k < leaf_edge; ++k) any |= here[k];
        if (!any) continue;
        include(0, row / leaf_edge);
        include(1, row % leaf_edge);
    }
    for (int k = 0; k < leaf_edge; ++k) {
        if (below[k]) include(2, k);
    }
    return box;
}

}  // namespace

void MeanExtension::add(const SumPlan& plan, const VectorSums& what, uint64_t key, std::vector<NearParticle>& near,
                        float* sums) const {
    // Voxels whose kernels add up to less are past the surface; inside they add up to about 1.3, the kernel's integral
    // over a particle's volume.
    constexpr float well_covered = 0.2f;
    constexpr float wide_scale = 1e-3f, station_scale = 1e-6f;
    const VoxelBox bare = box_below(well_covered, sums);
    if (bare.is_empty()) return;
    const size_t count = plan.bins.near(key, bare, reach, near);
    // Stations of the ways that particles go (motion_paths.h) have a say where no particle has one.
    const size_t particles = plan.particles_first(near, count);
    const LeafKernels& kernels = leaf_kernels();
    kernels.add_vector_wide(near.data(), particles, what.value, reach, wide_scale, bare, sums, sums + leaf_voxels);
    kernels.add_vector_wide(near.data() + particles, count - particles, what.value, reach, station_scale, bare, sums,
                            sums + leaf_voxels);
}

}  // namespace firn
