// Placements: composed, inverted and taken apart, against closed forms and against what they do to points.

#include "firn/rigid_transform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "firn/error.h"
#include "scenes/scenes.h"

namespace {

using firn::Affine;
using firn::Float3;
using firn::Transform;

const std::vector<Float3> points = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, -3}, {0.3f, -0.7f, 1.1f}};

double distance(const Float3& a, const Float3& b) {
    return std::hypot(double(a.x) - b.x, double(a.y) - b.y, double(a.z) - b.z);
}

TEST(RigidTransform, ComposedIsTheInnerFirst) {
    const Transform outer = scenes::turn({0.3, -1, 0.5}, {1, 2, 3}), inner = scenes::turn({-1, 0.2, 2}, {-4, 0, 1});
    const Transform both = firn::composed(outer, inner);
    const Affine affine = firn::composed(firn::affine(outer), inner);
    for (const Float3& p : points) {
        const Float3 wanted = firn::apply_transform(outer, firn::apply_transform(inner, p));
        EXPECT_LT(distance(firn::apply_transform(both, p), wanted), 2e-6);
        EXPECT_LT(distance(firn::apply_transform(affine, p), wanted), 2e-6);
    }
}

TEST(RigidTransform, TheMotionBetweenTwoPlacementsCarriesOneToTheOther) {
    const Transform from = scenes::turn({0.3, -1, 0.5}, {1, 2, 3}), to = scenes::turn({-1, 0.2, 2}, {-4, 0, 1});
    const Transform motion = firn::motion_between(from, to);
    for (const Float3& p : points)
        EXPECT_LT(distance(firn::apply_transform(motion, firn::apply_transform(from, p)), firn::apply_transform(to, p)),
                  5e-6);
    const Transform none = firn::motion_between(from, from);
    for (int k = 0; k < 9; ++k) EXPECT_NEAR(none.rotation[k], k % 4 == 0 ? 1 : 0, 1e-15);
}

TEST(RigidTransform, TurnsAboutXThenYThenZ) {
    const Transform t = firn::turned_and_moved({90, 0, 90}, {1, 2, 3});
    // About x: y -> z. About z: z stays.
    EXPECT_LT(distance(firn::apply_transform(t, {0, 1, 0}), {1, 2, 4}), 1e-6);
    // About x: x stays. About z: x -> y.
    EXPECT_LT(distance(firn::apply_transform(t, {1, 0, 0}), {1, 3, 3}), 1e-6);
    EXPECT_LT(distance(firn::turned(t, {1, 0, 0}), {0, 1, 0}), 1e-6);
}

TEST(RigidTransform, QuaternionsAndMatricesAreTheSameRotations) {
    // Small turns, and turns by nearly half a circle about each axis, where another component is the largest.
    for (const scenes::Double3& w : {scenes::Double3{0.1, 0.2, -0.1}, {3.1, 0.01, 0}, {0, 3.1, 0.02}, {0.02, 0, 3.1}}) {
        const Transform t = scenes::turn(w);
        const firn::Quaternion q = firn::quaternion(t.rotation);
        EXPECT_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-14);
        double back[9];
        firn::rotation_matrix(q, back);
        for (int k = 0; k < 9; ++k) EXPECT_NEAR(back[k], t.rotation[k], 1e-14);
    }
}

TEST(RigidTransform, ARotationIsKnownByItsMatrix) {
    Transform t = scenes::turn({0.3, -1, 0.5});
    EXPECT_TRUE(firn::is_rotation(t.rotation));
    EXPECT_NEAR(firn::determinant(t.rotation), 1, 1e-14);
    EXPECT_LT(firn::rotation_error(t.rotation), 1e-14);
    for (double& x : t.rotation) x *= 1.001;
    EXPECT_FALSE(firn::is_rotation(t.rotation));
    EXPECT_NEAR(firn::rotation_error(t.rotation), 1.001 * 1.001 - 1, 1e-12);
    const double mirror[9] = {-1, 0, 0, 0, 1, 0, 0, 0, 1};
    EXPECT_FALSE(firn::is_rotation(mirror));
    EXPECT_EQ(firn::rotation_error(mirror), 0);
    const double broken[9] = {1, 0, 0, 0, std::nan(""), 0, 0, 0, 1};
    EXPECT_FALSE(firn::is_rotation(broken));
    EXPECT_TRUE(std::isnan(firn::rotation_error(broken)));
}

TEST(RigidTransform, ARigidPlacementIsTakenAsItIs) {
    const Transform t = scenes::turn({0.3, -1, 0.5}, {1, 2, 3});
    const firn::Unstretched split = firn::unstretched(firn::affine(t));
    EXPECT_TRUE(split.rigid);
    EXPECT_FALSE(split.mirrors);
    EXPECT_TRUE(split.placement == t);
    for (int k = 0; k < 9; ++k) EXPECT_EQ(split.stretch[k], k % 4 == 0 ? 1 : 0);
}

TEST(RigidTransform, ScaleShearAndMirrorGoIntoTheStretch) {
    const Transform t = scenes::turn({0.3, -1, 0.5}, {1, 2, 3});
    const double scale[9] = {2, 0, 0, 0, 0.5, 0, 0, 0, 1}, shear[9] = {1, 0.4, 0, 0, 1, 0, 0, -0.2, 1},
                 mirror[9] = {-1, 0, 0, 0, 3, 0, 0, 0, 1};
    for (const double* linear : {scale, shear, mirror}) {
        Affine a = firn::affine(t);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                a.linear[3 * i + j] = 0;
                for (int k = 0; k < 3; ++k) a.linear[3 * i + j] += t.rotation[3 * i + k] * linear[3 * k + j];
            }
        const firn::Unstretched split = firn::unstretched(a);
        EXPECT_FALSE(split.rigid);
        EXPECT_EQ(split.mirrors, linear == mirror);
        EXPECT_TRUE(firn::is_rotation(split.placement.rotation));
        // A symmetric stretch is what makes the split the only one.
        EXPECT_NEAR(split.stretch[1], split.stretch[3], 1e-12);
        EXPECT_NEAR(split.stretch[2], split.stretch[6], 1e-12);
        EXPECT_NEAR(split.stretch[5], split.stretch[7], 1e-12);
        for (const Float3& p : points)
            EXPECT_LT(distance(firn::apply_transform(split.placement, firn::multiplied(split.stretch, p)),
                               firn::apply_transform(a, p)),
                      5e-6);
        // A scale along the axes leaves the rotation that it came with.
        for (int k = 0; k < 9 && linear == scale; ++k) EXPECT_NEAR(split.placement.rotation[k], t.rotation[k], 1e-12);
    }
    Affine flat;
    flat.linear[4] = 0;
    EXPECT_THROW(firn::unstretched(flat), firn::Error);
}

}  // namespace
