// The loops behind leaf_kernels.h. Included once for each instruction set, by a file that has named the namespace
// FIRN_ROWS. Nothing here may define a function that other files share: the linker would keep one copy, perhaps the one
// for AVX2.

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <type_traits>

#include "leaf_kernels.h"

namespace firn::FIRN_ROWS {

namespace {

constexpr int row = 8;

// As many voxels of a row as the processor takes at once. Compilers don't see it by themselves: the rows are short.
#if defined(__AVX2__)
constexpr int width = 8;
using Lanes = __m256;
inline Lanes root(Lanes a) {
    return _mm256_sqrt_ps(a);
}
inline Lanes lesser(Lanes a, Lanes b) {
    return _mm256_min_ps(a, b);
}
inline Lanes greater(Lanes a, Lanes b) {
    return _mm256_max_ps(a, b);
}
inline Lanes load(const float* from) {
    return _mm256_loadu_ps(from);
}
inline void store(float* to, Lanes a) {
    _mm256_storeu_ps(to, a);
}
inline Lanes all(float a) {
    return _mm256_set1_ps(a);
}
inline Lanes only(Lanes a, Lanes mask) {
    return _mm256_and_ps(a, mask);
}
#elif defined(__x86_64__)
constexpr int width = 4;
using Lanes = __m128;
inline Lanes root(Lanes a) {
    return _mm_sqrt_ps(a);
}
inline Lanes lesser(Lanes a, Lanes b) {
    return _mm_min_ps(a, b);
}
inline Lanes greater(Lanes a, Lanes b) {
    return _mm_max_ps(a, b);
}
inline Lanes load(const float* from) {
    return _mm_loadu_ps(from);
}
inline void store(float* to, Lanes a) {
    _mm_storeu_ps(to, a);
}
inline Lanes all(float a) {
    return _mm_set1_ps(a);
}
inline Lanes only(Lanes a, Lanes mask) {
    return _mm_and_ps(a, mask);
}
#else
constexpr int width = 1;
using Lanes = float;
inline Lanes root(Lanes a) {
    return __builtin_sqrtf(a);
}
inline Lanes lesser(Lanes a, Lanes b) {
    return a < b ? a : b;
}
inline Lanes greater(Lanes a, Lanes b) {
    return a > b ? a : b;
}
inline Lanes load(const float* from) {
    return *from;
}
inline void store(float* to, Lanes a) {
    *to = a;
}
inline Lanes all(float a) {
    return a;
}
inline Lanes only(Lanes a, Lanes mask) {
    uint32_t bits;
    __builtin_memcpy(&bits, &mask, sizeof bits);
    return bits ? a : 0.0f;
}
#endif

inline void add_to(float* to, Lanes a) {
    store(to, load(to) + a);
}

inline int least(int a, int b) {
    return a < b ? a : b;
}
inline int greatest(int a, int b) {
    return a > b ? a : b;
}

/// First and last index of the box within `reach` of `centre`.
struct Span {
    int first, last;
};
inline Span span(float centre, float reach, const VoxelBox& box, int axis) {
    const float low = centre - reach, high = centre + reach;
    // Truncation is floor for what is not negative; a low end below 0 is 0.
    int first = low <= 0.0f ? 0 : static_cast<int>(low);
    first += static_cast<float>(first) < low ? 1 : 0;
    const int last = high >= 7.0f ? 7 : (high < 0.0f ? -1 : static_cast<int>(high));
    return {greatest(first, box.low[axis]), least(last, box.high[axis])};
}

/// Calls body(place of the first voxel, squared distances) for every piece of a row in the cube of `reach` around the
/// particle. Some of them are out of reach: a branch that finds out costs more than they do.
template <typename Body>
inline void for_each_piece(float x, float y, float z, float reach, const VoxelBox& box, const Body& body) {
    constexpr int pieces = row / width;
    Lanes along[pieces];
    for (int piece = 0; piece < pieces; ++piece) {
        float squared[width];
        for (int k = 0; k < width; ++k) {
            const float dz = static_cast<float>(piece * width + k) - z;
            squared[k] = dz * dz;
        }
        along[piece] = load(squared);
    }
    const Span xs = span(x, reach, box, 0), ys = span(y, reach, box, 1);
    for (int i = xs.first; i <= xs.last; ++i) {
        const float dx = static_cast<float>(i) - x;
        for (int j = ys.first; j <= ys.last; ++j) {
            const float dy = static_cast<float>(j) - y;
            const Lanes across = all(dx * dx + dy * dy);
            for (int piece = 0; piece < pieces; ++piece) {
                body(i * 64 + j * row + piece * width, across + along[piece]);
            }
        }
    }
}

/// The cubic spline without its norm. Of its two cubics,
///     1 - 6 q^2 (1 - q)  and  2 (1 - q)^3,  which differ by 8 (q - 1/2)^3,
/// the lesser one holds. `squared` is (c q)^2, c^3 = 2: then the second is a plain cube, the first has a factor of 3.
constexpr float spline_scale = 1.25992105f;
inline Lanes spline(Lanes squared) {
    const Lanes s = lesser(squared, all(spline_scale * spline_scale));
    const Lanes outer = all(spline_scale) - root(s);
    return lesser(all(1.0f) - all(3.0f) * s * outer, outer * outer * outer);
}

/// What makes squares of distances the spline's argument.
inline Lanes spline_factor(float support) {
    return all(spline_scale * spline_scale / (support * support));
}

inline Lanes wide(Lanes squared, Lanes inverse_squared) {
    const Lanes inside = greater(all(1.0f) - squared * inverse_squared, all(0.0f));
    return (inside * inside) * (inside * inside);
}

void add(const NearParticle* particles, size_t count, const float* weight, float support, float* sum) {
    const Lanes scale = spline_factor(support);
    for (size_t p = 0; p < count; ++p) {
        const Lanes w = all(weight[particles[p].place]);
        for_each_piece(particles[p].x, particles[p].y, particles[p].z, support, whole_leaf,
                       [=](int at, Lanes squared) { add_to(sum + at, w * spline(squared * scale)); });
    }
}

template <typename Weight>
inline void add_scalars(const NearParticle* particles, size_t count, const float* value, float reach, float* weights,
                        float* values, const Weight& weight) {
    for (size_t p = 0; p < count; ++p) {
        const Lanes v = all(value[particles[p].place]);
        for_each_piece(particles[p].x, particles[p].y, particles[p].z, reach, whole_leaf, [=](int at, Lanes squared) {
            const Lanes w = weight(squared);
            add_to(weights + at, w);
            add_to(values + at, w * v);
        });
    }
}

template <typename Weight>
inline void add_vectors(const NearParticle* particles, size_t count, const Float3* value, float reach,
                        const VoxelBox& box, float* weights, float* values, const Weight& weight) {
    for (size_t p = 0; p < count; ++p) {
        const Float3& v = value[particles[p].place];
        const Lanes x = all(v.x), y = all(v.y), z = all(v.z);
        for_each_piece(particles[p].x, particles[p].y, particles[p].z, reach, box, [=](int at, Lanes squared) {
            const Lanes w = weight(squared);
            add_to(weights + at, w);
            add_to(values + at, w * x);
            add_to(values + leaf_voxels + at, w * y);
            add_to(values + 2 * leaf_voxels + at, w * z);
        });
    }
}

void add_scalar(const NearParticle* particles, size_t count, const float* value, float support, float* weights,
                float* values) {
    const Lanes scale = spline_factor(support);
    add_scalars(particles, count, value, support, weights, values,
                [=](Lanes squared) { return spline(squared * scale); });
}

void add_vector(const NearParticle* particles, size_t count, const Float3* value, float support, float* weights,
                float* values) {
    const Lanes scale = spline_factor(support);
    add_vectors(particles, count, value, support, whole_leaf, weights, values,
                [=](Lanes squared) { return spline(squared * scale); });
}

void add_vector_wide(const NearParticle* particles, size_t count, const Float3* value, float reach, float scale,
                     const VoxelBox& box, float* weights, float* values) {
    const Lanes inverse_squared = all(1.0f / (reach * reach)), s = all(scale);
    add_vectors(particles, count, value, reach, box, weights, values,
                [=](Lanes squared) { return s * wide(squared, inverse_squared); });
}

void nearest(const NearParticle* particles, size_t count, float reach, float* squared) {
    for (size_t p = 0; p < count; ++p) {
        for_each_piece(particles[p].x, particles[p].y, particles[p].z, reach, whole_leaf,
                       [=](int at, Lanes here) { store(squared + at, lesser(here, load(squared + at))); });
    }
}

/// Calls body(place in the block, the spline's argument) for the rows of voxels around a particle. Always as many:
/// a count that differs between particles costs more than rows that get nothing.
template <int rows, int channels, typename Body>
inline void for_each_block_row(const SplatBlock& block, const Float3& leaf, const Float3& local, const Body& body) {
    constexpr int pieces = row / width;
    constexpr float steps[row] = {0, 1, 2, 3, 4, 5, 6, 7};
    const float scale = spline_scale / block.support,
                centre[3] = {leaf.x + local.x, leaf.y + local.y, leaf.z + local.z};
    int first[3];
    float squares[3][row];  // of the distances from the particle along each axis
    for (int axis = 0; axis < 3; ++axis) {
        // From the block's first voxel; above 0 but for rounding, so that truncation is floor.
        const float low = static_cast<float>(block.low);
        const int voxel = static_cast<int>(centre[axis] - block.support - low + 1.0f);
        first[axis] = voxel < 0 ? 0 : voxel > splat_edge - row ? splat_edge - row : voxel;
        const Lanes nearest = all(static_cast<float>(first[axis]) + low - centre[axis]);
        for (int k = 0; k < row; k += width) {
            const Lanes d = (nearest + load(steps + k)) * all(scale);
            store(squares[axis] + k, d * d);
        }
    }
    Lanes across[rows][pieces];
    for (int j = 0; j < rows; ++j) {
        for (int piece = 0; piece < pieces; ++piece) {
            across[j][piece] = all(squares[1][j]) + load(squares[2] + piece * width);
        }
    }
    const int corner = (first[0] * splat_edge + first[1]) * channels * splat_edge + first[2];
    const auto slice = [&](int i, int first_row, int last_row) {
        const Lanes x = all(squares[0][i]);
        for (int j = first_row; j < last_row; ++j) {
            const int place = corner + (i * splat_edge + j) * channels * splat_edge;
            for (int piece = 0; piece < pieces; ++piece) body(place + piece * width, x + across[j][piece]);
        }
    };
    // Eight rows reach past four voxels' support by so little that those at the corners get nothing: three voxels and
    // more off along both axes.
    if (rows == 8 && block.support > 3.5f) {
        slice(0, 1, rows - 1);
        for (int i = 1; i < rows - 1; ++i) slice(i, 0, rows);
        slice(rows - 1, 1, rows - 1);
    } else {
        for (int i = 0; i < rows; ++i) slice(i, 0, rows);
    }
}

template <int rows>
inline void splat_rows(const SplatBlock& block, const Float3& leaf, const Float3* local, size_t count,
                       const float* value, float* sums) {
    for (size_t p = 0; p < count; ++p) {
        const Lanes v = all(value[p]);
        for_each_block_row<rows, 1>(block, leaf, local[p],
                                    [=](int at, Lanes squared) { add_to(sums + at, v * spline(squared)); });
    }
}

template <int rows>
inline void splat_scalar_rows(const SplatBlock& block, const Float3& leaf, const Float3* local, size_t count,
                              const float* value, float* sums) {
    for (size_t p = 0; p < count; ++p) {
        const Lanes v = all(value[p]);
        for_each_block_row<rows, 2>(block, leaf, local[p], [=](int at, Lanes squared) {
            const Lanes w = spline(squared);
            add_to(sums + at, w);
            add_to(sums + at + splat_edge, w * v);
        });
    }
}

template <int rows>
inline void splat_vector_rows(const SplatBlock& block, const Float3& leaf, const Float3* local, size_t count,
                              const Float3* value, float* sums) {
    for (size_t p = 0; p < count; ++p) {
        const Lanes x = all(value[p].x), y = all(value[p].y), z = all(value[p].z);
        for_each_block_row<rows, 4>(block, leaf, local[p], [=](int at, Lanes squared) {
            const Lanes w = spline(squared);
            add_to(sums + at, w);
            add_to(sums + at + splat_edge, w * x);
            add_to(sums + at + 2 * splat_edge, w * y);
            add_to(sums + at + 3 * splat_edge, w * z);
        });
    }
}

/// Calls splat with the number of rows that a kernel reaches.
template <typename Splat>
inline void with_rows(const SplatBlock& block, const Splat& splat) {
    if (block.support <= 2.0f) {
        splat(std::integral_constant<int, 4>());
    } else if (block.support <= 3.0f) {
        splat(std::integral_constant<int, 6>());
    } else {
        splat(std::integral_constant<int, 8>());
    }
}

void splat(const SplatBlock& block, const Float3& leaf, const Float3* local, size_t count, const float* value,
           float* sums) {
    with_rows(block, [&](auto rows) { splat_rows<rows>(block, leaf, local, count, value, sums); });
}

void splat_scalar(const SplatBlock& block, const Float3& leaf, const Float3* local, size_t count, const float* value,
                  float* sums) {
    with_rows(block, [&](auto rows) { splat_scalar_rows<rows>(block, leaf, local, count, value, sums); });
}

void splat_vector(const SplatBlock& block, const Float3& leaf, const Float3* local, size_t count, const Float3* value,
                  float* sums) {
    with_rows(block, [&](auto rows) { splat_vector_rows<rows>(block, leaf, local, count, value, sums); });
}

void move_block(const SplatBlock& block, const SplatRows& rows, float* sums, float* const* leaf) {
    // A row of the block lies in four leaves. What is loaded for the outer two has voxels of other rows: masked.
    float mask[leaves_around_tile][row];
    for (int side = 0; side < leaves_around_tile; ++side) {
        for (int k = 0; k < row; ++k) {
            const int place = (side - 1) * row + k - block.low;
            const uint32_t bits = place >= 0 && place < splat_edge ? ~0u : 0u;
            __builtin_memcpy(&mask[side][k], &bits, sizeof bits);
        }
    }
    const int row_floats = block.channels * splat_edge;
    // Leaf by leaf: their memory is read and written in its order.
    for (int place = 0; place < leaves_around_tile * leaves_around_tile * leaves_around_tile; ++place) {
        float* to = leaf[place];
        if (!to) continue;
        const int side = place % leaves_around_tile;
        // Rows of this leaf, counted in the block.
        const int x = (place / (leaves_around_tile * leaves_around_tile) - 1) * row - block.low;
        const int y = (place / leaves_around_tile % leaves_around_tile - 1) * row - block.low;
        const int z = (side - 1) * row - block.low;
        const int first_i = greatest(rows.first[0], x), last_i = least(rows.last[0], x + row);
        const int first_j = greatest(rows.first[1], y), last_j = least(rows.last[1], y + row);
        for (int i = first_i; i < last_i; ++i) {
            for (int j = first_j; j < last_j; ++j) {
                const float* from = sums + (i * splat_edge + j) * row_floats + z;
                float* sum = to + (i - x) * 64 + (j - y) * row;
                for (int channel = 0; channel < block.channels; ++channel) {
                    for (int k = 0; k < row; k += width) {
                        add_to(sum + k, only(load(from + k), load(mask[side] + k)));
                    }
                    from += splat_edge;
                    sum += leaf_voxels;
                }
            }
        }
    }
    for (int i = rows.first[0]; i < rows.last[0]; ++i) {
        float* from = sums + (i * splat_edge + rows.first[1]) * row_floats;
        const int floats = (rows.last[1] - rows.first[1]) * row_floats;
        for (int k = 0; k < floats; k += width) store(from + k, all(0.0f));
    }
}

}  // namespace

extern const LeafKernels kernels = {add,   add_scalar,   add_vector,   add_vector_wide, nearest,
                                    splat, splat_scalar, splat_vector, move_block};

}  // namespace firn::FIRN_ROWS
