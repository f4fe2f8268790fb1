#pragma once

// How the snow around a particle has moved since it was born: the affine map from its neighbours' places at birth to
// their places now, as far as they are still neighbours.

#include <array>
#include <vector>

#include "samples/vec3.h"

namespace firn {

/// Row by row.
using Matrix3 = std::array<double, 9>;

Vec3 operator*(const Matrix3&, const Vec3&);

/// A particle that was a neighbour at birth. Lengths are in spacings.
struct RestNeighbour {
    Vec3 rest;      ///< from the particle to it at birth
    Vec3 now;       ///< and now
    Vec3 velocity;  ///< relative, spacings/s
    double near;    ///< its weight by the distance at birth
    double kept;    ///< 1 = still a neighbour, 0 = torn away; smooth in between
};

/// 1 up to a stretch by a quarter, 0 from twice the distance on.
double kept_share(const Vec3& rest, const Vec3& now);
/// How far a crack has opened between two that were neighbours: 0 up to a stretch by a third, 1 from five times the
/// distance on. It rises more slowly than kept_share() falls, so that grains come loose over several frames.
double gap_between(const Vec3& rest, const Vec3& now);

struct LocalMotion {
    Matrix3 map{1, 0, 0, 0, 1,
                0, 0, 0, 1};  ///< of offsets at birth to offsets now: a turn, and a stretch within limits
    Matrix3 gradient{};       ///< of the velocity, 1/s
    double loose = 0;         ///< 0..1: the mean of the gaps to the neighbours
};
LocalMotion local_motion(const std::vector<RestNeighbour>&);

/// Of a matrix with a determinant above 0.
Matrix3 inverse_of(const Matrix3&);

/// The rotation that fits best to a matrix, in the sense of least squares: also where that has no inverse (Horn 1987).
Matrix3 nearest_rotation(const Matrix3&);

}  // namespace firn
