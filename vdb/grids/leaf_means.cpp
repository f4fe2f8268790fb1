#include "leaf_means.h"

#include <algorithm>
#include <cmath>

namespace firn {

namespace {

/// Voxels whose kernels add up to less are past the surface; inside, at any arrangement, they add up to about pi.
constexpr float well_covered = 0.5f;
constexpr float wide_scale = 1e-3f, station_scale = 1e-6f;

void add(const NearParticle* near, size_t count, const float* values, const Means& means, const Float3& shift,
         LeafSums& s) {
    leaf_kernels().add_scalar(near, count, values, means.support, shift, s.weights, s.values);
}
void add(const NearParticle* near, size_t count, const Float3* values, const Means& means, const Float3& shift,
         LeafSums& s) {
    leaf_kernels().add_vector(near, count, values, means.support, shift, s.weights, s.values);
}
void add_wide(const NearParticle* near, size_t count, const float* values, float scale, const Means& means,
              const Float3& shift, LeafSums& s) {
    leaf_kernels().add_scalar_wide(near, count, values, means.extension, scale, shift, s.weights, s.values);
}
void add_wide(const NearParticle* near, size_t count, const Float3* values, float scale, const Means& means,
              const Float3& shift, LeafSums& s) {
    leaf_kernels().add_vector_wide(near, count, values, means.extension, scale, shift, s.weights, s.values);
}

template <typename Value>
bool add_up(const Means& means, uint64_t key, const Value* values, const Float3& shift, LeafSums& s) {
    const float furthest = std::max({std::abs(shift.x), std::abs(shift.y), std::abs(shift.z)});
    const size_t count = means.bins.near(key, std::max(means.support, means.extension) + furthest, s.near);
    if (count == 0) return false;
    std::fill(s.weights, s.weights + leaf_voxels, 0.0f);
    std::fill(s.values, s.values + leaf_voxels * static_cast<int>(sizeof(Value) / sizeof(float)), 0.0f);

    size_t particles = count;
    if (means.first_station != std::numeric_limits<uint32_t>::max()) {
        const auto end = s.near.begin() + static_cast<std::ptrdiff_t>(count);
        particles =
            static_cast<size_t>(std::stable_partition(s.near.begin(), end,
                                                      [&](const NearParticle& p) {
                                                          return means.bins.particle[p.place] < means.first_station;
                                                      }) -
                                s.near.begin());
    }
    add(s.near.data(), particles, values, means, shift, s);
    if (means.extension <= 0) return true;
    if (*std::min_element(s.weights, s.weights + leaf_voxels) >= well_covered) return true;
    add_wide(s.near.data(), particles, values, wide_scale, means, shift, s);
    add_wide(s.near.data() + particles, count - particles, values, station_scale, means, shift, s);
    return true;
}

}  // namespace

bool Means::sum(uint64_t key, const float* values, const Float3& shift, LeafSums& s) const {
    return add_up(*this, key, values, shift, s);
}

bool Means::sum(uint64_t key, const Float3* values, const Float3& shift, LeafSums& s) const {
    return add_up(*this, key, values, shift, s);
}

}  // namespace firn
