// The symmetric eigensolver against the double-precision reference, over a million random and degenerate matrices.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "lanes.h"

#include "particles/eigen.h"
#include "reference/symmetric_eigen.h"

namespace firn::FIRN_LANES::eigen_test {
namespace {

struct Random {
    std::mt19937_64 engine{7};
    double operator()(double size = 1) {
        return size * (2.0 * static_cast<double>(engine() >> 11) / 9007199254740992.0 - 1);
    }
    reference::Mat3 symmetric() {
        reference::Mat3 A;
        for (int i = 0; i < 3; ++i)
            for (int j = i; j < 3; ++j) A(i, j) = A(j, i) = (*this)();
        return A;
    }
    reference::Vec3 direction() {
        while (true) {
            const reference::Vec3 v{(*this)(), (*this)(), (*this)()};
            const double r = length(v);
            if (r > 0.1 && r < 1) return v / r;
        }
    }
    reference::Mat3 rotation() {
        const reference::Vec3 a = direction();
        reference::Vec3 b = direction();
        b = b - dot(a, b) * a;
        if (length(b) < 0.1) return rotation();
        b = b / length(b);
        const reference::Vec3 c = cross(a, b);
        reference::Mat3 R;
        for (int i = 0; i < 3; ++i) R(i, 0) = a[i], R(i, 1) = b[i], R(i, 2) = c[i];
        return R;
    }
    /// With these eigenvalues.
    reference::Mat3 with(double a, double b, double c) {
        const reference::Mat3 R = rotation();
        return R * reference::diagonal(a, b, c) * transpose(R);
    }
};

/// One matrix per lane.
struct Batch {
    float entry[6][lane_width];
    reference::Mat3 exact[lane_width];  ///< what the floats say

    void put(uint32_t k, const reference::Mat3& A) {
        const double e[6] = {A(0, 0), A(0, 1), A(0, 2), A(1, 1), A(1, 2), A(2, 2)};
        for (int c = 0; c < 6; ++c) entry[c][k] = static_cast<float>(e[c]);
        reference::Mat3& x = exact[k];
        x(0, 0) = entry[0][k], x(1, 1) = entry[3][k], x(2, 2) = entry[5][k];
        x(0, 1) = x(1, 0) = entry[1][k], x(0, 2) = x(2, 0) = entry[2][k], x(1, 2) = x(2, 1) = entry[4][k];
    }
    Sym sym() const {
        Sym s;
        Real* c[6] = {&s.xx, &s.xy, &s.xz, &s.yy, &s.yz, &s.zz};
        for (int n = 0; n < 6; ++n) *c[n] = load_unaligned(entry[n]);
        return s;
    }
};

/// Largest errors over all matrices seen, each relative to its matrix's norm.
struct Errors {
    double value = 0;        ///< of the sorted eigenvalues
    double rebuilt = 0;      ///< of sum_k value_k v_k v_k^T
    double orthonormal = 0;  ///< of v_i . v_j
    size_t not_finite = 0;

    void add(const Batch& batch) {
        const Eigen e = eigen_decomposition(batch.sym());
        for (uint32_t k = 0; k < lane_width; ++k) {
            const reference::Mat3& A = batch.exact[k];
            double values[3];
            reference::Vec3 v[3];
            reference::Mat3 rebuilt_matrix;
            bool finite = true;
            for (int n = 0; n < 3; ++n) {
                values[n] = lane(e.values[n], k);
                v[n] = {lane(e.vectors[n].x, k), lane(e.vectors[n].y, k), lane(e.vectors[n].z, k)};
                rebuilt_matrix += values[n] * outer(v[n], v[n]);
                finite = finite && std::isfinite(values[n]) && std::isfinite(length(v[n]));
            }
            not_finite += !finite;
            const double size = std::max(norm(A), 1e-300);
            rebuilt = std::max(rebuilt, norm(rebuilt_matrix - A) / size);
            for (int a = 0; a < 3; ++a)
                for (int b = 0; b <= a; ++b)
                    orthonormal = std::max(orthonormal, std::abs(dot(v[a], v[b]) - (a == b ? 1 : 0)));
            std::sort(values, values + 3);
            const reference::SymmetricEigen exact = reference::symmetric_eigen(A);
            for (int n = 0; n < 3; ++n) value = std::max(value, std::abs(values[n] - exact.value[n]) / size);
        }
    }

    /// Twelve rotations, each with a handful of roundings of 6e-8: a part in a million covers them, and no more.
    void expect_small() const {
        EXPECT_EQ(not_finite, 0u);
        EXPECT_LT(value, 1e-6);
        EXPECT_LT(rebuilt, 2e-6);
        EXPECT_LT(orthonormal, 2e-6);
    }
};

template <class Make>
Errors over(int count, const Make& make) {
    Errors errors;
    Batch batch;
    for (int trial = 0; trial < count; trial += static_cast<int>(lane_width)) {
        for (uint32_t k = 0; k < lane_width; ++k) batch.put(k, make());
        errors.add(batch);
    }
    return errors;
}

// Sanitizers make it twenty times slower and see no more in a million than in a few.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
const int many = 50000;
#else
const int many = 1000000;
#endif

TEST(FIRN_SUITE(Eigen), AMillionRandomMatrices) {
    Random random;
    over(many, [&] { return random.symmetric(); }).expect_small();
}

TEST(FIRN_SUITE(Eigen), EqualEigenvalues) {
    Random random;
    over(many / 20, [&] {
        const double a = random(), b = random();
        return random.with(a, a, b);
    }).expect_small();
    over(many / 20, [&] {
        const double a = random();
        return random.with(a, a, a);
    }).expect_small();
}

TEST(FIRN_SUITE(Eigen), NearlyEqualEigenvalues) {
    Random random;
    over(many / 20, [&] {
        const double a = 1 + random(), e = std::pow(10, -4 + 4 * random());
        return random.with(a, a * (1 + e), a * (1 - 0.7 * e));
    }).expect_small();
}

TEST(FIRN_SUITE(Eigen), RankOneAndTwo) {
    Random random;
    over(many / 20, [&] { return random.with(random(), 0, 0); }).expect_small();
    over(many / 20, [&] { return random.with(random(), random(), 0); }).expect_small();
}

TEST(FIRN_SUITE(Eigen), DiagonalAndAlmostDiagonal) {
    Random random;
    over(many / 20, [&] { return reference::diagonal(random(), random(), random()); }).expect_small();
    over(many / 20, [&] {
        reference::Mat3 A = reference::diagonal(random(), random(), random());
        A(0, 1) = A(1, 0) = random(1e-6);
        A(1, 2) = A(2, 1) = random(1e-12);
        return A;
    }).expect_small();
}

TEST(FIRN_SUITE(Eigen), OneEntryOnly) {
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j)
            for (const double a : {1.0, -1.0, 1e-20, -3e20}) {
                over(static_cast<int>(lane_width), [&] {
                    reference::Mat3 A;
                    A(i, j) = A(j, i) = a;
                    return A;
                }).expect_small();
            }
}

TEST(FIRN_SUITE(Eigen), ZeroGivesZerosAndAnOrthonormalFrame) {
    const Errors e = over(8, [] { return reference::Mat3{}; });
    EXPECT_EQ(e.not_finite, 0u);
    EXPECT_EQ(e.value, 0);
    EXPECT_LT(e.orthonormal, 1e-7);
}

TEST(FIRN_SUITE(Eigen), TinyAndHugeMatrices) {
    Random random;
    for (const double scale : {1e-30, 1e-20, 1e-10, 1e10, 1e20, 1e30}) {
        over(many / 100, [&] { return scale * random.symmetric(); }).expect_small();
        over(many / 100, [&] { return random.with(scale, 1e-3 * scale, -scale); }).expect_small();
    }
}

TEST(FIRN_SUITE(Eigen), EntriesOfVeryDifferentSize) {
    Random random;
    over(many / 20, [&] {
        reference::Mat3 A;
        for (int i = 0; i < 3; ++i)
            for (int j = i; j < 3; ++j) A(i, j) = A(j, i) = random() * std::pow(10, 15 * random());
        return A;
    }).expect_small();
}

TEST(FIRN_SUITE(Eigen), ComposeTurnsItBack) {
    Random random;
    Batch batch;
    for (uint32_t k = 0; k < lane_width; ++k) batch.put(k, random.symmetric());
    const Eigen e = eigen_decomposition(batch.sym());
    const Sym s = compose(e.values, e.vectors);
    const Real* c[6] = {&s.xx, &s.xy, &s.xz, &s.yy, &s.yz, &s.zz};
    for (uint32_t k = 0; k < lane_width; ++k)
        for (int n = 0; n < 6; ++n) EXPECT_NEAR(lane(*c[n], k), batch.entry[n][k], 2e-6);
}

}  // namespace
}  // namespace firn::FIRN_LANES::eigen_test
