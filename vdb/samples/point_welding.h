#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/vector.h"

namespace firn {

/// For each point the first of those at its place.
std::vector<uint32_t> first_at_place(const std::vector<Float3>& points);

/// Numbers places: equal coordinates get the same number, in order of first appearance.
class PointWelding {
public:
    explicit PointWelding(size_t expected);
    /// The number of this place; `places()` grows by one when it is new.
    uint32_t number(Float3 p);
    std::vector<Float3>& places() { return places_; }

private:
    struct Recent {
        Float3 place;
        uint32_t number = 0;
        bool known = false;
    };
    uint32_t looked_up(const Float3& p, uint64_t hashed);
    void grow();
    std::vector<Float3> places_;
    std::vector<uint32_t> table_;  ///< open addressing; number + 1, 0 = free
    std::vector<Recent> recent_;   ///< by hash, each the last that was asked for
};

}  // namespace firn
