#include "grain_noise.h"

#include <cmath>
#include <cstdint>

#include "float3.h"

namespace firn {

GrainNoise grain_noise(const Float3& at) {
    const auto value_at = [](int64_t i, int64_t j, int64_t k) {
        uint64_t x = static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15u ^ static_cast<uint64_t>(j) * 0xc2b2ae3d27d4eb4fu ^
                     static_cast<uint64_t>(k) * 0x165667b19e3779f9u;
        x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
        return static_cast<float>((x ^ (x >> 32)) >> 40) * 0x1p-23f - 1;
    };
    const float low[3] = {std::floor(at.x), std::floor(at.y), std::floor(at.z)};
    const float t[3] = {at.x - low[0], at.y - low[1], at.z - low[2]};
    float ease[3], slope[3];
    for (int axis = 0; axis < 3; ++axis) {
        ease[axis] = t[axis] * t[axis] * (3 - 2 * t[axis]);
        slope[axis] = 6 * t[axis] * (1 - t[axis]);
    }
    GrainNoise sum{0, {}};
    for (int n = 0; n < 8; ++n) {
        float weight[3], change[3];
        for (int axis = 0; axis < 3; ++axis) {
            const bool far = n >> axis & 1;
            weight[axis] = far ? ease[axis] : 1 - ease[axis];
            change[axis] = far ? slope[axis] : -slope[axis];
        }
        const float v = value_at(static_cast<int64_t>(low[0]) + (n & 1), static_cast<int64_t>(low[1]) + (n >> 1 & 1),
                                 static_cast<int64_t>(low[2]) + (n >> 2));
        sum.value += v * weight[0] * weight[1] * weight[2];
        sum.gradient += v * Float3{change[0] * weight[1] * weight[2], weight[0] * change[1] * weight[2],
                                   weight[0] * weight[1] * change[2]};
    }
    return sum;
}

}  // namespace firn
