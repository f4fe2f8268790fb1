#include "surface_relief.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "grains/rest_neighbours.h"

namespace firn {

namespace {

// Lumps, crumbs and grain: each scale's size and height over that of the largest.
struct Scale {
    float size, height;
};
constexpr Scale scales[] = {{1.0f, 0.55f}, {0.42f, 0.3f}, {0.17f, 0.15f}};

/// The mean gap to those that were neighbours at birth from which on snow counts as broken: at a face whose other side
/// is gone it is 0.4.
constexpr double broken = 0.3;

/// `compaction` up to which snow keeps its relief, and from which on it has lost it.
constexpr float fresh = 1.15f, pressed = 1.8f;

uint32_t scramble(uint32_t x, uint32_t y, uint32_t z) {
    uint32_t h = x * 0x8DA6B343u ^ y * 0xD8163841u ^ z * 0xCB1AB31Fu;
    h ^= h >> 15;
    h *= 0x2C1B3C6Du;
    h ^= h >> 12;
    h *= 0x297A2D39u;
    return h ^ (h >> 15);
}

/// The slope at a corner of the noise's lattice, times the way from there: one of the twelve edges of a cube.
float slope(uint32_t hash, float x, float y, float z) {
    const uint32_t h = hash & 15;
    const float u = h < 8 ? x : y, v = h < 4 ? y : (h == 12 || h == 14 ? x : z);
    return ((h & 1) ? -u : u) + ((h & 2) ? -v : v);
}

/// Smooth, about -1..1 with zero mean (Perlin 2002).
float noise(float x, float y, float z) {
    const float fx = std::floor(x), fy = std::floor(y), fz = std::floor(z);
    const uint32_t i = static_cast<uint32_t>(static_cast<int32_t>(fx)),
                   j = static_cast<uint32_t>(static_cast<int32_t>(fy)),
                   k = static_cast<uint32_t>(static_cast<int32_t>(fz));
    x -= fx;
    y -= fy;
    z -= fz;
    const auto ease = [](float t) { return t * t * t * (t * (t * 6 - 15) + 10); };
    const float u = ease(x), v = ease(y), w = ease(z);
    const auto mix = [](float t, float a, float b) { return a + t * (b - a); };
    const auto along = [&](uint32_t b, uint32_t c) {
        const float dy = y - static_cast<float>(b), dz = z - static_cast<float>(c);
        return mix(u, slope(scramble(i, j + b, k + c), x, dy, dz), slope(scramble(i + 1, j + b, k + c), x - 1, dy, dz));
    };
    return mix(w, mix(v, along(0, 0), along(1, 0)), mix(v, along(0, 1), along(1, 1)));
}

/// -1..1. `at` in spacings, `size` of the largest lumps; scales that are finer than two voxels are left out.
float relief(const Float3& at, float size, float voxel) {
    // Askew, so that the noise's lattice does not line up with walls and floors.
    const float x = 0.7386f * at.x + 0.4286f * at.y - 0.5203f * at.z,
                y = -0.2247f * at.x + 0.8841f * at.y + 0.4097f * at.z,
                z = 0.6356f * at.x - 0.1857f * at.y + 0.7494f * at.z;
    float sum = 0;
    uint32_t number = 0;
    for (const Scale& scale : scales) {
        const float s = size * scale.size, shown = std::clamp(s / voxel - 2, 0.0f, 1.0f),
                    apart = 37.3f * float(number++);
        if (shown > 0) sum += shown * scale.height * noise(x / s + apart, y / s, z / s);
    }
    return std::clamp(sum, -1.0f, 1.0f);
}

/// Voxels further from the surface, voxels, are left alone.
float depth_of_relief(const ReliefSettings& settings) {
    return settings.height + 2;
}

/// Which particles are near a voxel that relief may change, in the order of the bins.
std::vector<std::atomic<uint8_t>> near_surface(const ReliefSettings& settings, const LeafBins& bins,
                                               const LeafSet& leaves, const std::vector<float>& distances,
                                               LeafLoop& loop) {
    std::vector<std::atomic<uint8_t>> wanted(bins.particle.size());
    const float depth = depth_of_relief(settings);
    loop.ranges(leaves.count(), [&](size_t first, size_t last) {
        std::vector<NearParticle> near;
        for (size_t k = first; k < last; ++k) {
            const float* distance = distances.data() + k * leaf_voxels;
            if (std::none_of(distance, distance + leaf_voxels, [&](float d) { return std::abs(d) < depth; })) continue;
            const size_t count = bins.near(leaves.key(k), relief_reach * settings.spacing, near);
            for (size_t i = 0; i < count; ++i) wanted[near[i].place].store(1, std::memory_order_relaxed);
        }
    });
    return wanted;
}

}  // namespace

ReliefSource relief_source(const Particles& particles, const GrainBirths& births, const ReliefSettings& settings,
                           const LeafBins& bins, const LeafSet& leaves, const std::vector<float>& distances,
                           LeafLoop& loop) {
    const double spacing = double(settings.spacing) * bins.voxel;
    const RestNeighbours snow(particles, births, static_cast<float>(spacing), loop);
    const std::vector<std::atomic<uint8_t>> wanted = near_surface(settings, bins, leaves, distances, loop);
    ReliefSource source;
    const size_t count = snow.count();
    source.rest.resize(count);
    source.back.resize(count);
    source.strength.resize(count);
    loop.ranges(count, [&](size_t first, size_t last) {
        std::vector<RestNeighbours::Near> near;
        std::vector<RestNeighbour> scratch;
        for (size_t place = first; place < last; ++place) {
            if (!wanted[place].load(std::memory_order_relaxed)) continue;
            const uint32_t i = bins.particle[place];
            const LocalMotion motion = snow.motion(i, near, scratch);
            const Matrix3 back = inverse_of(motion.map);
            for (size_t k = 0; k < 9; ++k) source.back[place][k] = static_cast<float>(back[k]);
            source.rest[place] = narrow((1 / spacing) * wide(snow.rest()[i]));
            const float compaction = particles.compaction.empty() ? 1.0f : particles.compaction[i];
            const float rough = 1 + (relief_of_breaks - 1) * static_cast<float>(std::min(1.0, motion.loose / broken));
            source.strength[place] = rough * std::clamp((pressed - compaction) / (pressed - fresh), 0.0f, 1.0f);
        }
    });
    return source;
}

void add_relief(const ReliefSource& source, const ReliefSettings& settings, const NearParticle* near, size_t count,
                float* distance) {
    const float depth = depth_of_relief(settings);
    const float voxel = 1 / settings.spacing;  // in spacings from here on
    const float reach2 = relief_reach * relief_reach;
    const float finest = settings.size * scales[2].size;
    for (int v = 0; v < leaf_voxels; ++v) {
        if (!(std::abs(distance[v]) < depth)) continue;
        const float x = static_cast<float>(v / 64), y = static_cast<float>(v / 8 % 8), z = static_cast<float>(v % 8);
        float weights = 0, strength = 0;
        Float3 sum, squares;
        const auto for_each_near = [&](const auto& use) {
            for (size_t k = 0; k < count; ++k) {
                const float dx = voxel * (x - near[k].x), dy = voxel * (y - near[k].y), dz = voxel * (z - near[k].z);
                const float t = 1 - (dx * dx + dy * dy + dz * dz) / reach2;
                if (t <= 0) continue;
                const uint32_t p = near[k].place;
                const std::array<float, 9>& m = source.back[p];
                const Float3& r = source.rest[p];
                // The nearest decide: across a crack, each side keeps its own.
                use(t * t * t * t, p,
                    Float3{r.x + m[0] * dx + m[1] * dy + m[2] * dz, r.y + m[3] * dx + m[4] * dy + m[5] * dz,
                           r.z + m[6] * dx + m[7] * dy + m[8] * dz});
            }
        };
        Float3 first;
        for_each_near([&](float w, uint32_t p, const Float3& at) {
            if (weights == 0) first = at;  // sums about it keep their digits
            const Float3 d{at.x - first.x, at.y - first.y, at.z - first.z};
            weights += w;
            strength += w * source.strength[p];
            sum = {sum.x + w * d.x, sum.y + w * d.y, sum.z + w * d.z};
            squares = {squares.x + w * d.x * d.x, squares.y + w * d.y * d.y, squares.z + w * d.z * d.z};
        });
        if (!(weights > 0) || strength == 0) continue;
        const float scale = 1 / weights;
        const Float3 mean{scale * sum.x, scale * sum.y, scale * sum.z};
        const float spread =
            scale * (squares.x + squares.y + squares.z) - (mean.x * mean.x + mean.y * mean.y + mean.z * mean.z);
        float value = 0;
        if (spread < 0.02f * finest * finest) {
            // All agree where this snow was born.
            value = relief({first.x + mean.x, first.y + mean.y, first.z + mean.z}, settings.size, voxel);
        } else {
            for_each_near([&](float w, uint32_t, const Float3& at) { value += w * relief(at, settings.size, voxel); });
            value *= scale;
        }
        distance[v] -= settings.height * (scale * strength) * value;
    }
}

}  // namespace firn
