#include "firn/rigid_transform.h"

#include <algorithm>
#include <cmath>

#include "firn/error.h"

namespace firn {

namespace {

void multiply(const double a[9], const double b[9], double out[9]) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[3 * i + j] = 0;
            for (int k = 0; k < 3; ++k) out[3 * i + j] += a[3 * i + k] * b[3 * k + j];
        }
    }
}

void compose(const double outer[9], const double outer_translation[3], const Transform& inner, double linear[9],
             double translation[3]) {
    multiply(outer, inner.rotation, linear);
    for (int i = 0; i < 3; ++i) {
        translation[i] = outer_translation[i];
        for (int j = 0; j < 3; ++j) translation[i] += outer[3 * i + j] * inner.translation[j];
    }
}

/// The turning part of a linear map, by Higham's iteration R <- (R + R^-T) / 2. A mirroring one keeps its mirror.
void polar_rotation(const double m[9], double r[9]) {
    std::copy(m, m + 9, r);
    for (int pass = 0; pass < 64; ++pass) {
        const double d = determinant(r);
        if (!(std::abs(d) > 1e-30)) throw Error("its transform has no volume: a scale is zero");
        const double cofactor[9] = {r[4] * r[8] - r[5] * r[7], r[5] * r[6] - r[3] * r[8], r[3] * r[7] - r[4] * r[6],
                                    r[2] * r[7] - r[1] * r[8], r[0] * r[8] - r[2] * r[6], r[1] * r[6] - r[0] * r[7],
                                    r[1] * r[5] - r[2] * r[4], r[2] * r[3] - r[0] * r[5], r[0] * r[4] - r[1] * r[3]};
        double change = 0;
        for (int k = 0; k < 9; ++k) {
            const double next = 0.5 * (r[k] + cofactor[k] / d);
            change = std::max(change, std::abs(next - r[k]));
            r[k] = next;
        }
        if (change < 1e-14) break;
    }
    if (determinant(r) < 0)
        for (int k = 0; k < 9; ++k) r[k] = -r[k];
}

}  // namespace

void apply_transform(const Transform& t, const double p[3], double out[3]) {
    for (int row = 0; row < 3; ++row) {
        out[row] = t.rotation[3 * row] * p[0] + t.rotation[3 * row + 1] * p[1] + t.rotation[3 * row + 2] * p[2] +
                   t.translation[row];
    }
}

Affine affine(const Transform& t) {
    Affine a;
    std::copy(t.rotation, t.rotation + 9, a.linear);
    std::copy(t.translation, t.translation + 3, a.translation);
    return a;
}

Transform composed(const Transform& outer, const Transform& inner) {
    Transform t;
    compose(outer.rotation, outer.translation, inner, t.rotation, t.translation);
    return t;
}

Affine composed(const Affine& outer, const Transform& inner) {
    Affine a;
    compose(outer.linear, outer.translation, inner, a.linear, a.translation);
    return a;
}

Transform motion_between(const Transform& from, const Transform& to) {
    // The inverse of a rotation is its transpose.
    const double* r = from.rotation;
    const double inverse[9] = {r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]};
    Transform t;
    multiply(to.rotation, inverse, t.rotation);
    for (int row = 0; row < 3; ++row) {
        t.translation[row] = to.translation[row];
        for (int k = 0; k < 3; ++k) t.translation[row] -= t.rotation[3 * row + k] * from.translation[k];
    }
    return t;
}

bool operator==(const Transform& a, const Transform& b) {
    return std::equal(a.rotation, a.rotation + 9, b.rotation) &&
           std::equal(a.translation, a.translation + 3, b.translation);
}

bool operator==(const Affine& a, const Affine& b) {
    return std::equal(a.linear, a.linear + 9, b.linear) && std::equal(a.translation, a.translation + 3, b.translation);
}

double determinant(const double m[9]) {
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

double rotation_error(const double m[9]) {
    double worst = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double dot = 0;
            for (int k = 0; k < 3; ++k) dot += m[3 * i + k] * m[3 * j + k];
            const double error = std::abs(dot - (i == j ? 1 : 0));
            if (!(error <= worst)) worst = error;
            if (std::isnan(worst)) return worst;
        }
    }
    return worst;
}

bool is_rotation(const double m[9]) {
    return rotation_error(m) <= 1e-6 && determinant(m) > 0;
}

Unstretched unstretched(const Affine& placement) {
    Unstretched out;
    out.rigid = is_rotation(placement.linear);
    out.mirrors = determinant(placement.linear) < 0;
    std::copy(placement.translation, placement.translation + 3, out.placement.translation);
    double* r = out.placement.rotation;
    if (out.rigid) {
        std::copy(placement.linear, placement.linear + 9, r);
        const Transform identity;
        std::copy(identity.rotation, identity.rotation + 9, out.stretch);
        return out;
    }
    polar_rotation(placement.linear, r);
    const double inverse[9] = {r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]};
    multiply(inverse, placement.linear, out.stretch);
    return out;
}

Transform turned_and_moved(const Float3& degrees, const Float3& translation) {
    constexpr double radians = 3.14159265358979323846 / 180;
    const double sx = std::sin(degrees.x * radians), cx = std::cos(degrees.x * radians);
    const double sy = std::sin(degrees.y * radians), cy = std::cos(degrees.y * radians);
    const double sz = std::sin(degrees.z * radians), cz = std::cos(degrees.z * radians);
    // Rz Ry Rx.
    return {{cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx,  //
             sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx,  //
             -sy, cy * sx, cy * cx},
            {translation.x, translation.y, translation.z}};
}

Quaternion quaternion(const double r[9]) {
    // The largest of the four is computed by a root, the others from it: no division by something small.
    const double t[4] = {1 + r[0] + r[4] + r[8], 1 + r[0] - r[4] - r[8], 1 - r[0] + r[4] - r[8],
                         1 - r[0] - r[4] + r[8]};
    const int k = static_cast<int>(std::max_element(t, t + 4) - t);
    const double s = 0.5 * std::sqrt(t[k]), f = 0.25 / s;
    switch (k) {
        case 0:
            return {s, f * (r[7] - r[5]), f * (r[2] - r[6]), f * (r[3] - r[1])};
        case 1:
            return {f * (r[7] - r[5]), s, f * (r[1] + r[3]), f * (r[2] + r[6])};
        case 2:
            return {f * (r[2] - r[6]), f * (r[1] + r[3]), s, f * (r[5] + r[7])};
        default:
            return {f * (r[3] - r[1]), f * (r[2] + r[6]), f * (r[5] + r[7]), s};
    }
}

void rotation_matrix(const Quaternion& q, double out[9]) {
    const double m[9] = {
        1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z),     2 * (q.x * q.z + q.w * q.y),
        2 * (q.x * q.y + q.w * q.z),     1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x),
        2 * (q.x * q.z - q.w * q.y),     2 * (q.y * q.z + q.w * q.x),     1 - 2 * (q.x * q.x + q.y * q.y)};
    std::copy(m, m + 9, out);
}

Quaternion slerp(const Quaternion& a, Quaternion b, double share) {
    double cosine = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    if (cosine < 0) {
        cosine = -cosine;
        b = {-b.w, -b.x, -b.y, -b.z};
    }
    double from = 1 - share, to = share;
    if (cosine < 1 - 1e-9) {
        const double angle = std::acos(cosine), inverse = 1 / std::sin(angle);
        from = std::sin((1 - share) * angle) * inverse;
        to = std::sin(share * angle) * inverse;
    }
    Quaternion q = {from * a.w + to * b.w, from * a.x + to * b.x, from * a.y + to * b.y, from * a.z + to * b.z};
    const double length = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return {q.w / length, q.x / length, q.y / length, q.z / length};
}

Transform interpolate(const Transform& from, const Transform& to, const double pivot[3], double share) {
    if (share <= 0) return from;
    if (share >= 1) return to;
    Transform t;
    rotation_matrix(slerp(quaternion(from.rotation), quaternion(to.rotation), share), t.rotation);
    double a[3], b[3], turned[3];
    apply_transform(from, pivot, a);
    apply_transform(to, pivot, b);
    apply_transform(t, pivot, turned);
    for (int row = 0; row < 3; ++row) t.translation[row] = a[row] + share * (b[row] - a[row]) - turned[row];
    return t;
}

}  // namespace firn
