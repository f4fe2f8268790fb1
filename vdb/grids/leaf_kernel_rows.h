// The loops behind leaf_kernels.h. Included once for each instruction set, by a file that has named the namespace
// FIRN_ROWS. Nothing here may define a function that other files share: the linker would keep one copy, perhaps the one
// for AVX2.

#include "leaf_kernels.h"

namespace firn::FIRN_ROWS {

namespace {

constexpr int row = 8;

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

/// Calls body(place of the row's first voxel, squared distance of the row's line, squared distances along the row) for
/// every row that comes closer than `reach` to the particle.
template <typename Body>
inline void for_each_row(float x, float y, float z, float reach, const Body& body) {
    const float reach_squared = reach * reach;
    float along[row];
    for (int k = 0; k < row; ++k) along[k] = (static_cast<float>(k) - z) * (static_cast<float>(k) - z);
    const float outside = z < 0.0f ? z : (z > 7.0f ? z - 7.0f : 0.0f);
    const float within = reach_squared - outside * outside;
    const Span xs = span(x, reach), ys = span(y, reach);
    for (int i = xs.first; i <= xs.last; ++i) {
        const float dx = static_cast<float>(i) - x;
        for (int j = ys.first; j <= ys.last; ++j) {
            const float dy = static_cast<float>(j) - y;
            const float across = dx * dx + dy * dy;
            if (across < within) body(i * 64 + j * row, across, along);
        }
    }
}

/// The cubic spline without its norm; `squared` is r^2, `inverse` is 1 / support.
inline float spline(float squared, float inverse) {
    float q = __builtin_sqrtf(squared) * inverse;
    q = q < 1.0f ? q : 1.0f;
    const float outer = 1.0f - q;
    float inner = 0.5f - q;
    inner = inner > 0.0f ? inner : 0.0f;
    return 2.0f * outer * outer * outer - 8.0f * inner * inner * inner;
}

inline float wide(float squared, float inverse_squared) {
    float inside = 1.0f - squared * inverse_squared;
    inside = inside > 0.0f ? inside : 0.0f;
    return (inside * inside) * (inside * inside);
}

void add(const NearParticle* particles, size_t count, const float* weight, float support, float* sum) {
    const float inverse = 1.0f / support;
    for (size_t p = 0; p < count; ++p) {
        const float w = weight[particles[p].place];
        for_each_row(particles[p].x, particles[p].y, particles[p].z, support,
                     [=](int first, float across, const float* along) {
                         float* out = sum + first;
                         for (int k = 0; k < row; ++k) out[k] += w * spline(across + along[k], inverse);
                     });
    }
}

void add_scalar(const NearParticle* particles, size_t count, const float* value, float support, const Float3& shift,
                float* weights, float* values) {
    const float inverse = 1.0f / support;
    for (size_t p = 0; p < count; ++p) {
        const float v = value[particles[p].place];
        for_each_row(particles[p].x - shift.x, particles[p].y - shift.y, particles[p].z - shift.z, support,
                     [=](int first, float across, const float* along) {
                         float* out_w = weights + first;
                         float* out_v = values + first;
                         float w[row];
                         for (int k = 0; k < row; ++k) w[k] = spline(across + along[k], inverse);
                         for (int k = 0; k < row; ++k) out_w[k] += w[k];
                         for (int k = 0; k < row; ++k) out_v[k] += w[k] * v;
                     });
    }
}

void add_vector(const NearParticle* particles, size_t count, const Float3* value, float support, const Float3& shift,
                float* weights, float* values) {
    const float inverse = 1.0f / support;
    for (size_t p = 0; p < count; ++p) {
        const Float3 v = value[particles[p].place];
        for_each_row(particles[p].x - shift.x, particles[p].y - shift.y, particles[p].z - shift.z, support,
                     [=](int first, float across, const float* along) {
                         float* out = weights + first;
                         float* out_v = values + first;
                         float w[row];
                         for (int k = 0; k < row; ++k) w[k] = spline(across + along[k], inverse);
                         for (int k = 0; k < row; ++k) out[k] += w[k];
                         for (int k = 0; k < row; ++k) out_v[k] += w[k] * v.x;
                         for (int k = 0; k < row; ++k) out_v[leaf_voxels + k] += w[k] * v.y;
                         for (int k = 0; k < row; ++k) out_v[2 * leaf_voxels + k] += w[k] * v.z;
                     });
    }
}

void add_scalar_wide(const NearParticle* particles, size_t count, const float* value, float reach, float scale,
                     const Float3& shift, float* weights, float* values) {
    const float inverse_squared = 1.0f / (reach * reach);
    for (size_t p = 0; p < count; ++p) {
        const float v = value[particles[p].place];
        for_each_row(particles[p].x - shift.x, particles[p].y - shift.y, particles[p].z - shift.z, reach,
                     [=](int first, float across, const float* along) {
                         float* out_w = weights + first;
                         float* out_v = values + first;
                         float w[row];
                         for (int k = 0; k < row; ++k) w[k] = scale * wide(across + along[k], inverse_squared);
                         for (int k = 0; k < row; ++k) out_w[k] += w[k];
                         for (int k = 0; k < row; ++k) out_v[k] += w[k] * v;
                     });
    }
}

void add_vector_wide(const NearParticle* particles, size_t count, const Float3* value, float reach, float scale,
                     const Float3& shift, float* weights, float* values) {
    const float inverse_squared = 1.0f / (reach * reach);
    for (size_t p = 0; p < count; ++p) {
        const Float3 v = value[particles[p].place];
        for_each_row(particles[p].x - shift.x, particles[p].y - shift.y, particles[p].z - shift.z, reach,
                     [=](int first, float across, const float* along) {
                         float* out = weights + first;
                         float* out_v = values + first;
                         float w[row];
                         for (int k = 0; k < row; ++k) w[k] = scale * wide(across + along[k], inverse_squared);
                         for (int k = 0; k < row; ++k) out[k] += w[k];
                         for (int k = 0; k < row; ++k) out_v[k] += w[k] * v.x;
                         for (int k = 0; k < row; ++k) out_v[leaf_voxels + k] += w[k] * v.y;
                         for (int k = 0; k < row; ++k) out_v[2 * leaf_voxels + k] += w[k] * v.z;
                     });
    }
}

void nearest(const NearParticle* particles, size_t count, float reach, float* squared) {
    for (size_t p = 0; p < count; ++p) {
        for_each_row(particles[p].x, particles[p].y, particles[p].z, reach,
                     [=](int first, float across, const float* along) {
                         float* out = squared + first;
                         for (int k = 0; k < row; ++k) {
                             const float r = across + along[k];
                             out[k] = r < out[k] ? r : out[k];
                         }
                     });
    }
}

}  // namespace

const LeafKernels kernels = {add, add_scalar, add_vector, add_scalar_wide, add_vector_wide, nearest};

}  // namespace firn::FIRN_ROWS
