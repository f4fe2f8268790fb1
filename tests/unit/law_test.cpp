// The constitutive law of one particle, alone: hardening, plasticity, rotation, the pseudo-inverse.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "lanes.h"

#include "reference/published_snow.h"
#include "reference/symmetric_eigen.h"
#include "snow/law.h"

namespace firn::FIRN_LANES::law_test {
namespace {

using reference::Mat3;
using reference::Vec3;

const float theta_c = 0.025f, theta_s = 0.0075f;

struct Random {
    std::mt19937_64 engine{11};
    double operator()(double size = 1) { return size * (2 * std::generate_canonical<double, 53>(engine) - 1); }
    Mat3 matrix(double size) {
        Mat3 A;
        for (auto& row : A.m)
            for (double& e : row) e = (*this)(size);
        return A;
    }
    Mat3 symmetric(double size) {
        const Mat3 A = matrix(size);
        return 0.5 * (A + transpose(A));
    }
};

Sym sym(const Mat3& A) {
    const auto s = [&](int i, int j) { return splat(static_cast<float>(A(i, j))); };
    return {s(0, 0), s(0, 1), s(0, 2), s(1, 1), s(1, 2), s(2, 2)};
}
Mat mat(const Mat3& A) {
    const auto s = [&](int i, int j) { return splat(static_cast<float>(A(i, j))); };
    return {{s(0, 0), s(0, 1), s(0, 2)}, {s(1, 0), s(1, 1), s(1, 2)}, {s(2, 0), s(2, 1), s(2, 2)}};
}
Mat3 exact(const Sym& s) {
    Mat3 A;
    A(0, 0) = lane(s.xx, 0), A(1, 1) = lane(s.yy, 0), A(2, 2) = lane(s.zz, 0);
    A(0, 1) = A(1, 0) = lane(s.xy, 0), A(0, 2) = A(2, 0) = lane(s.xz, 0), A(1, 2) = A(2, 1) = lane(s.yz, 0);
    return A;
}
/// What is left after rounding to float.
Mat3 rounded(const Mat3& A) {
    Mat3 R = A;
    for (auto& row : R.m)
        for (double& e : row) e = static_cast<float>(e);
    return R;
}

Strength by_strain(float c, float s) {
    return {splat(0.2f), splat(c), splat(s), splat(1.0f), splat(0.0f), false};
}
Mat3 published(const Mat3& strain, const Mat3& dt_gradient, float c = theta_c, float s = theta_s) {
    return exact(advance_strain_published(sym(strain), mat(dt_gradient), by_strain(c, s)).elastic);
}
Mat3 objective(const Mat3& strain, const Mat3& dt_gradient, float c = theta_c, float s = theta_s) {
    return exact(advance_strain_objective(sym(strain), mat(dt_gradient), by_strain(c, s)).elastic);
}

Mat3 spin(const Vec3& w) {
    Mat3 W;
    W(0, 1) = -w.z, W(0, 2) = w.y, W(1, 2) = -w.x;
    W(1, 0) = w.z, W(2, 0) = -w.y, W(2, 1) = w.x;
    return W;
}
Mat3 rotation(const Vec3& w) {
    const double angle = length(w);
    const Mat3 K = spin(w / angle);
    return reference::identity() + std::sin(angle) * K + (1 - std::cos(angle)) * (K * K);
}

// Strains of a few percent from sums of a dozen floats: a few 1e-9 each. A tenth of a millionth of stretch is far below
// anything visible, and a wrong quadratic term (strain^2 ~ 1e-4) is a thousand times larger.
const double rounding = 1e-7;

TEST(FIRN_SUITE(Law), UniaxialPathFollowsTheLoadAndYields) {
    for (const double direction : {1.0, -1.0}) {
        Mat3 strain;
        double stretch = 1;
        for (int step = 0; step < 100; ++step) {
            const Mat3 gradient = rounded(reference::diagonal(direction * 0.001, 0, 0));
            strain = published(strain, gradient);
            stretch *= 1 + direction * 0.001;
            const double elastic = std::min(std::max(stretch, 1 - double(theta_c)), 1 + double(theta_s));
            EXPECT_NEAR(strain(0, 0), elastic - 1, 100 * rounding);
            EXPECT_NEAR(norm(strain), std::abs(strain(0, 0)), rounding) << "no other component";
        }
        // Yielded: it stays on the limit, and unloading starts at once (no memory of the plastic part).
        EXPECT_NEAR(strain(0, 0), direction > 0 ? theta_s : -theta_c, rounding);
        const Mat3 back = published(strain, rounded(reference::diagonal(-direction * 0.001, 0, 0)));
        EXPECT_NEAR(back(0, 0), (1 + strain(0, 0)) * (1 - direction * 0.001) - 1, rounding);
    }
}

TEST(FIRN_SUITE(Law), IsotropicPathClampsAllThree) {
    for (const double rate : {0.002, -0.002}) {
        Mat3 strain;
        for (int step = 0; step < 30; ++step) strain = objective(strain, reference::diagonal(rate, rate, rate));
        const double limit = rate > 0 ? theta_s : -theta_c;
        EXPECT_LT(norm(strain - reference::diagonal(limit, limit, limit)), rounding);
    }
}

TEST(FIRN_SUITE(Law), ShearPathStretchesOneDiagonalAndPressesTheOther) {
    // Pure shear by s: principal stretches 1 +- s, at 45 degrees; beyond the limits each diagonal stops at its own.
    Mat3 shear;
    shear(0, 1) = shear(1, 0) = 0.001;
    Mat3 strain;
    for (int step = 0; step < 5; ++step) strain = objective(strain, shear);
    EXPECT_NEAR(strain(0, 1), 0.5 * (std::pow(1.001, 5) - std::pow(0.999, 5)), rounding);
    EXPECT_NEAR(strain(0, 0), 0.5 * (std::pow(1.001, 5) + std::pow(0.999, 5)) - 1, rounding);
    EXPECT_NEAR(strain(2, 2), 0, rounding);
    for (int step = 0; step < 60; ++step) strain = objective(strain, shear);
    EXPECT_NEAR(strain(0, 1), 0.5 * (double(theta_s) + theta_c), 2 * rounding);
    EXPECT_NEAR(strain(0, 0), 0.5 * (double(theta_s) - theta_c), 2 * rounding);
}

TEST(FIRN_SUITE(Law), PublishedUpdateEqualsTheReferencesClamp) {
    Random random;
    for (int trial = 0; trial < 20000; ++trial) {
        const double size = std::pow(10, -3 + 2.5 * random());  // from far within the limits to a stretch of 30 %
        const Mat3 strain = rounded(random.symmetric(0.02)), gradient = rounded(random.matrix(size));
        const Mat3 F = reference::identity() + strain;
        const Mat3 expected = reference::plastic_clamp(F + gradient * F, theta_c, theta_s) - reference::identity();
        // Rounding of F^T F - 1, whose entries are up to 3 |gradient|.
        ASSERT_LT(norm(published(strain, gradient) - expected), rounding + 1e-6 * size) << "size " << size;
    }
}

TEST(FIRN_SUITE(Law), SingularValuesNeverLeaveTheLimits) {
    Random random;
    for (int trial = 0; trial < 20000; ++trial) {
        const Mat3 gradient = random.matrix(std::pow(10, 3 * random()));  // also absurd: a stretch by a thousand
        const Mat3 strain = random.symmetric(0.02);
        for (const Mat3& after : {published(strain, gradient), objective(strain, gradient)}) {
            const reference::SymmetricEigen e = reference::symmetric_eigen(after);
            ASSERT_GE(e.value[0], -theta_c - rounding);
            ASSERT_LE(e.value[2], theta_s + rounding);
        }
    }
}

TEST(FIRN_SUITE(Law), ZeroLimitsLeaveNoStrain) {
    Random random;
    for (int trial = 0; trial < 100; ++trial) {
        const Mat3 after = objective(random.symmetric(0.02), random.matrix(0.1), 0, 0);
        EXPECT_EQ(norm(after), 0);
    }
}

TEST(FIRN_SUITE(Law), ObjectiveUpdateIsTheLeftStretch) {
    // Against the polar decomposition in double: singular values of F + dt grad(v) F with the left vectors, which are
    // the right vectors of its transpose.
    Random random;
    for (int trial = 0; trial < 5000; ++trial) {
        const double size = std::pow(10, -3 + 2.5 * random());
        const Mat3 strain = rounded(random.symmetric(0.02)), gradient = rounded(random.matrix(size));
        const Mat3 F = reference::identity() + strain;
        const Mat3 expected =
            reference::plastic_clamp(transpose(F + gradient * F), theta_c, theta_s) - reference::identity();
        ASSERT_LT(norm(objective(strain, gradient) - expected), rounding + 1e-6 * size) << "size " << size;
    }
}

TEST(FIRN_SUITE(Law), ARotationTurnsTheStrain) {
    Random random;
    for (int trial = 0; trial < 1000; ++trial) {
        const Mat3 strain = rounded(random.symmetric(0.002));  // within the limits whatever the direction
        const Mat3 Q = rotation(Vec3{random(0.3), random(0.3), random(0.3)});
        // The step's map is Q itself. Its rounding to float strains by 1e-7.
        const Mat3 after = objective(strain, Q - reference::identity());
        ASSERT_LT(norm(after - Q * strain * transpose(Q)), rounding + 5e-7);
    }
}

TEST(FIRN_SUITE(Law), AThousandStepsOfSpinTurnTheStrainAlong) {
    const Mat3 start = rounded(reference::diagonal(0.004, -0.01, 0.002));
    const Vec3 w{0.01, -0.02, 0.005};  // radians per step
    const Mat3 step_map = rotation(w) - reference::identity();
    Mat3 strain = start, left_behind = start;
    for (int step = 0; step < 1000; ++step) {
        strain = objective(strain, step_map);
        left_behind = published(left_behind, step_map);
    }
    // The map is rounded to float, 6e-8 at most in each entry, the same way in all thousand steps.
    const Mat3 Q = rotation(1000.0 * w);
    EXPECT_LT(norm(strain - Q * start * transpose(Q)), 3e-4);
    // The published update leaves the strain where it was in space: the weakness that this cures.
    EXPECT_LT(norm(left_behind - start), 3e-4);
    EXPECT_GT(norm(Q * start * transpose(Q) - start), 3e-3);
}

TEST(FIRN_SUITE(Law), RotatedSceneGivesTheRotatedAnswer) {
    Random random;
    for (int trial = 0; trial < 2000; ++trial) {
        const Mat3 R = rotation({random(3), random(3), random(3)});
        const Mat3 strain = random.symmetric(0.02), gradient = random.matrix(0.03);
        const Mat3 turned_strain = R * strain * transpose(R), turned_gradient = R * gradient * transpose(R);
        ASSERT_LT(norm(objective(turned_strain, turned_gradient) - R * objective(strain, gradient) * transpose(R)),
                  2 * rounding);
        ASSERT_LT(norm(published(turned_strain, turned_gradient) - R * published(strain, gradient) * transpose(R)),
                  2 * rounding);
    }
}

/// Principal strains and stresses in double precision, stresses in units of 2 G.
struct Principal {
    double value[3];
};
Principal stress_of(const Principal& strain, double nu) {
    const double r = nu / (1 - 2 * nu), trace = strain.value[0] + strain.value[1] + strain.value[2];
    return {{strain.value[0] + r * trace, strain.value[1] + r * trace, strain.value[2] + r * trace}};
}
/// Elastic energy in units of 2 G.
double energy_of(const Principal& strain, double nu) {
    const Principal stress = stress_of(strain, nu);
    double twice = 0;
    for (int k = 0; k < 3; ++k) twice += stress.value[k] * strain.value[k];
    return 0.5 * twice;
}
Principal after(Yielded (*law)(const Real (&)[3], const Strength&), const Principal& strain, double nu,
                double sine = 1) {
    const Strength limit{splat(static_cast<float>(nu)),   splat(theta_c), splat(theta_s),
                         splat(static_cast<float>(sine)), splat(0.0f),    true};
    const Real given[3] = {splat(static_cast<float>(strain.value[0])), splat(static_cast<float>(strain.value[1])),
                           splat(static_cast<float>(strain.value[2]))};
    const Yielded y = law(given, limit);
    return {{lane(y.strain[0], 0), lane(y.strain[1], 0), lane(y.strain[2], 0)}};
}
/// The allowed state that is nearest in energy: of all 27 combinations of axes that are free, at the upper or at the
/// lower limit, the one whose plastic strains point outwards.
Principal nearest_allowed(const Principal& trial, double nu) {
    const double r = nu / (1 - 2 * nu), high = (1 + nu) * double(theta_s), low = -(1 + nu) * double(theta_c);
    const Principal stress = stress_of(trial, nu);
    Principal best = trial;
    double least = 1e300;
    for (int combination = 0; combination < 27; ++combination) {
        const int at[3] = {combination % 3, combination / 3 % 3, combination / 9};
        // (1 + r 11^T) plastic = stress - limit over the axes at a limit.
        double excess[3] = {}, sum = 0;
        int count = 0;
        for (int k = 0; k < 3; ++k) {
            if (!at[k]) continue;
            excess[k] = stress.value[k] - (at[k] == 1 ? high : low);
            sum += excess[k];
            ++count;
        }
        Principal plastic{}, strain = trial;
        for (int k = 0; k < 3; ++k) {
            if (at[k]) plastic.value[k] = excess[k] - r / (1 + r * count) * sum;
            strain.value[k] -= plastic.value[k];
        }
        bool allowed = true;
        const Principal left = stress_of(strain, nu);
        for (int k = 0; k < 3; ++k) allowed = allowed && left.value[k] < high + 1e-12 && left.value[k] > low - 1e-12;
        if (!allowed || energy_of(plastic, nu) > least) continue;
        least = energy_of(plastic, nu);
        best = strain;
    }
    return best;
}

TEST(FIRN_SUITE(Law), YieldByStressFindsTheNearestAllowedState) {
    Random random;
    for (const double nu : {0.0, 0.2, 0.42, 0.45}) {
        for (int n = 0; n < 200; ++n) {
            const Principal trial{{random(0.06), random(0.06), random(0.06)}};
            const Principal found = after(yield_by_stress, trial, nu), best = nearest_allowed(trial, nu);
            for (int k = 0; k < 3; ++k)
                // Sums of a few floats of up to 0.06 times r = 4.5: a hundred times their rounding.
                EXPECT_NEAR(found.value[k], best.value[k], 100 * 0.06 * 4.5 * 6e-8) << "nu " << nu << ", axis " << k;
        }
    }
}

TEST(FIRN_SUITE(Law), OneDirectionYieldsAtYoungsModulusTimesTheta) {
    const double nu = 0.42;
    for (const double theta : {double(theta_s), -double(theta_c)}) {
        // Pulled or pressed along x, free to move sideways: below the limit nothing yields, above it the stress stays.
        const double below = 0.99 * theta, above = 1.05 * theta, limit = (1 + nu) * theta;  // E theta, in 2 G
        const Principal elastic = after(yield_by_stress, {{below, -nu * below, -nu * below}}, nu);
        EXPECT_NEAR(elastic.value[0], below, rounding);
        EXPECT_NEAR(elastic.value[1], -nu * below, rounding);
        const Principal plastic = after(yield_by_stress, {{above, -nu * above, -nu * above}}, nu);
        EXPECT_NEAR(stress_of(plastic, nu).value[0], limit, 10 * rounding);
        EXPECT_NEAR(plastic.value[1], -nu * above, rounding) << "only the axis at its limit yields";
    }
}

TEST(FIRN_SUITE(Law), YieldByStressNeverAddsEnergyAndByStrainDoes) {
    Random random;
    int added = 0;
    for (int n = 0; n < 1000; ++n) {
        const Principal trial{{random(0.06), random(0.06), random(0.06)}};
        const double before = energy_of(trial, 0.42);
        EXPECT_LE(energy_of(after(yield_by_stress, trial, 0.42), 0.42), before * (1 + 1e-5) + 1e-12);
        added += energy_of(after(yield_by_strain, trial, 0.42), 0.42) > before * 1.01;
    }
    EXPECT_GT(added, 10) << "what is wrong with limits on strains, and why resting snow trembled";
}

TEST(FIRN_SUITE(Law), CrushingBreaksBondsOnlyWhereSnowCollapses) {
    const auto crushed = [](float collapse) {
        Strength limit = by_strain(theta_c, theta_s);
        limit.collapse = splat(collapse);
        limit.by_stress = true;
        Mat3 pressed{};
        pressed.m[0][0] = -0.1;
        return advance_strain_objective(sym(Mat3{}), mat(pressed), limit);
    };
    const StrainStep sound = crushed(0), weak = crushed(0.9f);
    const double pressed = lane(sound.pressed, 0);
    EXPECT_NEAR(pressed, 0.1 - theta_c, 0.02) << "what is beyond the limit is lost volume";
    EXPECT_EQ(lane(sound.opened, 0), 0);
    EXPECT_NEAR(lane(weak.opened, 0), breaking_press * 0.9 * pressed, 1e-6);
    EXPECT_NEAR(lane(weak.pressed, 0), 0.1 * pressed, 1e-6) << "and hardly binds its grains anew";
    // Bonds: broken by crushing, and formed by pressing.
    const auto left = [](const StrainStep& step, float before) {
        return lane(damaged(splat(before), step, splat(1.1f), 10, 0), 0);
    };
    EXPECT_GT(left(weak, 0), 0.9);
    EXPECT_EQ(left(sound, 0), 0);
    EXPECT_LT(left(sound, 0.5f), 0.5);
}

/// By how much the largest and the least stress differ beyond what cohesion and friction hold, in units of 2 G.
double slip_excess(const Principal& stress, double nu, double sine) {
    const double *s = stress.value, most = std::max({s[0], s[1], s[2]}), least = std::min({s[0], s[1], s[2]});
    return most - least - (1 + sine) * (1 + nu) * double(theta_s) + sine * (most + least);
}

TEST(FIRN_SUITE(Law), SnowSlipsWhereFrictionDoesNotHold) {
    Random random;
    int slipped = 0;
    for (const double sine : {0.0, 0.5, 0.71, 0.94})
        for (int n = 0; n < 500; ++n) {
            const double nu = 0.2;
            const Principal trial{{random(0.06), random(0.06), random(0.06)}};
            const Principal whole = after(yield_by_stress, trial, nu), left = after(yield_by_stress, trial, nu, sine);
            const Principal stress = stress_of(left, nu), before = stress_of(whole, nu);
            const double excess = slip_excess(before, nu, sine);
            EXPECT_LT(slip_excess(stress, nu, sine), 1e-6);
            // It stays what it was where friction holds, and goes to the limit and no further where it does not.
            if (excess < -1e-6) {
                for (int k = 0; k < 3; ++k) EXPECT_NEAR(left.value[k], whole.value[k], rounding);
            } else if (excess > 1e-6) {
                EXPECT_GT(slip_excess(stress, nu, sine), -1e-6);
                ++slipped;
            }
            // Volume stays, energy falls, and no axis overtakes another.
            double volume = 0;
            for (int k = 0; k < 3; ++k) volume += left.value[k] - whole.value[k];
            EXPECT_NEAR(volume, 0, 1e-7);
            EXPECT_LE(energy_of(left, nu), energy_of(whole, nu) * (1 + 1e-5) + 1e-12);
            for (int k = 0; k < 3; ++k) {
                const int a = k, b = (k + 1) % 3;
                EXPECT_GE((stress.value[a] - stress.value[b]) * (before.value[a] - before.value[b]), -1e-9);
            }
        }
    EXPECT_GT(slipped, 300);
}

TEST(FIRN_SUITE(Law), PressedFromOneSideSnowHoldsAsMohrAndCoulombSay) {
    const double nu = 0.2;
    for (const double degrees : {0.0, 20.0, 30.0}) {
        const double sine = lane(sine_of_degrees(splat(static_cast<float>(degrees))), 0);
        EXPECT_NEAR(sine, std::sin(degrees * 3.14159265358979 / 180), 3e-6);
        // From below to above (1 + sin) / (1 - sin) times the strength in tension, with free sides.
        const double strength = double(theta_s) * (1 + sine) / (1 - sine);
        ASSERT_LT(1.1 * strength, double(theta_c));
        for (const double share : {0.95, 1.1}) {
            const double pressed = -share * strength;
            const Principal trial{{pressed, -nu * pressed, -nu * pressed}};
            const Principal left = after(yield_by_stress, trial, nu, sine);
            if (share < 1) {
                EXPECT_NEAR(left.value[0], pressed, rounding);
            } else {
                EXPECT_GT(left.value[0], pressed + 0.01 * strength);
            }
        }
    }
}

TEST(FIRN_SUITE(Law), BondsBreakByPullingAndSlipAndFormByPressing) {
    const auto after_step = [](float before, float opened, float pressed, float compaction) {
        const StrainStep step{identity_times(splat(0.0f)), splat(opened), splat(pressed)};
        return lane(damaged(splat(before), step, splat(compaction), 10.0f, 0.0f), 0);
    };
    EXPECT_EQ(after_step(0, 0, 0, 1), 0);
    EXPECT_EQ(after_step(1, 0, 0, 1), 1);
    // In one step or in ten.
    float one = after_step(0, 0.2f, 0, 1), ten = 0;
    for (int n = 0; n < 10; ++n) ten = after_step(ten, 0.02f, 0, 1);
    EXPECT_NEAR(one, 1 - std::exp(-2.0), 1e-5);
    EXPECT_NEAR(ten, one, 1e-5);
    EXPECT_NEAR(after_step(1, 0, binding_strain, 1.5f), std::exp(-1.0), 1e-5);
    EXPECT_EQ(after_step(1, 0, binding_strain, 0.9f), 1) << "what only comes to lie is still loose";
    const StrainStep nothing{identity_times(splat(0.0f)), splat(0.0f), splat(0.0f)};
    EXPECT_NEAR(lane(damaged(splat(0.8f), nothing, splat(1.0f), 10.0f, 0.25f), 0), 0.6f, 1e-6);
}

TEST(FIRN_SUITE(Law), HardeningCurveOfEquation22) {
    // e^(xi (rho0_t - rho0) / rho0_t); the exponent's rounding is 1e-7 of it, and the exponential makes it 1e-5.
    for (const double xi : {0.0, 4.0, 10.0, 20.0})
        for (const double ratio : {0.5, 0.8, 0.99, 1.0, 1.01, 1.3, 3.0}) {
            const double rho0 = 400, now = ratio * rho0;
            const double expected = std::exp(xi * (now - rho0) / now);
            const double got = lane(
                hardening_factor(splat(static_cast<float>(xi)), splat(static_cast<float>(ratio)), 0, splat(0.0f)), 0);
            EXPECT_NEAR(got, expected, 1e-5 * expected) << "xi " << xi << ", density " << now;
        }
}

TEST(FIRN_SUITE(Law), HardeningIsBoundedForLoneFlakesAndAbsurdXi) {
    for (const float xi : {10.0f, 100.0f})
        for (const float now : {0.0f, 1e-20f, 1.0f, 399.0f, 1e9f}) {
            const float factor = lane(hardening_factor(splat(xi), splat(now / 400.0f), 0, splat(0.0f)), 0);
            EXPECT_GT(factor, 0.0f);
            EXPECT_LT(factor, 1e14f);
        }
}

TEST(FIRN_SUITE(Law), CracksSoftenByTheirOpeningAndPackedSnowByXi) {
    for (const double spacing : {0.01, 0.05}) {
        // Where a band of one spacing has opened by the softening length, 1 / e of the strength is left.
        const double opening = 0.003, stretched = 1 + opening / spacing;
        const float softening = static_cast<float>(spacing / opening);
        const Real xi = splat(10.0f);
        EXPECT_NEAR(lane(hardening_factor(xi, splat(static_cast<float>(1 / stretched)), softening, splat(2.0f)), 0),
                    std::exp(-1.0), 1e-5);
        EXPECT_NEAR(lane(hardening_factor(xi, splat(1.25f), softening, splat(2.0f)), 0), std::exp(2.0), 1e-4);
        // A tenth denser than ice: e^0.5 more.
        EXPECT_NEAR(lane(hardening_factor(xi, splat(2.2f), softening, splat(2.0f)), 0),
                    std::exp(10 * (1 - 1 / 2.2) + 0.5), 0.01);
    }
}

TEST(FIRN_SUITE(Law), LameParametersOfEquation22And23) {
    reference::Parameters p;
    for (const double nu : {0.01, 0.2, 0.35, 0.49}) {
        p.nu = static_cast<float>(nu);
        const reference::Lame expected = reference::lame({400, 380, 450}, p);
        for (const size_t i : {0u, 1u, 2u}) {
            const double rho[3] = {400, 380, 450};
            const Real factor = hardening_factor(splat(10.0f), splat(static_cast<float>(rho[i] / 400)), 0, splat(0.0f));
            const Lame got = lame(splat(140e3f), splat(static_cast<float>(nu)), factor);
            EXPECT_NEAR(lane(got.shear, 0), expected.G[i], 2e-6 * expected.G[i]);
            // 1 - 2 nu loses two digits at 0.49.
            EXPECT_NEAR(lane(got.first, 0), expected.lambda[i], 2e-5 * expected.lambda[i]);
        }
    }
    EXPECT_EQ(lane(lame(splat(140e3f), splat(0.0f), splat(1.0f)).first, 0), 0);
}

TEST(FIRN_SUITE(Law), VolumeStrainKeepsTheDigitsOfSmallStrains) {
    Random random;
    for (const double size : {1e-6, 1e-3, 0.1}) {
        const Mat3 strain = rounded(random.symmetric(size));
        const double expected = determinant(reference::identity() + strain) - 1;
        // Relative to the strain, not to 1: in double the subtraction above costs 1e-16, in float it would cost 6e-8.
        EXPECT_NEAR(lane(det_minus_one(sym(strain)), 0), expected, 1e-6 * size);
    }
}

// ---- pseudo-inverse

Mat3 inverse(const Mat3& M) {
    return exact(pseudo_inverse(sym(M), 1e-4f));
}

TEST(FIRN_SUITE(Law), PseudoInverseEqualsTheReference) {
    Random random;
    for (int trial = 0; trial < 5000; ++trial) {
        const Mat3 A = random.matrix(1);
        const Mat3 M = rounded(A * transpose(A));
        const reference::SymmetricEigen e = reference::symmetric_eigen(M);
        const double worst = e.value[2] / e.value[0];
        if (!(worst > 0 && worst < 3e3)) continue;  // near the cut both answers are right
        const Mat3 expected = reference::pseudo_inverse(M);
        // An inverse multiplies the relative rounding by the condition number.
        ASSERT_LT(norm(inverse(M) - expected), 1e-6 * worst * norm(expected)) << "condition " << worst;
    }
}

TEST(FIRN_SUITE(Law), PseudoInverseOfFlatStraightAndEmptyConfigurations) {
    Random random;
    for (int trial = 0; trial < 500; ++trial) {
        const Mat3 R = rotation({random(3), random(3), random(3)});
        const Mat3 flat = R * reference::diagonal(0.7, 0.3, 0) * transpose(R);
        const Mat3 flat_inverse = R * reference::diagonal(1 / 0.7, 1 / 0.3, 0) * transpose(R);
        ASSERT_LT(norm(inverse(flat) - flat_inverse), 2e-5);
        const Mat3 straight = R * reference::diagonal(0.5, 0, 0) * transpose(R);
        ASSERT_LT(norm(inverse(straight) - R * reference::diagonal(2, 0, 0) * transpose(R)), 2e-5);
    }
    EXPECT_EQ(norm(inverse(Mat3{})), 0);
    // Next to nothing is nothing: no division by it.
    EXPECT_EQ(norm(inverse(reference::diagonal(1e-25, 1e-26, 0))), 0);
}

TEST(FIRN_SUITE(Law), PseudoInverseLeavesOutThinDirectionsByDegrees) {
    const auto across = [](double thickness) {
        return exact(pseudo_inverse(sym(reference::diagonal(2, 1, 2 * thickness)), 0.1f))(2, 2);
    };
    EXPECT_NEAR(across(0.2), 1 / 0.4, 1e-5);
    EXPECT_NEAR(across(0.1001), 1 / 0.2002, 1e-4);
    EXPECT_NEAR(across(0.075), 0.5 / 0.15, 1e-4);  // half-way
    EXPECT_NEAR(across(0.0499), 0, 1e-4);
    // No jump: a sheet that thins out must not start to tremble.
    for (double t = 0.04; t < 0.11; t += 0.001) EXPECT_NEAR(across(t + 1e-4), across(t), 0.02) << t;
}

TEST(FIRN_SUITE(Law), PseudoInverseIgnoresNegativeRounding) {
    const Mat3 L = inverse(reference::diagonal(1, 0.5, -1e-7));
    EXPECT_LT(norm(L - reference::diagonal(1, 2, 0)), 1e-5);
}

}  // namespace
}  // namespace firn::FIRN_LANES::law_test
