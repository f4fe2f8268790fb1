#include <openvdb/tree/LeafManager.h>
#include <openvdb/tree/ValueAccessor.h>

#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "firn/grids.h"
#include "leaf_loop.h"

namespace firn {

namespace {

/// `inverse`: 1/m, of the length over which the density fades.
openvdb::FloatGrid::Ptr masked(const openvdb::FloatGrid& density, const openvdb::FloatGrid& surface, float inverse) {
    openvdb::FloatGrid::Ptr grid = density.deepCopy();
    grid->setName("density_masked");
    openvdb::tree::LeafManager<openvdb::FloatTree> leaves(grid->tree());
    leaves.foreach ([&](openvdb::FloatTree::LeafNodeType& leaf, size_t) {
        const openvdb::FloatTree::LeafNodeType* mask = surface.tree().probeConstLeaf(leaf.origin());
        // Without a leaf the surface is far: inside or outside as a whole.
        const float constant = mask ? 0.0f : surface.tree().getValue(leaf.origin());
        for (auto value = leaf.beginValueOn(); value; ++value) {
            const float distance = mask ? mask->getValue(value.pos()) : constant;
            const float kept = *value * std::clamp(0.5f - distance * inverse, 0.0f, 1.0f);
            value.setValue(kept);
            if (kept == 0.0f) value.setValueOff();
        }
    });
    // Leaves that lie outside as a whole are gone.
    std::vector<openvdb::Coord> empty;
    for (auto leaf = grid->tree().cbeginLeaf(); leaf; ++leaf) {
        if (leaf->isEmpty()) empty.push_back(leaf->origin());
    }
    for (const openvdb::Coord& origin : empty) grid->tree().addTile(1, origin, 0.0f, false);
    return grid;
}

}  // namespace

openvdb::FloatGrid::Ptr masked_density_grid(const openvdb::FloatGrid& density, const openvdb::FloatGrid& surface,
                                            float fade, int threads) {
    if (density.transform() != surface.transform()) {
        throw Error("masked density: density and surface must have the same voxels");
    }
    if (!(fade >= 0) || !std::isfinite(fade)) throw Error("masked density: fade must be 0 m or more");
    const float voxel = static_cast<float>(density.voxelSize()[0]);
    const float inverse = 1.0f / (fade > 0 ? fade : voxel);

    openvdb::FloatGrid::Ptr grid;
    const Interrupted never;
    LeafLoop(threads, never).within([&] { grid = masked(density, surface, inverse); });
    return grid;
}

}  // namespace firn
