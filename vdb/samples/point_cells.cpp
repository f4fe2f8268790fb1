#include "samples/point_cells.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "firn/error.h"

namespace firn {

Cells::Cells(const std::vector<Float3>& points, const std::vector<uint32_t>& which, double cell, const char* what)
    : cell_(cell) {
    double high[3];
    for (size_t axis = 0; axis < 3; ++axis) {
        low_[axis] = 1e300;
        high[axis] = -1e300;
    }
    for (const uint32_t i : which) {
        const double p[3] = {points[i].x, points[i].y, points[i].z};
        for (size_t axis = 0; axis < 3; ++axis) {
            low_[axis] = std::min(low_[axis], p[axis]);
            high[axis] = std::max(high[axis], p[axis]);
        }
    }
    for (size_t axis = 0; axis < 3; ++axis) {
        low_[axis] -= cell;  // so that a neighbour's cell never lies below 0
        if (!which.empty() && (high[axis] - low_[axis]) / cell > cells_per_axis - 3)
            throw Error(std::string("the ") + what + " lie further apart than " + std::to_string(cells_per_axis) +
                        " times " + std::to_string(cell) + " m; leave out those that flew away");
    }
    std::vector<uint64_t> keys(which.size());
    tbb::parallel_for(size_t{0}, which.size(), [&](size_t k) { keys[k] = cell_key(cell_of_point(points[which[k]])); });
    order_ = order_by_cell(keys);
    for (uint32_t& item : order_.item) item = which[item];
}

Cell Cells::cell_of_point(const Float3& p) const {
    const double xyz[3] = {p.x, p.y, p.z};
    Cell cell;
    for (size_t axis = 0; axis < 3; ++axis)
        cell[axis] = static_cast<int32_t>(std::floor((xyz[axis] - low_[axis]) / cell_));
    return cell;
}

}  // namespace firn
