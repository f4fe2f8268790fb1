#pragma once

// Particles that the tests of the volumes share.

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "firn/particles.h"

namespace firn_test {

/// A regular ball of particles around `centre`, every point of the lattice within `radius`.
inline firn::Particles ball(float radius, float spacing, const firn::Float3& centre = {}) {
    firn::Particles particles;
    const int n = static_cast<int>(std::ceil(radius / spacing));
    for (int i = -n; i <= n; ++i) {
        for (int j = -n; j <= n; ++j) {
            for (int k = -n; k <= n; ++k) {
                const float x = spacing * static_cast<float>(i), y = spacing * static_cast<float>(j),
                            z = spacing * static_cast<float>(k);
                if (x * x + y * y + z * z > radius * radius) continue;
                particles.position.push_back({centre.x + x, centre.y + y, centre.z + z});
            }
        }
    }
    return particles;
}

/// nx * ny * nz particles, the first at `low`.
inline firn::Particles box(int nx, int ny, int nz, float spacing, const firn::Float3& low = {}) {
    firn::Particles particles;
    for (int i = 0; i < nx; ++i) {
        for (int j = 0; j < ny; ++j) {
            for (int k = 0; k < nz; ++k) {
                particles.position.push_back({low.x + spacing * static_cast<float>(i),
                                              low.y + spacing * static_cast<float>(j),
                                              low.z + spacing * static_cast<float>(k)});
            }
        }
    }
    return particles;
}

/// Anywhere in a cube from `low`, without order.
inline firn::Particles cloud(size_t count, float edge, const firn::Float3& low, uint32_t seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> along(0, edge);
    firn::Particles particles;
    for (size_t k = 0; k < count; ++k) {
        const float x = along(random), y = along(random), z = along(random);
        particles.position.push_back({low.x + x, low.y + y, low.z + z});
    }
    return particles;
}

}  // namespace firn_test
