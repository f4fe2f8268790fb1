#pragma once

// Where grains are born: an endless blue noise of points, no two of them close together, without any lattice.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace firn {

/// A cube of points that repeats in all directions.
class GrainPattern {
public:
    static constexpr int point_count = 32768;

    explicit GrainPattern(uint32_t seed);

    /// Calls visit(x, y, z), offsets in m from `centre`, for the points within a cube of `reach` metres around it,
    /// always in the same order. `edge` is the size of the repeated cube, m.
    template <class Visit>
    void within(const std::array<double, 3>& centre, double reach, double edge, const Visit& visit) const {
        std::array<int64_t, 3> low, high;
        for (size_t a = 0; a < 3; ++a) {
            low[a] = floor_of((centre[a] - reach) / edge * cells);
            high[a] = floor_of((centre[a] + reach) / edge * cells);
        }
        for (int64_t z = low[2]; z <= high[2]; ++z)
            for (int64_t y = low[1]; y <= high[1]; ++y)
                for (int64_t x = low[0]; x <= high[0]; ++x) {
                    const int64_t tx = floor_div(x), ty = floor_div(y), tz = floor_div(z);
                    const size_t cell =
                        static_cast<size_t>(((z - tz * cells) * cells + (y - ty * cells)) * cells + (x - tx * cells));
                    for (uint32_t k = begin_[cell]; k < begin_[cell + 1]; ++k) {
                        const double dx = (points_[k][0] + static_cast<double>(tx)) * edge - centre[0];
                        const double dy = (points_[k][1] + static_cast<double>(ty)) * edge - centre[1];
                        const double dz = (points_[k][2] + static_cast<double>(tz)) * edge - centre[2];
                        if (dx < -reach || dx > reach || dy < -reach || dy > reach || dz < -reach || dz > reach)
                            continue;
                        visit(dx, dy, dz);
                    }
                }
    }

    /// In the unit cube.
    const std::vector<std::array<double, 3>>& points() const { return points_; }

private:
    static constexpr int64_t cells = 16;  ///< along an edge

    static int64_t floor_of(double x) {
        const int64_t whole = static_cast<int64_t>(x);
        return static_cast<double>(whole) > x ? whole - 1 : whole;
    }
    static int64_t floor_div(int64_t cell) { return (cell - (cell < 0 ? cells - 1 : 0)) / cells; }

    std::vector<std::array<double, 3>> points_;  ///< sorted by cell
    std::vector<uint32_t> begin_;
};

/// The one of a seed, made when it is first asked for, in less than a second, and kept.
const GrainPattern& grain_pattern(uint32_t seed);

}  // namespace firn
