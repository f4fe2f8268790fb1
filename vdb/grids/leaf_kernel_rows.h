// The loops behind leaf_kernels.h. Included once for each instruction set, by a file that has named the namespace
// FIRN_ROWS. Nothing here may define a function that other files share: the linker would keep one copy, perhaps the one
// for AVX2.

#if defined(__x86_64__)
#include <immintrin.h>
#endif

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
#endif

inline void add_to(float* to, Lanes a) {
    store(to, load(to) + a);
}

/// First and last index in 0..7 within `reach` of `centre`.
struct Span {
    int first, last;
};
inline Span span(float centre, float reach) {
    const float low = centre - reach, high = centre + reach;
    // Truncation is floor for what is not negative; a low end below 0 is 0.
    int first = low <= 0.0f ? 0 : static_cast<int>(low);
    first += static_cast<float>(first) < low ? 1 : 0;
    const int last = high >= 7.0f ? 7 : (high < 0.0f ? -1 : static_cast<int>(high));
    return {first, last};
}

/// Calls body(place of the first voxel, squared distances) for every piece of a row in the cube of `reach` around the
/// particle. Some of them are out of reach: a branch that finds out costs more than they do.
template <typename Body>
inline void for_each_piece(float x, float y, float z, float reach, const Body& body) {
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
    const Span xs = span(x, reach), ys = span(y, reach);
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

/// The cubic spline without its norm; `squared` is r^2, `inverse` is 1 / support.
inline Lanes spline(Lanes squared, Lanes inverse) {
    const Lanes q = lesser(root(squared) * inverse, all(1.0f));
    const Lanes outer = all(1.0f) - q;
    const Lanes inner = greater(all(0.5f) - q, all(0.0f));
    return all(2.0f) * outer * outer * outer - all(8.0f) * inner * inner * inner;
}

inline Lanes wide(Lanes squared, Lanes inverse_squared) {
    const Lanes inside = greater(all(1.0f) - squared * inverse_squared, all(0.0f));
    return (inside * inside) * (inside * inside);
}

void add(const NearParticle* particles, size_t count, const float* weight, float support, float* sum) {
    const Lanes inverse = all(1.0f / support);
    for (size_t p = 0; p < count; ++p) {
        const Lanes w = all(weight[particles[p].place]);
        for_each_piece(particles[p].x, particles[p].y, particles[p].z, support,
                       [=](int at, Lanes squared) { add_to(sum + at, w * spline(squared, inverse)); });
    }
}

template <typename Weight>
inline void add_scalars(const NearParticle* particles, size_t count, const float* value, float reach,
                        const Float3& shift, float* weights, float* values, const Weight& weight) {
    for (size_t p = 0; p < count; ++p) {
        const Lanes v = all(value[particles[p].place]);
        for_each_piece(particles[p].x - shift.x, particles[p].y - shift.y, particles[p].z - shift.z, reach,
                       [=](int at, Lanes squared) {
                           const Lanes w = weight(squared);
                           add_to(weights + at, w);
                           add_to(values + at, w * v);
                       });
    }
}

template <typename Weight>
inline void add_vectors(const NearParticle* particles, size_t count, const Float3* value, float reach,
                        const Float3& shift, float* weights, float* values, const Weight& weight) {
    for (size_t p = 0; p < count; ++p) {
        const Float3& v = value[particles[p].place];
        const Lanes x = all(v.x), y = all(v.y), z = all(v.z);
        for_each_piece(particles[p].x - shift.x, particles[p].y - shift.y, particles[p].z - shift.z, reach,
                       [=](int at, Lanes squared) {
                           const Lanes w = weight(squared);
                           add_to(weights + at, w);
                           add_to(values + at, w * x);
                           add_to(values + leaf_voxels + at, w * y);
                           add_to(values + 2 * leaf_voxels + at, w * z);
                       });
    }
}

void add_scalar(const NearParticle* particles, size_t count, const float* value, float support, const Float3& shift,
                float* weights, float* values) {
    const Lanes inverse = all(1.0f / support);
    add_scalars(particles, count, value, support, shift, weights, values,
                [=](Lanes squared) { return spline(squared, inverse); });
}

void add_vector(const NearParticle* particles, size_t count, const Float3* value, float support, const Float3& shift,
                float* weights, float* values) {
    const Lanes inverse = all(1.0f / support);
    add_vectors(particles, count, value, support, shift, weights, values,
                [=](Lanes squared) { return spline(squared, inverse); });
}

void add_scalar_wide(const NearParticle* particles, size_t count, const float* value, float reach, float scale,
                     const Float3& shift, float* weights, float* values) {
    const Lanes inverse_squared = all(1.0f / (reach * reach)), s = all(scale);
    add_scalars(particles, count, value, reach, shift, weights, values,
                [=](Lanes squared) { return s * wide(squared, inverse_squared); });
}

void add_vector_wide(const NearParticle* particles, size_t count, const Float3* value, float reach, float scale,
                     const Float3& shift, float* weights, float* values) {
    const Lanes inverse_squared = all(1.0f / (reach * reach)), s = all(scale);
    add_vectors(particles, count, value, reach, shift, weights, values,
                [=](Lanes squared) { return s * wide(squared, inverse_squared); });
}

void nearest(const NearParticle* particles, size_t count, float reach, float* squared) {
    for (size_t p = 0; p < count; ++p) {
        for_each_piece(particles[p].x, particles[p].y, particles[p].z, reach,
                       [=](int at, Lanes here) { store(squared + at, lesser(here, load(squared + at))); });
    }
}

}  // namespace

extern const LeafKernels kernels = {add, add_scalar, add_vector, add_scalar_wide, add_vector_wide, nearest};

}  // namespace firn::FIRN_ROWS
