#pragma once

namespace firn {

/// Three floats: a position (m), a velocity (m/s), an acceleration (m/s^2).
struct Float3 {
    float x = 0, y = 0, z = 0;
};

/// Four floats, aligned so that one particle's record is one 16-byte load.
struct alignas(16) Float4 {
    float x = 0, y = 0, z = 0, w = 0;
};

/// A symmetric 3x3 matrix: the upper triangle, row by row.
struct Sym3 {
    float xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
};

/// A rigid placement x -> rotation * x + translation. The rotation is row-major and orthonormal.
struct Transform {
    double rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double translation[3] = {0, 0, 0};
};

}  // namespace firn
