#pragma once

#include <vector>

#include "firn/vector.h"

namespace firn {

/// The cubic spline (leaf_kernels.h) added up over all voxels, for a particle anywhere between them. Near the integral,
/// pi/8 support^3, but not the same: at two voxels' support it varies by a few per cent, and mass with it. Tabulated
/// over an eighth of a voxel, which symmetry allows, and interpolated.
class SplineSum {
public:
    /// `support` in voxels, at least 2.
    explicit SplineSum(float support);

    /// `local`: the particle's place, voxels; whole numbers are voxel centres.
    double at(const Float3& local) const;

private:
    int steps_ = 0;  ///< table cells between a voxel's centre and its face; 0 = the integral is near enough
    double integral_;
    std::vector<double> table_;
};

}  // namespace firn
