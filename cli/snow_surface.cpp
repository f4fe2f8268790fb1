#include "snow_surface.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace firn {

namespace {

// Lengths are in voxels here: half a spacing. A block is 8 x 8 x 8 voxels.
constexpr int block_size = 8;
constexpr int block_voxels = block_size * block_size * block_size;
constexpr float spacing_voxels = 2;
constexpr float support = 2 * spacing_voxels;  ///< of a particle's weight
constexpr float outside = 1;                   ///< of the field where no particle reaches
constexpr int64_t key_range = int64_t{1} << 20;
constexpr uint32_t none = std::numeric_limits<uint32_t>::max();

/// A number from 0 to 1 that only depends on the particle and on what it is for.
float random(uint64_t particle, uint64_t purpose) {
    uint64_t x = particle * 0x9e3779b97f4a7c15u + purpose * 0xd1b54a32d192ed03u + 0x632be59bd9b4e019u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return static_cast<float>((x ^ (x >> 31)) >> 40) * 0x1p-24f;
}

struct Voxel3 {
    float x, y, z;
};

uint64_t block_key(int64_t i, int64_t j, int64_t k) {
    return (static_cast<uint64_t>(k + key_range) << 42) | (static_cast<uint64_t>(j + key_range) << 21) |
           static_cast<uint64_t>(i + key_range);
}

std::array<int64_t, 3> block_of(uint64_t key) {
    const auto part = [&](int shift) { return static_cast<int64_t>((key >> shift) & 0x1fffff) - key_range; };
    return {part(0), part(21), part(42)};
}

struct Binned {
    uint64_t key;
    uint32_t particle;
    bool operator<(const Binned& other) const { return key != other.key ? key < other.key : particle < other.particle; }
};

/// (1 - r^2 / support^2)^3: no square root, and smooth to the rim. In bulk snow the weights add up to 5.1, at a lone
/// particle to 1.
float weight(float squared_distance) {
    const float q = 1 - squared_distance * (1 / (support * support));
    return q > 0 ? q * q * q : 0;
}

float smooth_step(float low, float high, float x) {
    const float t = std::clamp((x - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

class SurfaceMaker {
public:
    SurfaceMaker(const std::vector<Float3>& particles, float spacing, const Float3& origin)
        : particles_(particles), voxel_(spacing / spacing_voxels), origin_(origin) {}

    SnowSurface make() {
        bin();
        find_blocks();
        fill_field();
        add_grains();
        add_points();
        add_triangles();
        add_normals();
        return std::move(surface_);
    }

private:
    void bin() {
        position_.resize(particles_.size());
        for (size_t i = 0; i < particles_.size(); ++i) {
            const Float3& p = particles_[i];
            // Snow in a scene starts on a lattice, and a lattice is what one would see: each grain is drawn a little
            // beside its particle.
            const float shake = 0.5f * spacing_voxels;
            const Voxel3 x{static_cast<float>((double(p.x) - origin_.x) / voxel_) + shake * (random(i, 0) - 0.5f),
                           static_cast<float>((double(p.y) - origin_.y) / voxel_) + shake * (random(i, 1) - 0.5f),
                           static_cast<float>((double(p.z) - origin_.z) / voxel_) + shake * (random(i, 2) - 0.5f)};
            position_[i] = x;
            const float reach = static_cast<float>((key_range - 2) * block_size);
            if (!(std::abs(x.x) < reach && std::abs(x.y) < reach && std::abs(x.z) < reach)) {
                ++surface_.left_out_count;
                continue;
            }
            binned_.push_back({block_key(block_coordinate(x.x), block_coordinate(x.y), block_coordinate(x.z)),
                               static_cast<uint32_t>(i)});
        }
        tbb::parallel_sort(binned_.begin(), binned_.end());
    }

    static int64_t block_coordinate(float x) { return static_cast<int64_t>(std::floor(x / block_size)); }

    /// All blocks that a particle's support reaches into.
    void find_blocks() {
        for (size_t begin = 0, end = 0; begin < binned_.size(); begin = end) {
            while (end < binned_.size() && binned_[end].key == binned_[begin].key) ++end;
            occupied_.push_back(binned_[begin].key);
            occupied_begin_.push_back(begin);
            Voxel3 low = position_[binned_[begin].particle], high = low;
            for (size_t n = begin; n < end; ++n) {
                const Voxel3& x = position_[binned_[n].particle];
                low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
                high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
            }
            for (int64_t k = block_coordinate(low.z - support); k <= block_coordinate(high.z + support); ++k)
                for (int64_t j = block_coordinate(low.y - support); j <= block_coordinate(high.y + support); ++j)
                    for (int64_t i = block_coordinate(low.x - support); i <= block_coordinate(high.x + support); ++i)
                        blocks_.push_back(block_key(i, j, k));
        }
        occupied_begin_.push_back(binned_.size());
        tbb::parallel_sort(blocks_.begin(), blocks_.end());
        blocks_.erase(std::unique(blocks_.begin(), blocks_.end()), blocks_.end());
    }

    static uint32_t find(const std::vector<uint64_t>& keys, uint64_t key) {
        const auto found = std::lower_bound(keys.begin(), keys.end(), key);
        return found != keys.end() && *found == key ? static_cast<uint32_t>(found - keys.begin()) : none;
    }

    template <typename Function>
    void for_each_block(Function function) const {
        tbb::parallel_for(tbb::blocked_range<size_t>(0, blocks_.size(), 16), [&](const auto& range) {
            for (size_t b = range.begin(); b != range.end(); ++b) function(b);
        });
    }

    /// Every block gathers from the particles around it, in one order, whichever thread does it.
    void fill_field() {
        field_.resize(blocks_.size() * block_voxels);
        weight_.resize(field_.size());
        for_each_block([&](size_t b) {
            const auto [bi, bj, bk] = block_of(blocks_[b]);
            const Voxel3 corner{static_cast<float>(bi * block_size), static_cast<float>(bj * block_size),
                                static_cast<float>(bk * block_size)};
            std::array<float, 4 * block_voxels> sums{};  // x, y, z, weight
            for (int64_t k = bk - 1; k <= bk + 1; ++k)
                for (int64_t j = bj - 1; j <= bj + 1; ++j)
                    for (int64_t i = bi - 1; i <= bi + 1; ++i) {
                        const uint32_t o = find(occupied_, block_key(i, j, k));
                        if (o == none) continue;
                        for (size_t n = occupied_begin_[o]; n < occupied_begin_[o + 1]; ++n) {
                            const Voxel3& x = position_[binned_[n].particle];
                            splat({x.x - corner.x, x.y - corner.y, x.z - corner.z}, sums);
                        }
                    }
            for (int v = 0; v < block_voxels; ++v) {
                const float* sum = &sums[4 * static_cast<size_t>(v)];
                const size_t at = b * block_voxels + static_cast<size_t>(v);
                weight_[at] = sum[3];
                field_[at] = field(v, sum);
            }
        });
    }

    static void splat(const Voxel3& x, std::array<float, 4 * block_voxels>& sums) {
        const auto first = [](float a) { return std::max(0, static_cast<int>(std::ceil(a - support))); };
        const auto last = [](float a) { return std::min(block_size - 1, static_cast<int>(std::floor(a + support))); };
        for (int k = first(x.z); k <= last(x.z); ++k)
            for (int j = first(x.y); j <= last(x.y); ++j) {
                const float dz = static_cast<float>(k) - x.z, dy = static_cast<float>(j) - x.y;
                const float rest = dz * dz + dy * dy;
                if (rest >= support * support) continue;
                for (int i = first(x.x); i <= last(x.x); ++i) {
                    const float dx = static_cast<float>(i) - x.x;
                    const float w = weight(rest + dx * dx);
                    float* sum = &sums[4 * static_cast<size_t>((k * block_size + j) * block_size + i)];
                    sum[0] += w * x.x;
                    sum[1] += w * x.y;
                    sum[2] += w * x.z;
                    sum[3] += w;
                }
            }
    }

    /// Negative in the snow: the distance to the mean of the particles around (Zhu and Bridson 2005, section 4), less a
    /// radius that goes to zero where there are few of them, so that nothing appears between two lumps that part.
    static float field(int v, const float* sum) {
        if (sum[3] <= 0) return outside;
        const float x = sum[0] / sum[3] - static_cast<float>(v % block_size);
        const float y = sum[1] / sum[3] - static_cast<float>(v / block_size % block_size);
        const float z = sum[2] / sum[3] - static_cast<float>(v / block_size / block_size);
        const float radius = 0.95f * spacing_voxels * smooth_step(0.7f, 2.3f, sum[3]);
        return std::sqrt(x * x + y * y + z * z) - radius + 1e-6f;
    }

    float node(const std::vector<float>& values, int64_t i, int64_t j, int64_t k, float otherwise) const {
        const auto down = [](int64_t a) { return a >> 3; };
        const uint32_t b = find(blocks_, block_key(down(i), down(j), down(k)));
        if (b == none) return otherwise;
        return values[b * block_voxels + static_cast<size_t>(((k & 7) * block_size + (j & 7)) * block_size + (i & 7))];
    }

    /// What flies alone is drawn as a crumb: a handful of small spheres, each particle with its own handful.
    void add_grains() {
        std::vector<uint8_t> alone(particles_.size(), 0);
        tbb::parallel_for(tbb::blocked_range<size_t>(0, binned_.size(), 256), [&](const auto& range) {
            for (size_t n = range.begin(); n != range.end(); ++n) {
                const Voxel3& x = position_[binned_[n].particle];
                const float at = node(weight_, std::lround(x.x), std::lround(x.y), std::lround(x.z), 0);
                alone[binned_[n].particle] = at < 2.0f;
            }
        });
        for (size_t i = 0; i < alone.size(); ++i) {
            if (!alone[i]) continue;
            const Voxel3& x = position_[i];
            const float size = (0.75f + 0.5f * random(i, 3)) * spacing_voxels;
            surface_.grains.push_back(grain(x, 0.30f * size));
            for (uint64_t n = 0; n < 5; ++n) {
                const float turn = 6.2831853f * random(i, 10 + 3 * n), up = 2 * random(i, 11 + 3 * n) - 1;
                const float flat = std::sqrt(1 - up * up), far = 0.26f * size;
                surface_.grains.push_back(
                    grain({x.x + far * flat * std::cos(turn), x.y + far * up, x.z + far * flat * std::sin(turn)},
                          (0.12f + 0.12f * random(i, 12 + 3 * n)) * size));
            }
        }
    }

    Float4 grain(const Voxel3& x, float radius) const {
        return {x.x * voxel_, x.y * voxel_, x.z * voxel_, radius * voxel_};
    }

    /// Surface nets: one point in each cell of eight nodes that the surface cuts, the mean of the cut edges.
    void add_points() {
        point_of_cell_.assign(field_.size(), none);
        std::vector<std::vector<Float3>> found(blocks_.size());
        for_each_block([&](size_t b) {
            const auto [bi, bj, bk] = block_of(blocks_[b]);
            constexpr int side = block_size + 1;
            std::array<float, side * side * side> nodes;
            std::array<uint32_t, 8> near;
            for (int n = 0; n < 8; ++n)
                near[static_cast<size_t>(n)] = find(blocks_, block_key(bi + (n & 1), bj + (n >> 1 & 1), bk + (n >> 2)));
            bool any_inside = false;
            for (int k = 0; k < side; ++k)
                for (int j = 0; j < side; ++j)
                    for (int i = 0; i < side; ++i) {
                        const uint32_t from = near[static_cast<size_t>((i >> 3) | (j >> 3) << 1 | (k >> 3) << 2)];
                        const int v = ((k & 7) * block_size + (j & 7)) * block_size + (i & 7);
                        const float value =
                            from == none ? outside : field_[size_t{from} * block_voxels + static_cast<size_t>(v)];
                        nodes[static_cast<size_t>((k * side + j) * side + i)] = value;
                        any_inside |= value < 0;
                    }
            if (!any_inside) return;
            for (int v = 0; v < block_voxels; ++v) {
                const int i = v % block_size, j = v / block_size % block_size, k = v / block_size / block_size;
                std::array<float, 8> corner;
                int inside = 0;
                for (int n = 0; n < 8; ++n) {
                    const float value =
                        nodes[static_cast<size_t>(((k + (n >> 2)) * side + j + (n >> 1 & 1)) * side + i + (n & 1))];
                    corner[static_cast<size_t>(n)] = value;
                    inside += value < 0;
                }
                if (inside == 0 || inside == 8) continue;
                const Voxel3 at = mean_of_cuts(corner);
                point_of_cell_[b * block_voxels + static_cast<size_t>(v)] = static_cast<uint32_t>(found[b].size());
                found[b].push_back({(static_cast<float>(bi * block_size + i) + at.x) * voxel_,
                                    (static_cast<float>(bj * block_size + j) + at.y) * voxel_,
                                    (static_cast<float>(bk * block_size + k) + at.z) * voxel_});
            }
        });
        std::vector<uint32_t> first(blocks_.size());
        for (size_t b = 0; b < blocks_.size(); ++b) {
            first[b] = static_cast<uint32_t>(surface_.points.size());
            surface_.points.insert(surface_.points.end(), found[b].begin(), found[b].end());
        }
        for_each_block([&](size_t b) {
            for (size_t v = b * block_voxels; v < (b + 1) * block_voxels; ++v)
                if (point_of_cell_[v] != none) point_of_cell_[v] += first[b];
        });
    }

    static Voxel3 mean_of_cuts(const std::array<float, 8>& corner) {
        Voxel3 sum{0, 0, 0};
        int count = 0;
        for (int axis = 0; axis < 3; ++axis)
            for (int n = 0; n < 8; ++n) {
                if (n >> axis & 1) continue;
                const float a = corner[static_cast<size_t>(n)], b = corner[static_cast<size_t>(n | 1 << axis)];
                if ((a < 0) == (b < 0)) continue;
                const float t = a / (a - b);
                sum.x += axis == 0 ? t : static_cast<float>(n & 1);
                sum.y += axis == 1 ? t : static_cast<float>(n >> 1 & 1);
                sum.z += axis == 2 ? t : static_cast<float>(n >> 2 & 1);
                ++count;
            }
        const float scale = 1 / static_cast<float>(count);
        return {sum.x * scale, sum.y * scale, sum.z * scale};
    }

    /// Two triangles across each edge of the grid that the surface cuts, between the points of the four cells around
    /// it.
    void add_triangles() {
        std::vector<std::vector<std::array<uint32_t, 3>>> found(blocks_.size());
        for_each_block([&](size_t b) {
            const auto [bi, bj, bk] = block_of(blocks_[b]);
            std::array<uint32_t, 27> near;
            for (int n = 0; n < 27; ++n)
                near[static_cast<size_t>(n)] =
                    find(blocks_, block_key(bi + n % 3 - 1, bj + n / 3 % 3 - 1, bk + n / 9 - 1));
            const auto index = [&](int i, int j, int k) {
                const uint32_t from = near[static_cast<size_t>(((k >> 3) + 1) * 9 + ((j >> 3) + 1) * 3 + (i >> 3) + 1)];
                const int v = ((k & 7) * block_size + (j & 7)) * block_size + (i & 7);
                return from == none ? size_t{none} : size_t{from} * block_voxels + static_cast<size_t>(v);
            };
            for (int v = 0; v < block_voxels; ++v) {
                const int i = v % block_size, j = v / block_size % block_size, k = v / block_size / block_size;
                const bool inside = field_[b * block_voxels + static_cast<size_t>(v)] < 0;
                for (int axis = 0; axis < 3; ++axis) {
                    const size_t next = index(i + (axis == 0), j + (axis == 1), k + (axis == 2));
                    const bool next_inside = next != none && field_[next] < 0;
                    if (inside == next_inside) continue;
                    // The two axes across the edge, in the order that makes them turn about it.
                    const int u = (axis + 1) % 3, w = (axis + 2) % 3;
                    std::array<uint32_t, 4> quad;
                    for (int n = 0; n < 4; ++n) {
                        int c[3] = {i, j, k};
                        c[u] -= n == 1 || n == 2 ? 0 : 1;
                        c[w] -= n >= 2 ? 0 : 1;
                        const size_t cell = index(c[0], c[1], c[2]);
                        quad[static_cast<size_t>(n)] = cell == none ? none : point_of_cell_[cell];
                    }
                    if (std::find(quad.begin(), quad.end(), none) != quad.end()) continue;
                    if (!inside) std::swap(quad[1], quad[3]);
                    found[b].push_back({quad[0], quad[1], quad[2]});
                    found[b].push_back({quad[0], quad[2], quad[3]});
                }
            }
        });
        for (const auto& triangles : found)
            surface_.triangles.insert(surface_.triangles.end(), triangles.begin(), triangles.end());
    }

    void add_normals() {
        std::vector<Float3>& normals = surface_.normals;
        normals.resize(surface_.points.size());
        for (const auto& [a, b, c] : surface_.triangles) {
            const Float3 &p = surface_.points[a], &q = surface_.points[b], &r = surface_.points[c];
            const float ux = q.x - p.x, uy = q.y - p.y, uz = q.z - p.z;
            const float vx = r.x - p.x, vy = r.y - p.y, vz = r.z - p.z;
            const Float3 across{uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx};
            for (const uint32_t corner : {a, b, c}) {
                normals[corner].x += across.x;
                normals[corner].y += across.y;
                normals[corner].z += across.z;
            }
        }
        for (Float3& n : normals) {
            const float length = std::sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
            if (length > 0)
                n = {n.x / length, n.y / length, n.z / length};
            else
                n = {0, 1, 0};
        }
    }

    const std::vector<Float3>& particles_;
    float voxel_;  ///< m
    Float3 origin_;

    std::vector<Voxel3> position_;  ///< voxels
    std::vector<Binned> binned_;
    std::vector<uint64_t> occupied_;      ///< keys of the blocks that hold particles
    std::vector<size_t> occupied_begin_;  ///< of their particles in binned_, and the end
    std::vector<uint64_t> blocks_;        ///< keys, ascending
    std::vector<float> field_, weight_;
    std::vector<uint32_t> point_of_cell_;
    SnowSurface surface_;
};

}  // namespace

SnowSurface make_snow_surface(const std::vector<Float3>& particles, float spacing, const Float3& origin) {
    return SurfaceMaker(particles, spacing, origin).make();
}

}  // namespace firn
