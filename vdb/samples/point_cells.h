#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "firn/vector.h"
#include "samples/cell_order.h"

namespace firn {

/// Points of space in cells, for those who look for their neighbours.
class Cells {
public:
    Cells() = default;
    /// Of the points `which`, in that order. Throws Error for points that lie too far apart; `what` they are.
    Cells(const std::vector<Float3>& points, const std::vector<uint32_t>& which, double cell, const char* what);

    /// use(begin, end) for the items of each cell around a point.
    template <class Use>
    void around(const Float3& point, const Use& use) const {
        const Cell middle = cell_of_point(point);
        for (int32_t z = -1; z <= 1; ++z)
            for (int32_t y = -1; y <= 1; ++y)
                for (int32_t x = -1; x <= 1; ++x) {
                    const Cell cell{middle[0] + x, middle[1] + y, middle[2] + z};
                    if (cell[0] < 0 || cell[1] < 0 || cell[2] < 0) continue;
                    const uint32_t number = order_.table.find(cell_key(cell));
                    if (number == CellTable::none) continue;
                    use(order_.item.data() + order_.begin[number], order_.item.data() + order_.begin[number + 1]);
                }
    }

private:
    Cell cell_of_point(const Float3& p) const;

    double cell_ = 1;
    std::array<double, 3> low_{};
    CellOrder order_;
};

}  // namespace firn
