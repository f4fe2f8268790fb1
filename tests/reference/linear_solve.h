#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace reference {

/// y = A x, matrix-free.
using LinearOperator = std::function<std::vector<double>(const std::vector<double>&)>;

/// Square, row-major.
struct DenseMatrix {
    size_t n = 0;
    std::vector<double> entry;

    explicit DenseMatrix(size_t size) : n(size), entry(size * size, 0.0) {}
    double& operator()(size_t row, size_t column) { return entry[row * n + column]; }
    double operator()(size_t row, size_t column) const { return entry[row * n + column]; }
};

/// Column j of the matrix is the operator applied to the unit vector e_j.
inline DenseMatrix assemble(const LinearOperator& apply, size_t n) {
    DenseMatrix A(n);
    std::vector<double> unit(n, 0.0);
    for (size_t j = 0; j < n; ++j) {
        unit[j] = 1;
        const std::vector<double> column = apply(unit);
        for (size_t i = 0; i < n; ++i) A(i, j) = column[i];
        unit[j] = 0;
    }
    return A;
}

/// Gaussian elimination with partial pivoting. Throws std::runtime_error for a singular matrix.
inline std::vector<double> solve(DenseMatrix A, std::vector<double> b) {
    const size_t n = A.n;
    for (size_t k = 0; k < n; ++k) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; ++i)
            if (std::abs(A(i, k)) > std::abs(A(pivot, k))) pivot = i;
        if (A(pivot, k) == 0) throw std::runtime_error("reference::solve: the matrix is singular");
        if (pivot != k) {
            for (size_t j = k; j < n; ++j) std::swap(A(k, j), A(pivot, j));
            std::swap(b[k], b[pivot]);
        }
        for (size_t i = k + 1; i < n; ++i) {
            const double factor = A(i, k) / A(k, k);
            if (factor == 0) continue;
            for (size_t j = k; j < n; ++j) A(i, j) -= factor * A(k, j);
            b[i] -= factor * b[k];
        }
    }
    std::vector<double> x(n);
    for (size_t k = n; k-- > 0;) {
        double sum = b[k];
        for (size_t j = k + 1; j < n; ++j) sum -= A(k, j) * x[j];
        x[k] = sum / A(k, k);
    }
    return x;
}

struct IterativeSolution {
    std::vector<double> x;
    int iterations = 0;
    double residual = 0;  ///< in the measure that the solver stops by
    bool converged = false;
};

/// Gissler 2020, Algorithm 2, from x = 0: x += omega (b - A x) / a_ii until mean |b - A x| / rho0 < tolerance. The
/// residual is that of the x which is returned; an iteration is one update of x, and there may be none.
inline IterativeSolution relaxed_jacobi(const LinearOperator& apply, const std::vector<double>& a_ii,
                                        const std::vector<double>& b, double omega, double rho0, double tolerance,
                                        int iterations_max) {
    IterativeSolution s;
    s.x.assign(b.size(), 0.0);
    while (true) {
        const std::vector<double> Ax = apply(s.x);
        double sum = 0;
        for (size_t i = 0; i < b.size(); ++i) sum += std::abs(b[i] - Ax[i]);
        s.residual = b.empty() ? 0 : sum / static_cast<double>(b.size()) / rho0;
        s.converged = s.residual < tolerance;
        if (s.converged || s.iterations == iterations_max) return s;
        for (size_t i = 0; i < b.size(); ++i) s.x[i] += omega / a_ii[i] * (b[i] - Ax[i]);
        ++s.iterations;
    }
}

inline double inner_product(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

/// Bi-CGSTAB (van der Vorst 1992) from x = 0, no preconditioner, until |b - A x|_2 <= tolerance |b|_2. The half step is
/// asked too; one that suffices counts as an iteration. The residual is recomputed from x at the end.
inline IterativeSolution bicgstab(const LinearOperator& apply, const std::vector<double>& b, double tolerance,
                                  int iterations_max) {
    const size_t n = b.size();
    IterativeSolution solution;
    std::vector<double>& x = solution.x;
    x.assign(n, 0.0);
    const double b_length = std::sqrt(inner_product(b, b));
    if (b_length == 0) {
        solution.converged = true;
        return solution;
    }

    std::vector<double> r = b, p = b, s(n);
    const std::vector<double> r_shadow = b;
    double rho = inner_product(r_shadow, r);
    while (solution.iterations < iterations_max) {
        ++solution.iterations;
        const std::vector<double> v = apply(p);
        const double alpha = rho / inner_product(r_shadow, v);
        for (size_t i = 0; i < n; ++i) s[i] = r[i] - alpha * v[i];
        for (size_t i = 0; i < n; ++i) x[i] += alpha * p[i];
        if (std::sqrt(inner_product(s, s)) <= tolerance * b_length) break;

        const std::vector<double> t = apply(s);
        const double omega = inner_product(t, s) / inner_product(t, t);
        for (size_t i = 0; i < n; ++i) x[i] += omega * s[i];
        for (size_t i = 0; i < n; ++i) r[i] = s[i] - omega * t[i];
        if (std::sqrt(inner_product(r, r)) <= tolerance * b_length) break;

        const double rho_next = inner_product(r_shadow, r);
        const double beta = rho_next / rho * (alpha / omega);
        rho = rho_next;
        for (size_t i = 0; i < n; ++i) p[i] = r[i] + beta * (p[i] - omega * v[i]);
    }

    const std::vector<double> Ax = apply(x);
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += (b[i] - Ax[i]) * (b[i] - Ax[i]);
    solution.residual = std::sqrt(sum) / b_length;
    // The recursive residual, by which the iteration stops, and the true one part by rounding only.
    solution.converged = solution.residual <= 1.01 * tolerance + 1e-13;
    return solution;
}

}  // namespace reference
