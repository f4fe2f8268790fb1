#include "motion_paths.h"

#include <cmath>
#include <string>

#include "leaf_bins.h"

namespace firn {

namespace {

double speed_squared(const Float3& v) {
    return double(v.x) * v.x + double(v.y) * v.y + double(v.z) * v.z;
}

}  // namespace

MotionPaths motion_paths(const std::vector<Float3>& position, const std::vector<Float3>& velocity, double spacing,
                         double shutter, double covered, LeafLoop& loop) {
    MotionPaths paths;
    double fastest = 0;
    for (const Float3& v : velocity) fastest = std::max(fastest, speed_squared(v));
    if (std::sqrt(fastest) * shutter <= covered) return paths;

    const double step = 2 * spacing;
    const LeafBins cells = sort_into_leaves(position, step / leaf_edge, 0, loop);
    for (size_t cell = 0; cell < cells.leaves.count(); ++cell) {
        uint32_t leader = cells.particle[cells.begin[cell]];
        for (uint32_t k = cells.begin[cell]; k < cells.begin[cell + 1]; ++k) {
            const uint32_t particle = cells.particle[k];
            if (speed_squared(velocity[particle]) > speed_squared(velocity[leader])) leader = particle;
        }
        const Float3& x = position[leader];
        const Float3& v = velocity[leader];
        const double speed = std::sqrt(speed_squared(v)), length = speed * shutter;
        if (length <= covered) continue;
        if (length > 1e5 * step) {
            throw Error("particle " + std::to_string(leader) + " goes " + std::to_string(length) +
                        " m while the shutter is open: volumes can't follow that far, look at its velocity");
        }
        for (double along = step; along < length + step; along += step) {
            const float t = static_cast<float>(std::min(along, length) / speed);
            for (const float time : {t, -t}) {
                paths.position.push_back({x.x + time * v.x, x.y + time * v.y, x.z + time * v.z});
                paths.velocity.push_back(v);
            }
        }
    }
    return paths;
}

}  // namespace firn
