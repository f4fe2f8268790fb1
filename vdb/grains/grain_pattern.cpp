#include "grains/grain_pattern.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <queue>

#include "firn/scattered.h"

namespace firn {

namespace {

using Point = std::array<double, 3>;

/// The shortest way in a cube that repeats.
double squared_distance(const Point& a, const Point& b) {
    double sum = 0;
    for (size_t axis = 0; axis < 3; ++axis) {
        double d = std::fabs(a[axis] - b[axis]);
        d = std::min(d, 1 - d);
        sum += d * d;
    }
    return sum;
}

/// Three times as many random points as wanted, of which the most crowded are taken away one by one (sample
/// elimination, Yuksel 2015): the rest keep their distance, and their number is exact.
std::vector<Point> blue_noise(uint32_t seed, size_t count) {
    const size_t candidates = 3 * count;
    std::vector<Point> points(candidates);
    for (size_t i = 0; i < candidates; ++i)
        for (size_t axis = 0; axis < 3; ++axis) points[i][axis] = scattered_unit(seed, 0x67726169, i, axis);

    // The largest distance that so many points can all keep.
    const double widest = std::cbrt(1 / (4 * std::sqrt(2.0) * static_cast<double>(count)));
    const double reach = 2 * widest;
    const int cells = static_cast<int>(1 / reach);
    std::vector<std::vector<uint32_t>> grid(static_cast<size_t>(cells * cells * cells));
    const auto cell_at = [&](const Point& p, size_t axis) {
        return std::min(cells - 1, static_cast<int>(p[axis] * cells));
    };
    const auto slot = [&](int x, int y, int z) {
        const auto wrapped = [&](int i) { return (i + cells) % cells; };
        return static_cast<size_t>((wrapped(z) * cells + wrapped(y)) * cells + wrapped(x));
    };
    for (size_t i = 0; i < candidates; ++i)
        grid[slot(cell_at(points[i], 0), cell_at(points[i], 1), cell_at(points[i], 2))].push_back(
            static_cast<uint32_t>(i));
    const auto for_each_near = [&](size_t i, const auto& use) {
        const Point& p = points[i];
        for (int z = -1; z <= 1; ++z)
            for (int y = -1; y <= 1; ++y)
                for (int x = -1; x <= 1; ++x)
                    for (const uint32_t j : grid[slot(cell_at(p, 0) + x, cell_at(p, 1) + y, cell_at(p, 2) + z)]) {
                        if (j == i) continue;
                        const double squared = squared_distance(p, points[j]);
                        if (squared >= reach * reach) continue;
                        const double t = 1 - std::sqrt(squared) / reach, t2 = t * t, t4 = t2 * t2;
                        use(j, t4 * t4);
                    }
    };
    std::vector<double> crowd(candidates, 0);
    for (size_t i = 0; i < candidates; ++i) for_each_near(i, [&](uint32_t, double w) { crowd[i] += w; });

    // Entries whose number has changed since are passed over.
    std::priority_queue<std::pair<double, uint32_t>> heap;
    for (size_t i = 0; i < candidates; ++i) heap.push({crowd[i], static_cast<uint32_t>(i)});
    std::vector<bool> gone(candidates, false);
    for (size_t left = candidates; left > count;) {
        const auto [weight, i] = heap.top();
        heap.pop();
        if (gone[i] || weight != crowd[i]) continue;
        gone[i] = true;
        --left;
        for_each_near(i, [&](uint32_t j, double w) {
            if (gone[j]) return;
            crowd[j] -= w;
            heap.push({crowd[j], j});
        });
    }
    std::vector<Point> kept;
    for (size_t i = 0; i < candidates; ++i)
        if (!gone[i]) kept.push_back(points[i]);
    return kept;
}

}  // namespace

GrainPattern::GrainPattern(uint32_t seed) {
    const std::vector<Point> points = blue_noise(seed, point_count);
    std::vector<std::vector<Point>> sorted(static_cast<size_t>(cells * cells * cells));
    for (const Point& p : points) {
        const auto at = [&](size_t axis) { return std::min<int64_t>(cells - 1, floor_of(p[axis] * cells)); };
        sorted[static_cast<size_t>((at(2) * cells + at(1)) * cells + at(0))].push_back(p);
    }
    begin_.push_back(0);
    for (const std::vector<Point>& cell : sorted) {
        points_.insert(points_.end(), cell.begin(), cell.end());
        begin_.push_back(static_cast<uint32_t>(points_.size()));
    }
}

const GrainPattern& grain_pattern(uint32_t seed) {
    static std::mutex mutex;
    static std::map<uint32_t, std::unique_ptr<GrainPattern>> made;
    const std::lock_guard<std::mutex> lock(mutex);
    std::unique_ptr<GrainPattern>& pattern = made[seed];
    if (!pattern) pattern = std::make_unique<GrainPattern>(seed);
    return *pattern;
}

}  // namespace firn
