#include "grains/local_motion.h"

#include <algorithm>
#include <cmath>

namespace firn {

namespace {

/// As far as a chunk's grains follow a stretch or a shear: more is flow, which mixes grains instead of drawing them
/// out.
constexpr double most_stretch = 0.5;

double smooth_step(double low, double high, double x) {
    const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

/// Particles that were born close together may part to a usual distance.
double stretch_between(const Vec3& rest, const Vec3& now) {
    return length(now) / std::max(length(rest), 0.8);
}

Matrix3 product(const Matrix3& a, const Matrix3& b) {
    Matrix3 c{};
    for (size_t row = 0; row < 3; ++row)
        for (size_t column = 0; column < 3; ++column)
            for (size_t k = 0; k < 3; ++k) c[3 * row + column] += a[3 * row + k] * b[3 * k + column];
    return c;
}

Matrix3 transposed(const Matrix3& a) {
    return {a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]};
}

void add_outer(Matrix3& sum, double weight, const Vec3& a, const Vec3& b) {
    const double left[3] = {weight * a.x, weight * a.y, weight * a.z}, right[3] = {b.x, b.y, b.z};
    for (size_t row = 0; row < 3; ++row)
        for (size_t column = 0; column < 3; ++column) sum[3 * row + column] += left[row] * right[column];
}

void add_diagonal(Matrix3& sum, double value) {
    for (size_t k = 0; k < 9; k += 4) sum[k] += value;
}

/// The eigenvector of the largest eigenvalue of a symmetric 4x4 matrix, by Jacobi's rotations.
std::array<double, 4> largest_eigenvector(std::array<std::array<double, 4>, 4> m) {
    std::array<std::array<double, 4>, 4> v{};
    for (size_t k = 0; k < 4; ++k) v[k][k] = 1;
    for (int sweep = 0; sweep < 24; ++sweep) {
        double off = 0, size = 0;
        for (size_t p = 0; p < 4; ++p)
            for (size_t q = 0; q < 4; ++q) (p == q ? size : off) += m[p][q] * m[p][q];
        if (off <= 1e-26 * size) break;
        for (size_t p = 0; p < 3; ++p)
            for (size_t q = p + 1; q < 4; ++q) {
                if (m[p][q] == 0) continue;
                const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
                const double t = (theta < 0 ? -1 : 1) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                for (size_t k = 0; k < 4; ++k) {
                    const double a = m[k][p], b = m[k][q];
                    m[k][p] = c * a - s * b;
                    m[k][q] = s * a + c * b;
                }
                for (size_t k = 0; k < 4; ++k) {
                    const double a = m[p][k], b = m[q][k];
                    m[p][k] = c * a - s * b;
                    m[q][k] = s * a + c * b;
                }
                for (size_t k = 0; k < 4; ++k) {
                    const double a = v[k][p], b = v[k][q];
                    v[k][p] = c * a - s * b;
                    v[k][q] = s * a + c * b;
                }
            }
    }
    size_t best = 0;
    for (size_t k = 1; k < 4; ++k)
        if (m[k][k] > m[best][best]) best = k;
    return {v[0][best], v[1][best], v[2][best], v[3][best]};
}

}  // namespace

Vec3 operator*(const Matrix3& m, const Vec3& v) {
    return {m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
            m[6] * v.x + m[7] * v.y + m[8] * v.z};
}

Matrix3 inverse_of(const Matrix3& a) {
    const double c0 = a[4] * a[8] - a[5] * a[7], c1 = a[5] * a[6] - a[3] * a[8], c2 = a[3] * a[7] - a[4] * a[6];
    const double scale = 1 / (a[0] * c0 + a[1] * c1 + a[2] * c2);
    return {scale * c0, scale * (a[2] * a[7] - a[1] * a[8]), scale * (a[1] * a[5] - a[2] * a[4]),
            scale * c1, scale * (a[0] * a[8] - a[2] * a[6]), scale * (a[2] * a[3] - a[0] * a[5]),
            scale * c2, scale * (a[1] * a[6] - a[0] * a[7]), scale * (a[0] * a[4] - a[1] * a[3])};
}

Matrix3 nearest_rotation(const Matrix3& a) {
    // Horn 1987, "Closed-form solution of absolute orientation using unit quaternions", section 4.A; there S is the
    // transpose of `a`.
    const double xx = a[0], yx = a[1], zx = a[2], xy = a[3], yy = a[4], zy = a[5], xz = a[6], yz = a[7], zz = a[8];
    const auto q = largest_eigenvector({{{xx + yy + zz, yz - zy, zx - xz, xy - yx},
                                         {yz - zy, xx - yy - zz, xy + yx, zx + xz},
                                         {zx - xz, xy + yx, -xx + yy - zz, yz + zy},
                                         {xy - yx, zx + xz, yz + zy, -xx - yy + zz}}});
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    return {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
            2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
}

double kept_share(const Vec3& rest, const Vec3& now) {
    return 1 - smooth_step(1.25, 2.0, stretch_between(rest, now));
}

double gap_between(const Vec3& rest, const Vec3& now) {
    return smooth_step(1.33, 5.0, stretch_between(rest, now));
}

LocalMotion local_motion(const std::vector<RestNeighbour>& neighbours) {
    LocalMotion motion;
    double all = 0, kept = 0, gaps = 0;
    Matrix3 across{}, rest{}, now{}, speed{};
    for (const RestNeighbour& n : neighbours) {
        const double weight = n.near * n.kept;
        all += n.near;
        kept += weight;
        gaps += n.near * gap_between(n.rest, n.now);
        add_outer(across, weight, n.now, n.rest);
        add_outer(rest, weight, n.rest, n.rest);
        add_outer(now, weight, n.now, n.now);
        add_outer(speed, weight, n.velocity, n.now);
    }
    if (!(all > 0)) return motion;
    motion.loose = gaps / all;

    // Who loses the last neighbours turns back to how it was born while they go: nothing jumps.
    Matrix3 held = across;
    add_diagonal(held, 0.02 * all * (1 - smooth_step(0, 0.25, kept / all)));
    const Matrix3 turn = nearest_rotation(held);
    // Directions in which there is no neighbour turn with the rest, and keep their length.
    const double floor = 0.01 * all;
    Matrix3 map = across;
    for (size_t k = 0; k < 9; ++k) map[k] += floor * turn[k];
    add_diagonal(rest, floor);
    map = product(map, inverse_of(rest));

    // turn * (1 + stretch), the stretch symmetric and not too large.
    const Matrix3 stretched = product(transposed(turn), map);
    Matrix3 stretch;
    double size = 0;
    for (size_t row = 0; row < 3; ++row)
        for (size_t column = 0; column < 3; ++column) {
            const double mean = 0.5 * (stretched[3 * row + column] + stretched[3 * column + row]);
            stretch[3 * row + column] = mean - (row == column ? 1 : 0);
            size += stretch[3 * row + column] * stretch[3 * row + column];
        }
    const double limit = std::min(1.0, most_stretch / std::sqrt(std::max(size, 1e-30)));
    for (double& s : stretch) s *= limit;
    add_diagonal(stretch, 1);
    motion.map = product(turn, stretch);

    // Those that tear away say nothing about how the grains move that stay; and what the map does not follow, the
    // velocity does not either.
    add_diagonal(now, floor * 1e-2);
    const Matrix3 gradient = product(speed, inverse_of(now));
    const double held_share = smooth_step(0.25, 0.9, kept / all);
    for (size_t row = 0; row < 3; ++row)
        for (size_t column = 0; column < 3; ++column) {
            const double here = gradient[3 * row + column], there = gradient[3 * column + row];
            motion.gradient[3 * row + column] = held_share * (0.5 * (here - there) + limit * 0.5 * (here + there));
        }
    return motion;
}

}  // namespace firn
