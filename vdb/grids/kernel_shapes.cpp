#include "kernel_shapes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "samples/point_cells.h"
#include "samples/vec3.h"

namespace firn {

namespace {

constexpr double neighbour_reach = 2.0;  ///< spacings
/// Radius of a kernel that is a ball, spacings.
constexpr double ball_radius = 1.8;
/// How far a kernel's centre moves towards the middle of its neighbours. Yu and Turk take 0.9 and more, which makes
/// water smooth; snow is not, and keeps its edges.
constexpr double smoothing = 0.3;
/// Added to the spread of the neighbours, of its mean: keeps a kernel from getting too flat to close the gaps of
/// jittered snow.
constexpr double least_spread = 0.35;
/// Of a kernel's radii over those of a ball.
constexpr double longest = 1.5;
/// integral of (1 - r^2)^3 over the unit ball: 4 pi 16 / 315
constexpr double kernel_integral = 0.6382952;
constexpr double few = 4, enough = 12;  ///< neighbours: below, a kernel is a ball; above, it has its own shape

/// Symmetric: xx, xy, xz, yy, yz, zz.
using Form = std::array<double, 6>;

double determinant(const Form& a) {
    return a[0] * (a[3] * a[5] - a[4] * a[4]) - a[1] * (a[1] * a[5] - a[2] * a[4]) + a[2] * (a[1] * a[4] - a[2] * a[3]);
}

Form inverse(const Form& a) {
    const double s = 1 / determinant(a);
    return {s * (a[3] * a[5] - a[4] * a[4]), s * (a[2] * a[4] - a[1] * a[5]), s * (a[1] * a[4] - a[2] * a[3]),
            s * (a[0] * a[5] - a[2] * a[2]), s * (a[1] * a[2] - a[0] * a[4]), s * (a[0] * a[3] - a[1] * a[1])};
}

Form squared(const Form& a) {
    return {a[0] * a[0] + a[1] * a[1] + a[2] * a[2], a[0] * a[1] + a[1] * a[3] + a[2] * a[4],
            a[0] * a[2] + a[1] * a[4] + a[2] * a[5], a[1] * a[1] + a[3] * a[3] + a[4] * a[4],
            a[1] * a[2] + a[3] * a[4] + a[4] * a[5], a[2] * a[2] + a[4] * a[4] + a[5] * a[5]};
}

void add_diagonal(Form& a, double value) {
    a[0] += value;
    a[3] += value;
    a[5] += value;
}

/// From what the neighbours' places add up to.
KernelShape shape_of(double weights, const Vec3& sum, Form spread, double count) {
    KernelShape shape;
    const Vec3 mean = weights > 0 ? (1 / weights) * sum : Vec3{};
    const double own = std::clamp((count - few) / (enough - few), 0.0, 1.0);
    // Yu and Turk 2013, Eq. 9 and 10: the spread of the neighbours about their mean.
    for (double& s : spread) s /= std::max(weights, 1e-9);
    spread[0] -= mean.x * mean.x;
    spread[1] -= mean.x * mean.y;
    spread[2] -= mean.x * mean.z;
    spread[3] -= mean.y * mean.y;
    spread[4] -= mean.y * mean.z;
    spread[5] -= mean.z * mean.z;
    const double size = std::max((spread[0] + spread[3] + spread[5]) / 3, 1e-6);
    for (double& s : spread) s *= own / size;
    add_diagonal(spread, least_spread + 1 - own);
    // Radii in proportion to the spread along each axis (their Eq. 15), so that the form is its inverse squared; of the
    // volume of a ball, and none longer than that allows.
    const double volume = std::cbrt(determinant(spread));
    for (double& s : spread) s /= volume;
    // The largest of the spreads is at most the largest sum of a row.
    const double most = std::max({spread[0] + std::fabs(spread[1]) + std::fabs(spread[2]),
                                  spread[3] + std::fabs(spread[1]) + std::fabs(spread[4]),
                                  spread[5] + std::fabs(spread[2]) + std::fabs(spread[4])});
    if (most > longest) {
        const double back = (most - longest) / (most - 1);
        for (double& s : spread) s *= 1 - back;
        add_diagonal(spread, back);
    }
    for (double& s : spread) s *= ball_radius;
    const Form form = squared(inverse(spread));
    for (size_t k = 0; k < 6; ++k) shape.form[k] = static_cast<float>(form[k]);
    shape.weight = static_cast<float>(1 / (kernel_integral * determinant(spread)));
    shape.shift = narrow(smoothing * mean);
    const Form radii = squared(spread);  // along an axis the ellipsoid reaches the root of its inverse form
    shape.reach = {static_cast<float>(std::sqrt(radii[0])), static_cast<float>(std::sqrt(radii[3])),
                   static_cast<float>(std::sqrt(radii[5]))};
    return shape;
}

}  // namespace

std::vector<KernelShape> kernel_shapes(const std::vector<Float3>& position, float spacing, LeafLoop& loop) {
    std::vector<uint32_t> all(position.size());
    std::iota(all.begin(), all.end(), 0u);
    Cells cells;
    loop.within([&] { cells = Cells(position, all, neighbour_reach * double(spacing), "particles"); });
    std::vector<KernelShape> shapes(position.size());
    const double scale = 1 / double(spacing);
    loop.ranges(position.size(), [&](size_t first, size_t last) {
        for (size_t i = first; i < last; ++i) {
            double weights = 0, count = 0;
            Vec3 sum;
            Form spread{};
            cells.around(position[i], [&](const uint32_t* begin, const uint32_t* end) {
                for (; begin != end; ++begin) {
                    const Vec3 d = scale * (wide(position[*begin]) - wide(position[i]));
                    const double r2 = dot(d, d) / (neighbour_reach * neighbour_reach);
                    if (r2 >= 1) continue;
                    const double w = 1 - r2 * std::sqrt(r2);  // their Eq. 11
                    weights += w;
                    ++count;
                    sum = sum + w * d;
                    const double x = w * d.x, y = w * d.y;
                    spread[0] += x * d.x;
                    spread[1] += x * d.y;
                    spread[2] += x * d.z;
                    spread[3] += y * d.y;
                    spread[4] += y * d.z;
                    spread[5] += w * d.z * d.z;
                }
            });
            shapes[i] = shape_of(weights, sum, spread, count - 1);
        }
    });
    return shapes;
}

void add_kernels(const NearParticle* near, size_t count, const KernelShape* shapes, float voxels, float* sum) {
    for (size_t k = 0; k < count; ++k) {
        const KernelShape& shape = shapes[near[k].place];
        const float x0 = near[k].x + voxels * shape.shift.x, y0 = near[k].y + voxels * shape.shift.y,
                    z0 = near[k].z + voxels * shape.shift.z;
        const auto low = [](float middle, float reach) {
            return std::max(0, static_cast<int>(std::ceil(middle - reach)));
        };
        const auto high = [](float middle, float reach) {
            return std::min(leaf_edge - 1, static_cast<int>(std::floor(middle + reach)));
        };
        const int first_x = low(x0, voxels * shape.reach.x), last_x = high(x0, voxels * shape.reach.x);
        const int first_y = low(y0, voxels * shape.reach.y), last_y = high(y0, voxels * shape.reach.y);
        if (z0 + voxels * shape.reach.z < 0 || z0 - voxels * shape.reach.z > leaf_edge - 1) continue;
        const float s = 1 / (voxels * voxels);
        const float xx = s * shape.form[0], xy = 2 * s * shape.form[1], xz = 2 * s * shape.form[2];
        const float yy = s * shape.form[3], yz = 2 * s * shape.form[4], zz = s * shape.form[5];
        for (int x = first_x; x <= last_x; ++x) {
            const float dx = static_cast<float>(x) - x0;
            for (int y = first_y; y <= last_y; ++y) {
                const float dy = static_cast<float>(y) - y0;
                const float a = 1 - dx * (xx * dx + xy * dy) - yy * dy * dy, b = xz * dx + yz * dy;
                float* row = sum + x * 64 + y * 8;
                for (int z = 0; z < leaf_edge; ++z) {
                    const float dz = static_cast<float>(z) - z0;
                    const float t = std::max(a - dz * (b + zz * dz), 0.0f);
                    row[z] += shape.weight * (t * t * t);
                }
            }
        }
    }
}

}  // namespace firn
