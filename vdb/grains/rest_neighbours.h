#pragma once

// Who was born beside whom, and how the snow around each particle has moved since: what grains and the surface's relief
// follow.

#include <cstdint>
#include <vector>

#include "firn/grains.h"
#include "grains/local_motion.h"
#include "grids/leaf_loop.h"
#include "samples/point_cells.h"

namespace firn {

/// The particles of a frame, and where they were born. Lengths that it hands out are in spacings.
class RestNeighbours {
public:
    struct Near {
        Vec3 rest;   ///< from the particle to it, at birth
        double gap;  ///< how far the snow between them has opened, 0..1
        uint32_t index;
    };

    RestNeighbours() = default;
    /// Throws Error for particles without births, ids that no grain can count, or what is not finite.
    RestNeighbours(const Particles&, GrainBirths, float spacing, LeafLoop&);

    size_t count() const { return position_.size(); }
    const std::vector<Float3>& position() const { return position_; }
    const std::vector<Float3>& velocity() const { return velocity_; }
    const std::vector<Float3>& rest() const { return rest_; }
    const std::vector<int64_t>& id() const { return id_; }

    /// Offset in spacings.
    Vec3 between(const std::vector<Float3>& at, size_t from, size_t to) const;
    /// Those that were born together with a particle and near it, the nearest first.
    void find(uint32_t particle, std::vector<Near>& out) const;
    /// How the snow around a particle has moved. `near` is scratch, and afterwards what find() gives.
    LocalMotion motion(uint32_t particle, std::vector<Near>& near, std::vector<RestNeighbour>& scratch) const;

private:
    float spacing_ = 0;
    std::vector<Float3> position_, velocity_, rest_;
    std::vector<int64_t> id_;
    std::vector<float> birth_;  ///< empty = all at once
    Cells cells_;               ///< by rest; within a cell by birth
};

/// A grain's id is its particle's times this, plus its own number.
constexpr int64_t grains_per_id = 1024;

}  // namespace firn
