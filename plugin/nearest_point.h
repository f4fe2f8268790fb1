#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/vector.h"

namespace firn {

/// Finds the point nearest to a place; of several at the same distance, the first.
class NearestPoint {
public:
    /// There has to be at least one point. Keeps a copy.
    explicit NearestPoint(std::vector<Float3> points);
    size_t to(const Float3& place) const;

private:
    void build(size_t begin, size_t end, int axis);
    void search(const Float3& place, size_t begin, size_t end, int axis, size_t& best, float& distance) const;

    std::vector<Float3> points_;
    std::vector<uint32_t> order_;  ///< a tree: the middle of each range splits it
};

}  // namespace firn
