#pragma once

// Placements: rigid ones (Transform), and those that may also scale and shear (Affine). Matrices are row-major and act
// on columns; everything is computed in double, and rounded once where the result is a float.

#include "firn/vector.h"

namespace firn {

/// x -> linear * x + translation: a placement that may also scale, shear and mirror.
struct Affine {
    double linear[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double translation[3] = {0, 0, 0};
};

/// A 3x3 matrix times a vector.
inline Float3 multiplied(const double m[9], const Float3& p) {
    return {static_cast<float>(m[0] * p.x + m[1] * p.y + m[2] * p.z),
            static_cast<float>(m[3] * p.x + m[4] * p.y + m[5] * p.z),
            static_cast<float>(m[6] * p.x + m[7] * p.y + m[8] * p.z)};
}

/// The rotation alone.
inline Float3 turned(const Transform& t, const Float3& p) {
    return multiplied(t.rotation, p);
}

/// m * p + t.
inline Float3 moved(const double m[9], const double t[3], const Float3& p) {
    return {static_cast<float>(m[0] * p.x + m[1] * p.y + m[2] * p.z + t[0]),
            static_cast<float>(m[3] * p.x + m[4] * p.y + m[5] * p.z + t[1]),
            static_cast<float>(m[6] * p.x + m[7] * p.y + m[8] * p.z + t[2])};
}

inline Float3 apply_transform(const Transform& t, const Float3& p) {
    return moved(t.rotation, t.translation, p);
}
inline Float3 apply_transform(const Affine& a, const Float3& p) {
    return moved(a.linear, a.translation, p);
}
/// In double.
void apply_transform(const Transform&, const double p[3], double out[3]);

Affine affine(const Transform&);

/// First `inner`, then `outer`.
Transform composed(const Transform& outer, const Transform& inner);
Affine composed(const Affine& outer, const Transform& inner);

/// What carries a body from one placement to the other: to * from^-1.
Transform motion_between(const Transform& from, const Transform& to);

/// The same numbers.
bool operator==(const Transform&, const Transform&);
bool operator==(const Affine&, const Affine&);

double determinant(const double m[9]);

/// The largest entry of |M M^T - 1|: 0 for a rotation or a mirror; not a number where an entry is none.
double rotation_error(const double m[9]);

/// A rotation to one part in a million, and no mirror.
bool is_rotation(const double m[9]);

/// An affine placement as a stretch, then a rigid placement.
struct Unstretched {
    Transform placement;
    double stretch[9];  ///< symmetric; its negative where the placement mirrors
    bool rigid;         ///< the placement only turns and moves: it is taken as it is, and the stretch is 1
    bool mirrors;
};
/// Polar decomposition (Higham 1986). Throws Error for a placement without volume.
Unstretched unstretched(const Affine&);

/// Turns about x first, then y, then z (degrees), as Houdini's default order; then moves (m).
Transform turned_and_moved(const Float3& degrees, const Float3& translation);

struct Quaternion {
    double w, x, y, z;
};
Quaternion quaternion(const double rotation[9]);
/// Of a unit quaternion.
void rotation_matrix(const Quaternion&, double out[9]);
/// Turns at an even rate the short way, `share` 0..1.
Quaternion slerp(const Quaternion& from, Quaternion to, double share);

/// A placement between two, `share` 0..1: the pivot moves straight, the rotation turns at an even rate the short way.
Transform interpolate(const Transform& from, const Transform& to, const double pivot[3], double share);

}  // namespace firn
