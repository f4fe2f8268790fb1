#pragma once

// Eigenvalues and eigenvectors of symmetric 3x3 matrices by cyclic Jacobi rotations: no branch, no special case for
// equal or zero eigenvalues, relative accuracy of the largest eigenvalue's rounding.

#include "particles/vec.h"

namespace firn::FIRN_LANES {

struct Eigen {
    Real values[3];   ///< in no particular order
    Vec3 vectors[3];  ///< orthonormal, vectors[k] belongs to values[k]
};

/// One rotation that zeroes a_pq. `rp`, `rq` are the entries that couple p and q to the third axis.
FIRN_HD void rotate(Real& pp, Real& qq, Real& pq, Real& rp, Real& rq, Vec3& vp, Vec3& vq) {
    // t = tan(angle) is the smaller root of t^2 + 2 t theta - 1 = 0; written so that pq = 0 gives t = 0 and nothing
    // overflows.
    // Of entries of at most 1, what is smaller than this is nothing; a few sweeps on, it would be denormal and slow.
    pq = select(abs(pq) < 1e-12f, 0.0f, pq);
    const Real difference = qq - pp;
    const Real twice = pq + pq;
    const Real root = sqrt(difference * difference + twice * twice);
    const Real denominator = abs(difference) + root;
    const Real size = twice / max(denominator, 1e-37f);
    const Real t = select(difference < 0.0f, -size, size);
    const Real c = 1.0f / sqrt(t * t + 1.0f);
    const Real s = t * c;
    pp -= t * pq;
    qq += t * pq;
    pq = splat(0.0f);
    const Real rp_old = rp;
    rp = c * rp_old - s * rq;
    rq = s * rp_old + c * rq;
    const Vec3 vp_old = vp;
    vp = c * vp_old - s * vq;
    vq = s * vp_old + c * vq;
}

FIRN_HD Eigen eigen_decomposition(Sym a) {
    // Scaled to entries of at most 1, so that squares of tiny strains do not underflow.
    const Real largest = max(max(max(abs(a.xx), abs(a.yy)), max(abs(a.zz), abs(a.xy))), max(abs(a.xz), abs(a.yz)));
    const Real scale = max(largest, 1e-35f);
    a = (1.0f / scale) * a;
    const Real one = splat(1.0f), zero = splat(0.0f);
    Eigen e{{zero, zero, zero}, {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}}};
    // Jacobi converges quadratically: after four sweeps, mostly three, what is off the diagonal is below float's
    // rounding. A lane that is done turns no more, so that its bits don't depend on the others'.
    for (int sweep = 0; sweep < 4; ++sweep) {
        if (sweep > 1) {
            const Mask turns = max(max(abs(a.xy), abs(a.xz)), abs(a.yz)) > 1e-8f;
            if (!any(turns)) break;
            a.xy = select(turns, a.xy, zero);
            a.xz = select(turns, a.xz, zero);
            a.yz = select(turns, a.yz, zero);
        }
        rotate(a.xx, a.yy, a.xy, a.xz, a.yz, e.vectors[0], e.vectors[1]);
        rotate(a.xx, a.zz, a.xz, a.xy, a.yz, e.vectors[0], e.vectors[2]);
        rotate(a.yy, a.zz, a.yz, a.xy, a.xz, e.vectors[1], e.vectors[2]);
    }
    e.values[0] = scale * a.xx;
    e.values[1] = scale * a.yy;
    e.values[2] = scale * a.zz;
    return e;
}

/// sum_k values[k] v_k v_k^T
FIRN_HD Sym compose(const Real values[3], const Vec3 vectors[3]) {
    Sym r = identity_times(splat(0.0f));
    for (int k = 0; k < 3; ++k) {
        const Vec3& v = vectors[k];
        const Vec3 s = values[k] * v;
        r += Sym{s.x * v.x, s.x * v.y, s.x * v.z, s.y * v.y, s.y * v.z, s.z * v.z};
    }
    return r;
}

}  // namespace firn::FIRN_LANES
