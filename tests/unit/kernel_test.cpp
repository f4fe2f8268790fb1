// The cubic spline against what defines it, not against another copy of its formula.

#include <gtest/gtest.h>

#include <cmath>

#include "lanes.h"

#include "particles/kernel.h"
#include "reference/published_snow.h"

namespace firn::FIRN_LANES::kernel_test {
namespace {

const double pi = 3.14159265358979323846;

double value(const CubicSpline& k, double r) {
    return lane(k.value(splat(static_cast<float>(r * r))), 0);
}
double slope(const CubicSpline& k, double r) {
    return lane(k.slope(splat(static_cast<float>(r * r))), 0);
}

const float supports[] = {2e-5f, 0.04f, 1.0f, 200.0f};

TEST(FIRN_SUITE(Kernel), IntegratesToOne) {
    for (const float H : supports) {
        // Midpoint rule over spheres: its own error is about 1 / n^2; float sums of 2000 values err by 1e-6.
        const CubicSpline k = cubic_spline(H);
        const int n = 2000;
        double sum = 0;
        for (int i = 0; i < n; ++i) {
            const double r = (i + 0.5) / n * H;
            sum += 4 * pi * r * r * value(k, r) * H / n;
        }
        EXPECT_NEAR(sum, 1, 2e-6);
    }
}

TEST(FIRN_SUITE(Kernel), GradientIsTheDerivative) {
    for (const float H : supports) {
        // Central differences over 1 % of the support: W''' h^2 / 6 is below 1e-3 of the largest slope; float values of
        // W differ by 1e-7 W(0), which the division by the step makes 1e-5.
        const CubicSpline k = cubic_spline(H);
        const double h = 0.005 * H, steepest = 6 * k.norm / H;
        for (double q = 0.02; q < 0.99; q += 0.013) {
            const double difference = (value(k, q * H + h) - value(k, q * H - h)) / (2 * h);
            EXPECT_NEAR(slope(k, q * H) * q * H, difference, 1e-3 * steepest) << "at q = " << q;
        }
    }
}

TEST(FIRN_SUITE(Kernel), EqualsTheReference) {
    for (const float H : supports) {
        // Five float operations on numbers of the size of W(0), and of W(0) / H^2.
        const CubicSpline k = cubic_spline(H);
        for (double q = 0; q < 1.2; q += 0.0173) {
            const float r = static_cast<float>(q * H);
            EXPECT_NEAR(value(k, r), reference::kernel({r, 0, 0}, H), 1e-6 * k.norm);
            if (q == 0) continue;
            EXPECT_NEAR(slope(k, r) * r, reference::kernel_gradient({r, 0, 0}, H).x, 1e-5 * k.norm / H)
                << "at q = " << q;
        }
    }
}

TEST(FIRN_SUITE(Kernel), IsZeroFromTheSupportOn) {
    for (const float H : supports) {
        const CubicSpline k = cubic_spline(H);
        for (const double q : {1.0001, 1.5, 7.0, 1e6, 1e9}) {
            EXPECT_EQ(value(k, q * H), 0);
            EXPECT_EQ(slope(k, q * H), 0);
        }
        // At the support itself the root of a rounded square may lie just inside.
        EXPECT_LT(std::abs(value(k, H)), 1e-15 * k.norm);
        EXPECT_LT(std::abs(slope(k, H)) * H, 1e-10 * k.norm / H);
    }
}

TEST(FIRN_SUITE(Kernel), IsFiniteAtZero) {
    for (const float H : supports) {
        const CubicSpline k = cubic_spline(H);
        EXPECT_FLOAT_EQ(static_cast<float>(value(k, 0)), k.norm);
        EXPECT_TRUE(std::isfinite(slope(k, 0)));  // so that slope times x_ij = 0 is 0
        EXPECT_TRUE(std::isfinite(slope(k, 1e-20)));
    }
}

TEST(FIRN_SUITE(Kernel), FallsMonotonically) {
    for (const float H : supports) {
        const CubicSpline k = cubic_spline(H);
        for (double q = 0.01; q < 1; q += 0.01) {
            EXPECT_LT(value(k, q * H), value(k, (q - 0.01) * H));
            EXPECT_LT(slope(k, q * H), 0);
        }
    }
}

}  // namespace
}  // namespace firn::FIRN_LANES::kernel_test
