#include "grid_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "firn/memory.h"

namespace firn {

namespace {

constexpr double coarse = 4;  ///< leaves; a particle that reaches further is worth a look from afar first

void require_bytes(double bytes, double voxel) {
    const double available = static_cast<double>(memory_available());
    if (bytes < available) return;
    char line[256];
    std::snprintf(
        line, sizeof line,
        "a volume of these particles in voxels of %g m takes about %.3g GB, the machine has %.3g GB: use voxels "
        "of %.2g m or more",
        voxel, bytes / 1e9, available / 1e9, voxel * std::cbrt(bytes / available) * 1.05);
    throw Error(line);
}

}  // namespace

double voxel_size(const GridSettings& settings) {
    const auto number = [](float value) { return std::to_string(value); };
    if (!(settings.spacing > 0) || !std::isfinite(settings.spacing)) {
        throw Error("particle spacing " + number(settings.spacing) + " m: volumes need a number above 0");
    }
    if (!(settings.voxel >= 0) || !std::isfinite(settings.voxel)) {
        throw Error("voxel size " + number(settings.voxel) +
                    " m: give a number above 0, or 0 for half the particle spacing");
    }
    const double voxel = settings.voxel > 0 ? settings.voxel : 0.5 * settings.spacing;
    constexpr double least = 2e-5;  // OpenVDB takes smaller ones for zero
    if (voxel < least) {
        char line[128];
        std::snprintf(line, sizeof line, "voxel size %g m: OpenVDB has none below %g m", voxel, least);
        throw Error(line);
    }
    return voxel;
}

LeafBins plan_leaves(const std::vector<Float3>& position, double voxel, double reach, double bytes_per_voxel,
                     LeafLoop& loop) {
    if (reach > coarse * leaf_edge * voxel) {
        // Cells as large as the reach: what they hold is what will be covered, to a factor of a few.
        const LeafBins cells = sort_into_leaves(position, reach / leaf_edge, 0, loop);
        require_bytes(static_cast<double>(cells.leaves.count()) * std::pow(reach / voxel, 3) * bytes_per_voxel, voxel);
    }
    return sort_into_leaves(position, voxel, reach / voxel, loop);
}

void require_memory(size_t leaves, double bytes_per_voxel, double voxel) {
    require_bytes(static_cast<double>(leaves) * (leaf_voxels * bytes_per_voxel + 160), voxel);
}

void require_memory(double snow, double reach, double bytes_per_voxel, double voxel) {
    const double covered = std::max(snow, reach > coarse * leaf_edge * voxel ? std::pow(reach, 3) : 0.0);
    require_bytes(covered / std::pow(voxel, 3) * bytes_per_voxel, voxel);
}

void place_grid(openvdb::GridBase& grid, const char* name, double voxel, openvdb::GridClass grid_class) {
    grid.setName(name);
    grid.setTransform(openvdb::math::Transform::createLinearTransform(voxel));
    grid.setGridClass(grid_class);
}

}  // namespace firn
