#pragma once

#include <cmath>
#include <utility>

#include "matrix3.h"

namespace reference {

/// A = Q diag(value) Q^T, the values ascending, the columns of Q orthonormal.
struct SymmetricEigen {
    Vec3 value;
    Mat3 Q;
};

/// Cyclic Jacobi rotations until nothing is left beside the diagonal: slow, and accurate to rounding of |A| for every
/// symmetric matrix, repeated and zero eigenvalues included (Golub & Van Loan, 8.5). Only the symmetric part of A is
/// used.
inline SymmetricEigen symmetric_eigen(const Mat3& A) {
    Mat3 D = 0.5 * (A + transpose(A));
    Mat3 Q = identity();

    const double negligible = 1e-18 * norm(D);
    for (int sweep = 0; sweep < 64; ++sweep) {
        if (std::abs(D(0, 1)) + std::abs(D(0, 2)) + std::abs(D(1, 2)) <= negligible) break;
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                if (D(p, q) == 0) continue;
                // The smaller of the two angles that make D(p, q) zero.
                const double tau = (D(q, q) - D(p, p)) / (2 * D(p, q));
                const double t = std::copysign(1.0, tau) / (std::abs(tau) + std::hypot(1.0, tau));
                const double c = 1 / std::hypot(1.0, t), s = t * c;
                // J^T D J written out, so that rounding makes no new entry where the rotation leaves none.
                const int r = 3 - p - q;
                const double D_rp = D(r, p), D_rq = D(r, q);
                D(p, p) -= t * D(p, q);
                D(q, q) += t * D(p, q);
                D(p, q) = D(q, p) = 0;
                D(r, p) = D(p, r) = c * D_rp - s * D_rq;
                D(r, q) = D(q, r) = s * D_rp + c * D_rq;
                for (int row = 0; row < 3; ++row) {
                    const double Q_p = Q(row, p), Q_q = Q(row, q);
                    Q(row, p) = c * Q_p - s * Q_q;
                    Q(row, q) = s * Q_p + c * Q_q;
                }
            }
    }

    int order[3] = {0, 1, 2};
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2 - a; ++b)
            if (D(order[b], order[b]) > D(order[b + 1], order[b + 1])) std::swap(order[b], order[b + 1]);

    SymmetricEigen result;
    for (int k = 0; k < 3; ++k) {
        result.value[k] = D(order[k], order[k]);
        for (int row = 0; row < 3; ++row) result.Q(row, k) = Q(row, order[k]);
    }
    return result;
}

/// F V = U diag(sigma): the singular values (>= 0, in no order), V, and the product U diag(sigma).
struct SingularValues {
    Vec3 sigma;
    Mat3 V;
    Mat3 U_sigma;
};

/// One-sided Jacobi (Hestenes): turn the columns of F until they are orthogonal. F^T F is never made, so small singular
/// values keep their digits.
inline SingularValues singular_values(const Mat3& F) {
    SingularValues s{{}, identity(), F};
    for (int sweep = 0; sweep < 64; ++sweep) {
        bool turned = false;
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                const Vec3 a = column(s.U_sigma, p), b = column(s.U_sigma, q);
                const double ab = dot(a, b);
                if (std::abs(ab) <= 1e-15 * length(a) * length(b)) continue;
                turned = true;
                const double tau = (dot(b, b) - dot(a, a)) / (2 * ab);
                const double t = std::copysign(1.0, tau) / (std::abs(tau) + std::hypot(1.0, tau));
                const double c = 1 / std::hypot(1.0, t);
                Mat3 J = identity();
                J(p, p) = J(q, q) = c;
                J(p, q) = t * c;
                J(q, p) = -t * c;
                s.U_sigma = s.U_sigma * J;
                s.V = s.V * J;
            }
        if (!turned) break;
    }
    for (int k = 0; k < 3; ++k) s.sigma[k] = length(column(s.U_sigma, k));
    return s;
}

}  // namespace reference
