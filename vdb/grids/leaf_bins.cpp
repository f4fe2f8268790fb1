#include "leaf_bins.h"

#include <tbb/parallel_sort.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

namespace firn {

namespace {

std::string text(const char* format, double a, double b = 0, double c = 0, double d = 0) {
    char line[256];
    std::snprintf(line, sizeof line, format, a, b, c, d);
    return line;
}

/// Bits that count from 0 to `last`.
int bits_for(uint64_t last) {
    int bits = 1;
    while (last >> bits) ++bits;
    return bits;
}

/// std::floor, which is a call on plain x86-64.
int64_t whole_below(double number) {
    const int64_t toward_zero = static_cast<int64_t>(number);
    return toward_zero - (static_cast<double>(toward_zero) > number ? 1 : 0);
}

/// A particle and its leaf's key in one number or, where the keys are long, in two.
struct ShortKeyed {
    uint64_t both;
    ShortKeyed() = default;
    ShortKeyed(uint64_t key, uint32_t particle) : both(key << 32 | particle) {}
    uint64_t key() const { return both >> 32; }
    uint32_t particle() const { return static_cast<uint32_t>(both); }
};
constexpr int short_key_bits = 32;

struct LongKeyed {
    uint64_t key_;
    uint32_t particle_;
    LongKeyed() = default;
    LongKeyed(uint64_t key, uint32_t particle) : key_(key), particle_(particle) {}
    uint64_t key() const { return key_; }
    uint32_t particle() const { return particle_; }
};

/// Least significant digit first; stable, so that a leaf's particles keep the host's order. The chunks depend on the
/// number of particles alone.
template <typename Keyed>
void sort_by_key(std::vector<Keyed>& items, int bits, LeafLoop& loop) {
    constexpr int digit_bits = 9;
    constexpr size_t digits = size_t(1) << digit_bits;
    const size_t count = items.size();
    const size_t chunk = std::max<size_t>(32768, (count + 31) / 32), chunks = (count + chunk - 1) / chunk;
    std::vector<Keyed> other(count);
    std::vector<uint32_t> offsets(chunks * digits);
    for (int shift = 0; shift < bits; shift += digit_bits) {
        loop.chunks(chunks, [&](size_t c) {
            uint32_t* histogram = offsets.data() + c * digits;
            std::fill(histogram, histogram + digits, 0u);
            for (size_t k = c * chunk, end = std::min(count, k + chunk); k < end; ++k) {
                ++histogram[(items[k].key() >> shift) & (digits - 1)];
            }
        });
        uint32_t total = 0;
        for (size_t digit = 0; digit < digits; ++digit) {
            for (size_t c = 0; c < chunks; ++c) {
                const uint32_t here = offsets[c * digits + digit];
                offsets[c * digits + digit] = total;
                total += here;
            }
        }
        loop.chunks(chunks, [&](size_t c) {
            uint32_t* offset = offsets.data() + c * digits;
            for (size_t k = c * chunk, end = std::min(count, k + chunk); k < end; ++k) {
                other[offset[(items[k].key() >> shift) & (digits - 1)]++] = items[k];
            }
        });
        items.swap(other);
    }
}

}  // namespace

LeafSet::LeafSet(std::vector<uint64_t> keys) : key_(std::move(keys)) {
    size_t size = 16;
    while (size < key_.size() * 2) size *= 2;
    mask_ = size - 1;
    shift_ = 64 - bits_for(mask_);
    slot_.assign(size, 0);
    for (size_t leaf = 0; leaf < key_.size(); ++leaf) {
        size_t slot = hash(key_[leaf]);
        while (slot_[slot] != 0) slot = (slot + 1) & mask_;
        slot_[slot] = static_cast<uint32_t>(leaf + 1);
    }
}

void sort_unique(std::vector<uint64_t>& keys, LeafLoop& loop) {
    loop.within([&] { tbb::parallel_sort(keys.begin(), keys.end()); });
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

namespace {

/// Sorts particles into leaves whose keys have so many bits.
template <typename Keyed>
void fill_bins(const std::vector<Float3>& position, int bits, LeafBins& bins, LeafLoop& loop) {
    const size_t count = position.size(), chunk = 65536, chunks = (count + chunk - 1) / chunk;
    const double inverse = 1.0 / bins.voxel;
    std::vector<Keyed> items(count);
    const auto leaf_of = [inverse](double p) { return whole_below(p * inverse / leaf_edge); };
    loop.chunks(chunks, [&](size_t c) {
        for (size_t k = c * chunk, end = std::min(count, k + chunk); k < end; ++k) {
            const Float3& p = position[k];
            items[k] = Keyed(bins.space.key(leaf_of(p.x), leaf_of(p.y), leaf_of(p.z)), static_cast<uint32_t>(k));
        }
    });
    sort_by_key(items, bits, loop);

    std::vector<uint64_t> keys;
    bins.begin.clear();
    for (size_t k = 0; k < count; ++k) {
        if (k != 0 && items[k].key() == items[k - 1].key()) continue;
        keys.push_back(items[k].key());
        bins.begin.push_back(static_cast<uint32_t>(k));
    }
    bins.begin.push_back(static_cast<uint32_t>(count));
    bins.leaves = LeafSet(std::move(keys));

    bins.local.resize(count);
    bins.particle.resize(count);
    loop.chunks(chunks, [&](size_t c) {
        for (size_t k = c * chunk, end = std::min(count, k + chunk); k < end; ++k) {
            const Float3& p = position[items[k].particle()];
            const std::array<int32_t, 3> origin = bins.space.origin(items[k].key());
            bins.particle[k] = items[k].particle();
            bins.local[k] = {static_cast<float>(p.x * inverse - origin[0]),
                             static_cast<float>(p.y * inverse - origin[1]),
                             static_cast<float>(p.z * inverse - origin[2])};
        }
    });
}

}  // namespace

LeafBins sort_into_leaves(const std::vector<Float3>& position, double voxel, double reach, LeafLoop& loop) {
    if (!(voxel > 0) || !std::isfinite(voxel)) {
        throw Error(text("voxel size %g m: give a number above 0, or 0 for half the particle spacing", voxel));
    }
    const size_t count = position.size();
    if (count >= std::numeric_limits<uint32_t>::max()) {
        throw Error(text("%.0f particles: volumes are made of at most 4 billion", static_cast<double>(count)));
    }
    LeafBins bins;
    bins.voxel = voxel;
    bins.begin.assign(1, 0);
    if (count == 0) return bins;

    // Bounds first, as doubles: a float's 24 bits don't reach across kilometres of millimetre voxels.
    struct Bounds {
        double low[3], high[3];
        size_t bad;
    };
    const size_t chunk = 65536, chunks = (count + chunk - 1) / chunk;
    std::vector<Bounds> parts(chunks);
    loop.chunks(chunks, [&](size_t c) {
        constexpr double far = std::numeric_limits<double>::max();
        Bounds b{{far, far, far}, {-far, -far, -far}, no_leaf};
        for (size_t k = c * chunk, end = std::min(count, k + chunk); k < end; ++k) {
            const double p[3] = {position[k].x, position[k].y, position[k].z};
            if (b.bad == no_leaf && !(std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]))) b.bad = k;
            for (int axis = 0; axis < 3; ++axis) {
                b.low[axis] = std::min(b.low[axis], p[axis]);
                b.high[axis] = std::max(b.high[axis], p[axis]);
            }
        }
        parts[c] = b;
    });
    const double inverse = 1.0 / voxel;
    int bits = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double low = parts[0].low[axis], high = parts[0].high[axis];
        for (const Bounds& b : parts) {
            if (b.bad != no_leaf) {
                const Float3& p = position[b.bad];
                throw Error("particle " + std::to_string(b.bad) + text(" is at (%g, %g, %g)", p.x, p.y, p.z) +
                            ", which is no place: volumes need finite positions");
            }
            low = std::min(low, b.low[axis]);
            high = std::max(high, b.high[axis]);
        }
        constexpr double limit = 1 << 30;  // voxels; OpenVDB counts in 32 bits, filters look a little further
        if ((std::max(std::abs(low), std::abs(high)) * inverse + reach) >= limit) {
            throw Error(
                text("particles up to %g m from the origin are %.3g voxels of %g m away, OpenVDB counts to 1e9: "
                     "move the scene to the origin or set voxels of %.3g m or more",
                     std::max(std::abs(low), std::abs(high)), std::max(std::abs(low), std::abs(high)) * inverse + reach,
                     voxel, std::max(std::abs(low), std::abs(high)) * 2 / limit));
        }
        // Room on either side: neighbours of the leaves that are touched have keys too.
        const int64_t room = static_cast<int64_t>(std::ceil(reach / leaf_edge)) + 2;
        const int64_t first = static_cast<int64_t>(std::floor((low * inverse - reach) / leaf_edge)) - room;
        const int64_t last = static_cast<int64_t>(std::floor((high * inverse + reach) / leaf_edge)) + room;
        bins.space.low[static_cast<size_t>(axis)] = first;
        bits += bins.space.bits[static_cast<size_t>(axis)] = bits_for(static_cast<uint64_t>(last - first));
    }
    if (bits > 63) {
        throw Error(
            text("the particles' bounds hold 2^%g blocks of 8^3 voxels of %g m, volumes reach 2^63: use larger "
                 "voxels or leave out what flew away",
                 bits, voxel));
    }

    if (bits <= short_key_bits) {
        fill_bins<ShortKeyed>(position, bits, bins, loop);
    } else {
        fill_bins<LongKeyed>(position, bits, bins, loop);
    }
    return bins;
}

std::vector<uint64_t> LeafBins::touched(double reach, LeafLoop& loop) const {
    const size_t chunk = 4096, chunks = (leaves.count() + chunk - 1) / chunk;
    std::vector<std::vector<uint64_t>> parts(chunks);
    loop.chunks(chunks, [&](size_t c) {
        std::vector<uint64_t>& part = parts[c];
        for (size_t leaf = c * chunk, end = std::min(leaves.count(), leaf + chunk); leaf < end; ++leaf) {
            float low[3] = {8, 8, 8}, high[3] = {0, 0, 0};
            for (uint32_t k = begin[leaf]; k < begin[leaf + 1]; ++k) {
                const float p[3] = {local[k].x, local[k].y, local[k].z};
                for (int axis = 0; axis < 3; ++axis) {
                    low[axis] = std::min(low[axis], p[axis]);
                    high[axis] = std::max(high[axis], p[axis]);
                }
            }
            int64_t first[3], last[3];
            for (int axis = 0; axis < 3; ++axis) {
                // The first and the last voxel within reach.
                first[axis] = static_cast<int64_t>(std::floor(std::ceil(low[axis] - reach) / leaf_edge));
                last[axis] = static_cast<int64_t>(std::floor(std::floor(high[axis] + reach) / leaf_edge));
            }
            for (int64_t x = first[0]; x <= last[0]; ++x) {
                for (int64_t y = first[1]; y <= last[1]; ++y) {
                    for (int64_t z = first[2]; z <= last[2]; ++z) {
                        const uint64_t key = leaves.key(leaf) + space.step(x, y, z);
                        if (leaves.find(key) == no_leaf) part.push_back(key);
                    }
                }
            }
        }
        // Neighbours touch much the same leaves: drop doubles early, memory is then what is covered.
        std::sort(part.begin(), part.end());
        part.erase(std::unique(part.begin(), part.end()), part.end());
    });
    std::vector<uint64_t> around;
    for (const std::vector<uint64_t>& part : parts) around.insert(around.end(), part.begin(), part.end());
    sort_unique(around, loop);
    // A particle may be out of its own leaf's reach only by rounding: leaves with particles are touched.
    std::vector<uint64_t> all(leaves.count() + around.size());
    std::merge(leaves.keys().begin(), leaves.keys().end(), around.begin(), around.end(), all.begin());
    return all;
}

size_t LeafBins::near(uint64_t leaf_key, const VoxelBox& box, float reach, std::vector<NearParticle>& out) const {
    const int rings = static_cast<int>(std::ceil(reach / leaf_edge));
    const float reach_squared = reach * reach;
    float low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = static_cast<float>(box.low[axis]);
        high[axis] = static_cast<float>(box.high[axis]);
    }
    size_t count = 0;
    for (int dx = -rings; dx <= rings; ++dx) {
        for (int dy = -rings; dy <= rings; ++dy) {
            for (int dz = -rings; dz <= rings; ++dz) {
                const size_t bin = leaves.find(leaf_key + space.step(dx, dy, dz));
                if (bin == no_leaf) continue;
                const uint32_t first = begin[bin], last = begin[bin + 1];
                if (out.size() < count + (last - first)) out.resize(2 * out.size() + (last - first));
                const float ox = static_cast<float>(dx * leaf_edge), oy = static_cast<float>(dy * leaf_edge),
                            oz = static_cast<float>(dz * leaf_edge);
                for (uint32_t k = first; k < last; ++k) {
                    const float x = local[k].x + ox, y = local[k].y + oy, z = local[k].z + oz;
                    const float ax = std::max(std::max(low[0] - x, x - high[0]), 0.0f),
                                ay = std::max(std::max(low[1] - y, y - high[1]), 0.0f),
                                az = std::max(std::max(low[2] - z, z - high[2]), 0.0f);
                    out[count] = {x, y, z, k};
                    count += ax * ax + ay * ay + az * az < reach_squared ? 1 : 0;
                }
            }
        }
    }
    return count;
}

}  // namespace firn
