#include "firn/wind.h"

#include <algorithm>

#include "firn/error.h"

namespace firn {

std::vector<Float3> wind_acceleration(const Particles& p, const std::vector<Float3>& wind, float drag) {
    if (wind.size() != 1 && wind.size() != p.count())
        throw Error("there are " + std::to_string(wind.size()) + " wind velocities for " + std::to_string(p.count()) +
                    " particles");
    std::vector<Float3> acceleration(p.count());
    for (size_t i = 0; i < p.count(); ++i) {
        // A particle inside the snow has about thirty neighbours, and feels no air.
        const float around = p.neighbours.empty() ? 0.0f : p.neighbours[i];
        const float felt = drag * std::max(0.0f, 1 - around / 30);
        const Float3 v = p.velocity.empty() ? Float3{} : p.velocity[i];
        const Float3& air = wind[wind.size() == 1 ? 0 : i];
        acceleration[i] = {felt * (air.x - v.x), felt * (air.y - v.y), felt * (air.z - v.z)};
    }
    return acceleration;
}

}  // namespace firn
