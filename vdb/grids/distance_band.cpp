#include "distance_band.h"

#include <tbb/enumerable_thread_specific.h>

#include <cmath>
#include <cstring>

namespace firn {

namespace {

constexpr int padded_edge = leaf_edge + 2;
constexpr int padded_voxels = padded_edge * padded_edge * padded_edge;

int padded(int x, int y, int z) {
    return ((x + 1) * padded_edge + y + 1) * padded_edge + z + 1;
}

/// A number for every voxel of some leaves, and one of two constants elsewhere: deep inside, or outside.
struct Field {
    const LeafSpace& space;
    const LeafSet& leaves;
    const LeafSet& deep;  ///< leaves that are inside, so far in that their values don't matter
    float inside, outside;

    /// Whether a flag is set for a leaf or any around it.
    bool any_around(const std::vector<uint8_t>& flags, size_t leaf) const {
        if (flags[leaf]) return true;
        const uint64_t key = leaves.key(leaf);
        for (int dx = -1; dx <= 1; ++dx)
            for (int dy = -1; dy <= 1; ++dy)
                for (int dz = -1; dz <= 1; ++dz) {
                    const size_t place = leaves.find(key + space.step(dx, dy, dz));
                    if (place != no_leaf && flags[place]) return true;
                }
        return false;
    }

    /// A leaf with one voxel more on every side.
    void fetch(const std::vector<float>& values, size_t leaf, float* out) const {
        const uint64_t key = leaves.key(leaf);
        for (int dx = -1; dx <= 1; ++dx) {
            for (int dy = -1; dy <= 1; ++dy) {
                for (int dz = -1; dz <= 1; ++dz) {
                    const uint64_t neighbour = key + space.step(dx, dy, dz);
                    const size_t place = leaves.find(neighbour);
                    const float* from = place == no_leaf ? nullptr : values.data() + place * leaf_voxels;
                    const float constant = from ? 0.0f : (deep.find(neighbour) == no_leaf ? outside : inside);
                    const int x0 = dx < 0 ? 7 : 0, x1 = dx > 0 ? 0 : 7;
                    const int y0 = dy < 0 ? 7 : 0, y1 = dy > 0 ? 0 : 7;
                    const int z0 = dz < 0 ? 7 : 0, z1 = dz > 0 ? 0 : 7;
                    for (int x = x0; x <= x1; ++x) {
                        for (int y = y0; y <= y1; ++y) {
                            float* to = out + padded(x + 8 * dx, y + 8 * dy, 8 * dz);
                            const float* line = from ? from + x * 64 + y * 8 : nullptr;
                            for (int z = z0; z <= z1; ++z) to[z] = line ? line[z] : constant;
                        }
                    }
                }
            }
        }
    }
};

/// 1-2-1 along each axis.
void smooth_leaf(const float* in, float* out) {
    float a[padded_voxels], b[padded_voxels];
    for (int k = 1; k < padded_voxels - 1; ++k) a[k] = 0.25f * in[k - 1] + 0.5f * in[k] + 0.25f * in[k + 1];
    constexpr int y_step = padded_edge, x_step = padded_edge * padded_edge;
    for (int k = y_step + 1; k < padded_voxels - y_step - 1; ++k) {
        b[k] = 0.25f * a[k - y_step] + 0.5f * a[k] + 0.25f * a[k + y_step];
    }
    for (int x = 0; x < leaf_edge; ++x) {
        for (int y = 0; y < leaf_edge; ++y) {
            const float* line = b + padded(x, y, 0);
            for (int z = 0; z < leaf_edge; ++z) {
                out[x * 64 + y * 8 + z] = 0.25f * line[z - x_step] + 0.5f * line[z] + 0.25f * line[z + x_step];
            }
        }
    }
}

/// Distance of a voxel beside the surface, from where the surface crosses its edges; exact for planes. Negative when it
/// does not cross any.
float distance_by_crossings(const float* at) {
    constexpr int steps[3] = {padded_edge * padded_edge, padded_edge, 1};
    const float here = *at;
    float inverse_squares = 0;
    for (const int step : steps) {
        float nearest = 2;
        for (const float there : {at[step], at[-step]}) {
            if ((here < 0) != (there < 0)) nearest = std::min(nearest, here / (here - there));
        }
        // A voxel on the surface itself has distance 0; the floor keeps its square a number.
        nearest = std::max(nearest, 1e-6f);
        if (nearest <= 1) inverse_squares += 1 / (nearest * nearest);
    }
    return inverse_squares > 0 ? 1 / std::sqrt(inverse_squares) : -1;
}

/// The Eikonal equation |grad d| = 1, upwind, for a line of voxels of a padded leaf: from the lower neighbour along
/// each axis. `out` is a distance, or what the voxel has, if that is less or its neighbours are further than
/// `furthest`. Without branches, so that the compiler takes several voxels at once.
void distances_from_neighbours(const float* line, float furthest, float* out) {
    constexpr int y_step = padded_edge, x_step = padded_edge * padded_edge;
    for (int z = 0; z < leaf_edge; ++z) {
        const float* at = line + z;
        // Neighbours of the other sign can't be where this is used.
        const float along_x = std::min(std::abs(at[x_step]), std::abs(at[-x_step]));
        const float along_y = std::min(std::abs(at[y_step]), std::abs(at[-y_step]));
        const float along_z = std::min(std::abs(at[1]), std::abs(at[-1]));
        const float low = std::min(along_x, along_y), high = std::max(along_x, along_y);
        const float middle = std::min(high, along_z);
        const float a = std::min(low, middle), b = std::max(low, middle), c = std::max(high, along_z);
        const float one = a + 1;
        const float two = 0.5f * (a + b + std::sqrt(std::max(2.0f - (a - b) * (a - b), 0.0f)));
        const float sum = a + b + c;
        const float three = (sum + std::sqrt(std::max(sum * sum - 3 * (a * a + b * b + c * c - 1), 0.0f))) / 3;
        const float flat = two > c ? three : two;
        const float d = one > b ? flat : one;
        const float here = std::abs(*at);
        out[z] = a < furthest ? std::min(here, d) : here;
    }
}

struct Padded {
    float values[padded_voxels];
    std::vector<NearParticle> near;
};
using Scratch = tbb::enumerable_thread_specific<Padded>;

/// Turns values whose zero is the surface into distances from it: beside the surface first, then outwards and inwards
/// from there, as far as `furthest`. `next` is scratch of the same size.
void make_distances(Field field, float furthest, std::vector<float>& values, std::vector<float>& next, LeafLoop& loop,
                    Scratch& scratch) {
    const size_t count = field.leaves.count();
    const float far = 2 * furthest + 8;  // more than any distance wanted
    std::vector<uint8_t> fixed(values.size());
    loop.ranges(count, [&](size_t first, size_t last) {
        Padded& s = scratch.local();
        for (size_t k = first; k < last; ++k) {
            field.fetch(values, k, s.values);
            for (int v = 0; v < leaf_voxels; ++v) {
                const float* at = s.values + padded(v / 64, v / 8 % 8, v % 8);
                const float d = distance_by_crossings(at);
                fixed[k * leaf_voxels + static_cast<size_t>(v)] = d >= 0;
                next[k * leaf_voxels + static_cast<size_t>(v)] = *at < 0 ? -(d >= 0 ? d : far) : (d >= 0 ? d : far);
            }
        }
    });
    values.swap(next);
    field.inside = -far;
    field.outside = far;
    // News travel a voxel per pass along the axes; a distance d is at most sqrt(3) d steps away.
    const int passes = static_cast<int>(std::ceil(1.75f * furthest)) + 1;
    // A leaf without news, nor news around it, stays as it is: in both arrays, because it had none in the last pass.
    std::vector<uint8_t> news(count, 1), later(count, 0);
    for (int pass = 0; pass < passes; ++pass) {
        loop.ranges(count, [&](size_t first, size_t last) {
            Padded& s = scratch.local();
            for (size_t k = first; k < last; ++k) {
                later[k] = 0;
                if (!field.any_around(news, k)) continue;
                field.fetch(values, k, s.values);
                for (int line = 0; line < leaf_edge * leaf_edge; ++line) {
                    const float* at = s.values + padded(line / leaf_edge, line % leaf_edge, 0);
                    const size_t place = k * leaf_voxels + static_cast<size_t>(line * leaf_edge);
                    float d[leaf_edge];
                    distances_from_neighbours(at, furthest, d);
                    for (int z = 0; z < leaf_edge; ++z) {
                        const float distance = at[z] < 0 ? -d[z] : d[z];
                        const float value = fixed[place + static_cast<size_t>(z)] ? at[z] : distance;
                        later[k] |= value != at[z];
                        next[place + static_cast<size_t>(z)] = value;
                    }
                }
            }
        });
        values.swap(next);
        news.swap(later);
    }
}

}  // namespace

DistanceBand distance_band(const LeafBins& bins, const BandSettings& settings, LeafLoop& loop,
                           const std::function<void(size_t)>& check) {
    Scratch scratch;

    // Leaves that lie in the balls with all their voxels. Most leaves of a large body do, and are done with after this.
    std::vector<uint64_t> touched = bins.touched(settings.reach(), loop);
    std::vector<uint8_t> full(touched.size());
    loop.ranges(touched.size(), [&](size_t first, size_t last) {
        Padded& s = scratch.local();
        for (size_t k = first; k < last; ++k) {
            const size_t count = bins.near(touched[k], settings.ball, s.near);
            if (count == 0) continue;
            alignas(32) float squared[leaf_voxels];
            std::fill(squared, squared + leaf_voxels, 1e30f);
            leaf_kernels().nearest(s.near.data(), count, settings.ball, squared);
            const float furthest = *std::max_element(squared, squared + leaf_voxels);
            full[k] = furthest < settings.ball * settings.ball;
        }
    });
    // Deep leaves are full, and so are all leaves around them, as far as distances are wanted.
    const LeafSet all(touched);
    const float margin = static_cast<float>(settings.smooth) + 2;
    const int rings = static_cast<int>(std::ceil((settings.inside + settings.displacement + margin) / leaf_edge));
    std::vector<uint8_t> is_deep(touched.size());
    loop.ranges(touched.size(), [&](size_t first, size_t last) {
        for (size_t k = first; k < last; ++k) {
            bool deep = full[k] != 0;
            for (int dx = -rings; dx <= rings && deep; ++dx) {
                for (int dy = -rings; dy <= rings && deep; ++dy) {
                    for (int dz = -rings; dz <= rings && deep; ++dz) {
                        const size_t place = all.find(touched[k] + bins.space.step(dx, dy, dz));
                        deep = place != no_leaf && full[place] != 0;
                    }
                }
            }
            is_deep[k] = deep;
        }
    });
    std::vector<uint64_t> deep_keys, near_keys;
    for (size_t k = 0; k < touched.size(); ++k) (is_deep[k] ? deep_keys : near_keys).push_back(touched[k]);
    const LeafSet deep(std::move(deep_keys));

    DistanceBand result;
    result.leaves = LeafSet(std::move(near_keys));
    const size_t count = result.leaves.count();
    check(count);
    std::vector<float>& values = result.values;
    values.resize(count * leaf_voxels);
    std::vector<float> next(values.size());

    // Distance to the union, or how far the kernels' sum is from their level: in the end a distance, roughly.
    const float level = settings.level;
    loop.ranges(count, [&](size_t first, size_t last) {
        Padded& s = scratch.local();
        for (size_t k = first; k < last; ++k) {
            float* out = values.data() + k * leaf_voxels;
            if (settings.kernels) {
                const size_t near = bins.near(result.leaves.key(k), kernel_reach_most * settings.spacing, s.near);
                std::fill(out, out + leaf_voxels, 0.0f);
                add_kernels(s.near.data(), near, settings.kernels->data(), settings.spacing, out);
                for (int v = 0; v < leaf_voxels; ++v)
                    out[v] = std::clamp(settings.spacing * (kernel_level - out[v]), -level, level);
                continue;
            }
            const float reach = settings.ball + level;
            const size_t near = bins.near(result.leaves.key(k), reach, s.near);
            std::fill(out, out + leaf_voxels, reach * reach);
            leaf_kernels().nearest(s.near.data(), near, reach, out);
            for (int v = 0; v < leaf_voxels; ++v) out[v] = std::max(std::sqrt(out[v]) - settings.ball, -level);
        }
    });

    const Field field{bins.space, result.leaves, deep, -level, level};
    for (int pass = 0; pass < settings.smooth; ++pass) {
        loop.ranges(count, [&](size_t first, size_t last) {
            Padded& s = scratch.local();
            for (size_t k = first; k < last; ++k) {
                field.fetch(values, k, s.values);
                smooth_leaf(s.values, next.data() + k * leaf_voxels);
            }
        });
        values.swap(next);
    }

    const float furthest = std::max(settings.inside, settings.outside) + settings.displacement;
    make_distances(field, furthest, values, next, loop, scratch);
    if (settings.before_displacing) settings.before_displacing(result.leaves, values);
    if (settings.displace) {
        loop.ranges(count, [&](size_t first, size_t last) {
            for (size_t k = first; k < last; ++k)
                settings.displace(result.leaves.key(k), values.data() + k * leaf_voxels);
        });
        const float beyond = 2 * furthest + 8;
        make_distances({bins.space, result.leaves, deep, -beyond, beyond}, furthest, values, next, loop, scratch);
    }
    return result;
}

}  // namespace firn
