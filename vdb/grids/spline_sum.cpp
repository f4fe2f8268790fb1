#include "spline_sum.h"

#include <algorithm>
#include <cmath>

namespace firn {

SplineSum::SplineSum(float support) : integral_(3.14159265358979323846 / 8 * std::pow(double(support), 3)) {
    // Finer where the sum varies more. Past 16 voxels it is the integral to 1e-6.
    steps_ = support > 16 ? 0 : support > 6 ? 4 : support > 3 ? 8 : 16;
    if (steps_ == 0) return;
    const int nodes = steps_ + 1;
    const double inverse = 1.0 / support;
    table_.resize(static_cast<size_t>(nodes) * nodes * nodes);
    const auto place = [&](int i, int j, int k) { return static_cast<size_t>((i * nodes + j) * nodes + k); };
    const int radius = static_cast<int>(std::ceil(support)) + 1;
    for (int i = 0; i < nodes; ++i) {
        for (int j = 0; j <= i; ++j) {
            for (int k = 0; k <= j; ++k) {
                const double x = 0.5 * i / steps_, y = 0.5 * j / steps_, z = 0.5 * k / steps_;
                double sum = 0;
                for (int a = -radius; a <= radius; ++a) {
                    for (int b = -radius; b <= radius; ++b) {
                        const double across = (a - x) * (a - x) + (b - y) * (b - y);
                        if (across >= double(support) * support) continue;
                        for (int c = -radius; c <= radius; ++c) {
                            const double q = std::min(1.0, std::sqrt(across + (c - z) * (c - z)) * inverse);
                            const double outer = 1 - q, inner = std::max(0.5 - q, 0.0);
                            sum += 2 * outer * outer * outer - 8 * inner * inner * inner;
                        }
                    }
                }
                table_[place(i, j, k)] = table_[place(i, k, j)] = table_[place(j, i, k)] = table_[place(j, k, i)] =
                    table_[place(k, i, j)] = table_[place(k, j, i)] = sum;
            }
        }
    }
}

double SplineSum::at(const Float3& local) const {
    if (steps_ == 0) return integral_;
    const float p[3] = {local.x, local.y, local.z};
    int cell[3];
    double f[3];
    for (int axis = 0; axis < 3; ++axis) {
        // 0 .. 1/2; truncation is floor, positions in a leaf are not negative.
        const float from_centre = std::abs(p[axis] - static_cast<float>(static_cast<int>(p[axis] + 0.5f)));
        const double scaled = 2.0 * steps_ * from_centre;
        cell[axis] = std::min(static_cast<int>(scaled), steps_ - 1);
        f[axis] = scaled - cell[axis];
    }
    const int nodes = steps_ + 1;
    const double* t = table_.data() + (cell[0] * nodes + cell[1]) * nodes + cell[2];
    const auto along_z = [&](int i, int j) {
        const double* line = t + (i * nodes + j) * nodes;
        return line[0] + f[2] * (line[1] - line[0]);
    };
    const double near = along_z(0, 0) + f[1] * (along_z(0, 1) - along_z(0, 0));
    const double far = along_z(1, 0) + f[1] * (along_z(1, 1) - along_z(1, 0));
    return near + f[0] * (far - near);
}

}  // namespace firn
