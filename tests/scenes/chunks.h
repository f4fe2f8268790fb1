#pragma once

// Between two frames: how much of the snow moves as rigid pieces, how much not at all. Neighbours are those of the
// first frame, and found without the engine.

#include "scenes/measure.h"

namespace scenes {

/// The share of the particles that move less than `distance` (m).
inline double still_share(const std::vector<Float3>& before, const std::vector<Float3>& after, double distance) {
    size_t still = 0;
    for (size_t i = 0; i < before.size(); ++i) still += length(wide(after[i]) - wide(before[i])) < distance;
    return static_cast<double>(still) / static_cast<double>(before.size());
}

/// Symmetric part of 3x3 numbers in rows.
using Rows = std::array<Double3, 3>;

inline double determinant(const Rows& m) {
    return dot(m[0], cross(m[1], m[2]));
}

/// How much a particle's neighbours stretch between two places, by the best linear fit: the norm of Green's strain.
/// Negative where there are too few to tell.
inline double strain_around(const std::vector<Double3>& before, const std::vector<Double3>& after) {
    if (before.size() < 4) return -1;
    Rows square{}, product{};
    double size = 0;
    for (size_t k = 0; k < before.size(); ++k) {
        const Double3 &a = before[k], &b = after[k];
        const double parts[3] = {a.x, a.y, a.z}, moved[3] = {b.x, b.y, b.z};
        size += dot(a, a) / 3;
        for (size_t r = 0; r < 3; ++r) {
            square[r] = square[r] + parts[r] * a;
            product[r] = product[r] + moved[r] * a;
        }
    }
    const double d = determinant(square);
    if (d < 1e-3 * size * size * size) return -1;
    // Columns of the inverse; symmetric, so its rows.
    const Rows inverse = {(1 / d) * cross(square[1], square[2]), (1 / d) * cross(square[2], square[0]),
                          (1 / d) * cross(square[0], square[1])};
    Rows columns{};  // of the gradient
    for (size_t c = 0; c < 3; ++c)
        columns[c] = {dot(product[0], inverse[c]), dot(product[1], inverse[c]), dot(product[2], inverse[c])};
    double sum = 0;
    for (size_t a = 0; a < 3; ++a) {
        for (size_t b = 0; b < 3; ++b) {
            const double e = 0.5 * (dot(columns[a], columns[b]) - (a == b ? 1 : 0));
            sum += e * e;
        }
    }
    return std::sqrt(sum);
}

/// The share of the particles around which the snow strains by less than `strain`. Lone ones don't count.
inline double rigid_share(const std::vector<Float3>& before, const std::vector<Float3>& after, double spacing,
                          double strain) {
    const NearPoints near(before, 1.5 * spacing);
    size_t rigid = 0, told = 0;
    std::vector<Double3> a, b;
    for (size_t i = 0; i < before.size(); ++i) {
        a.clear();
        b.clear();
        near.each(i, [&](size_t j) {
            a.push_back(wide(before[j]) - wide(before[i]));
            b.push_back(wide(after[j]) - wide(after[i]));
        });
        const double e = strain_around(a, b);
        told += e >= 0;
        rigid += e >= 0 && e < strain;
    }
    return static_cast<double>(rigid) / static_cast<double>(std::max<size_t>(told, 1));
}

}  // namespace scenes
