// The best rigid motion between two sets of points: Horn 1987, by quaternions.

#include <cmath>

#include "firn/rigid_transform.h"
#include "firn/samples.h"
#include "samples/vec3.h"

namespace firn {

namespace {

/// The eigenvector of the largest eigenvalue of a symmetric 4x4 matrix, by Jacobi's rotations.
void largest_eigenvector(double m[4][4], double out[4]) {
    double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int sweep = 0; sweep < 32; ++sweep) {
        for (int p = 0; p < 3; ++p) {
            for (int q = p + 1; q < 4; ++q) {
                if (m[p][q] == 0) continue;
                const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
                const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 4; ++k) {
                    const double kp = m[k][p], kq = m[k][q];
                    m[k][p] = c * kp - s * kq;
                    m[k][q] = s * kp + c * kq;
                }
                for (int k = 0; k < 4; ++k) {
                    const double pk = m[p][k], qk = m[q][k];
                    m[p][k] = c * pk - s * qk;
                    m[q][k] = s * pk + c * qk;
                }
                for (int k = 0; k < 4; ++k) {
                    const double kp = v[k][p], kq = v[k][q];
                    v[k][p] = c * kp - s * kq;
                    v[k][q] = s * kp + c * kq;
                }
            }
        }
    }
    int best = 0;
    for (int i = 1; i < 4; ++i) {
        if (m[i][i] > m[best][best]) best = i;
    }
    for (int k = 0; k < 4; ++k) out[k] = v[k][best];
}

}  // namespace

std::optional<Transform> rigid_motion(const std::vector<Float3>& from, const std::vector<Float3>& to, float tolerance) {
    if (from.size() != to.size() || from.empty()) return {};
    const double n = static_cast<double>(from.size());
    Vec3 a, b;
    for (size_t i = 0; i < from.size(); ++i) {
        a = a + wide(from[i]);
        b = b + wide(to[i]);
    }
    a = (1 / n) * a;
    b = (1 / n) * b;
    double s[3][3] = {};
    for (size_t i = 0; i < from.size(); ++i) {
        const Vec3 p = wide(from[i]) - a, q = wide(to[i]) - b;
        const double pc[3] = {p.x, p.y, p.z}, qc[3] = {q.x, q.y, q.z};
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column) s[row][column] += pc[row] * qc[column];
        }
    }
    double m[4][4] = {{s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
                      {s[1][2] - s[2][1], s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
                      {s[2][0] - s[0][2], s[0][1] + s[1][0], s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]},
                      {s[0][1] - s[1][0], s[2][0] + s[0][2], s[1][2] + s[2][1], s[2][2] - s[0][0] - s[1][1]}};
    double q[4];
    largest_eigenvector(m, q);
    Transform motion;
    rotation_matrix({q[0], q[1], q[2], q[3]}, motion.rotation);
    const auto placed = [&](const Vec3& p) {
        const double local[3] = {p.x, p.y, p.z};
        double world[3];
        apply_transform(motion, local, world);
        return Vec3{world[0], world[1], world[2]};
    };
    const Vec3 translation = b - placed(a);
    motion.translation[0] = translation.x;
    motion.translation[1] = translation.y;
    motion.translation[2] = translation.z;
    for (size_t i = 0; i < from.size(); ++i) {
        const double off = length(placed(wide(from[i])) - wide(to[i]));
        if (!(off <= static_cast<double>(tolerance))) return {};  // also when it is not a number
    }
    return motion;
}

}  // namespace firn
