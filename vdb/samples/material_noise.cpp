#include "firn/material_noise.h"

#include <algorithm>
#include <cmath>

#include "firn/parameters.h"
#include "firn/scattered.h"

namespace firn {

namespace {

/// -1..1 at the corner of a cell.
double corner(int64_t x, int64_t y, int64_t z, uint32_t seed) {
    return 2 * scattered_unit(static_cast<uint64_t>(x), static_cast<uint64_t>(y), static_cast<uint64_t>(z), seed) - 1;
}

double octave(double x, double y, double z, uint32_t seed) {
    const double fx = std::floor(x), fy = std::floor(y), fz = std::floor(z);
    const auto cx = static_cast<int64_t>(fx), cy = static_cast<int64_t>(fy), cz = static_cast<int64_t>(fz);
    // No kinks at the cells' faces.
    const auto ease = [](double t) { return t * t * t * (t * (6 * t - 15) + 10); };
    const double sx = ease(x - fx), sy = ease(y - fy), sz = ease(z - fz);
    double sum = 0;
    for (int k = 0; k < 8; ++k) {
        const int dx = k & 1, dy = (k >> 1) & 1, dz = k >> 2;
        const double weight = (dx ? sx : 1 - sx) * (dy ? sy : 1 - sy) * (dz ? sz : 1 - sz);
        sum += weight * corner(cx + dx, cy + dy, cz + dz, seed);
    }
    return sum;
}

}  // namespace

double smooth_noise(double x, double y, double z, uint32_t seed) {
    return (2 * octave(x, y, z, seed) + octave(2 * x, 2 * y, 2 * z, seed + 1)) / 3;
}

bool varies(const MaterialNoise& noise, const char* token) {
    return noise.amplitude > 0 && std::find(noise.of.begin(), noise.of.end(), token) != noise.of.end();
}

void apply_noise(const MaterialNoise& noise, const char* token, const std::vector<Float3>& position,
                 std::vector<float>& values) {
    if (!varies(noise, token)) return;
    const ParameterInfo& info = *find_parameter(token);
    const double s = 1 / double(noise.scale);
    for (size_t i = 0; i < values.size(); ++i) {
        const Float3& p = position[i];
        const auto factor =
            static_cast<float>(std::exp(noise.amplitude * smooth_noise(s * p.x, s * p.y, s * p.z, noise.seed)));
        values[i] = std::clamp(values[i] * factor, static_cast<float>(info.low), static_cast<float>(info.high));
    }
}

}  // namespace firn
