// A collider by itself: what its surface becomes, how it is told whether it stands still, moves or deforms, and the
// body of a frame. Judged by the geometry: distances to planes, points carried by the same transform.

#include "firn/collider.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "firn/error.h"

using namespace firn;

namespace {

constexpr float spacing = 0.02f;
constexpr float half = 0.1f;  ///< of the box's edge, m

BoundarySettings settings(bool inverted = false, bool two_sided = false) {
    return {spacing, 0.8f, inverted, two_sided};
}

ColliderShape box() {
    return {box_mesh({2 * half, 2 * half, 2 * half}), {}};
}

ColliderShape moved_box(const Transform& t) {
    return {transformed(box().mesh, t), {}};
}

Boundary box_boundary(bool inverted = false) {
    return boundary_of(box(), settings(inverted), "collider 'box'");
}

/// How far out of the box's middle, by its nearest face.
float reach(const Float3& p) {
    return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)});
}

double distance(const Float3& a, const Float3& b) {
    return std::hypot(double(a.x) - b.x, double(a.y) - b.y, double(a.z) - b.z);
}

std::string error_of(const std::function<void()>& what) {
    try {
        what();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

// ---- boundary particles

TEST(Collider, ParticlesAreHalfASpacingBelowTheSurfaceAndFaceOut) {
    const Boundary boundary = box_boundary();
    ASSERT_GT(boundary.position.size(), 300u);
    ASSERT_EQ(boundary.normal.size(), boundary.position.size());
    EXPECT_TRUE(boundary.warnings.empty());
    EXPECT_EQ(boundary.volume, boundary_volumes(boundary.position, spacing, 0.8f));
    for (size_t i = 0; i < boundary.position.size(); ++i) {
        const Float3 &p = boundary.position[i], &n = boundary.normal[i];
        ASSERT_NEAR(reach(p), half - 0.5f * spacing, 0.05f * spacing);  // edges are rounded off
        ASSERT_GT(p.x * n.x + p.y * n.y + p.z * n.z, 0);
    }
}

TEST(Collider, InsideOutTheyAreOutsideAndFaceIn) {
    const Boundary boundary = box_boundary(true);
    for (size_t i = 0; i < boundary.position.size(); ++i) {
        const Float3 &p = boundary.position[i], &n = boundary.normal[i], &surface = boundary.samples.position[i];
        ASSERT_NEAR(reach(surface), half, 1e-6f);
        ASSERT_GT(reach(p), half);
        ASSERT_NEAR(distance(p, surface), 0.5f * spacing, 1e-6f);
        ASSERT_LT(p.x * n.x + p.y * n.y + p.z * n.z, 0);
    }
}

TEST(Collider, ATwoSidedSheetIsCoveredItselfAndHasNoNormals) {
    const ColliderShape sheet{plane_mesh(0.4f, 0.4f), {}};
    const Boundary one = boundary_of(sheet, settings(), "collider 'sheet'"),
                   both = boundary_of(sheet, settings(false, true), "collider 'sheet'");
    EXPECT_FALSE(one.normal.empty());
    EXPECT_TRUE(both.normal.empty());
    for (const Float3& p : one.position) ASSERT_NEAR(p.y, -0.5f * spacing, 1e-7f);
    for (const Float3& p : both.position) ASSERT_EQ(p.y, 0);
}

TEST(Collider, PointsWithoutTrianglesAreTheParticlesThemselves) {
    const ColliderShape shape{{{{0, 0, 0}, {spacing, 0, 0}}, {}}, {{0, 1, 0}, {0, 1, 0}}};
    const Boundary boundary = boundary_of(shape, settings(), "collider 'points'");
    ASSERT_EQ(boundary.position.size(), 2u);
    EXPECT_EQ(boundary.position[1].x, spacing);
    EXPECT_EQ(boundary.normal[1].y, 1);
}

TEST(Collider, ErrorsAndWarningsBeginWithTheCollidersName) {
    EXPECT_EQ(error_of([] { boundary_of({}, settings(), "collider 'nothing'"); }),
              "collider 'nothing' has no surface to cover with particles");
    BoundarySettings none;
    EXPECT_EQ(error_of([&] { boundary_of(box(), none, "collider 'box'"); }).rfind("collider 'box': ", 0), 0u);
    // Three triangles at one edge.
    const ColliderShape fan{
        {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}}, {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}}, {}};
    const Boundary boundary = boundary_of(fan, settings(), "collider 'fan'");
    ASSERT_FALSE(boundary.warnings.empty());
    EXPECT_EQ(boundary.warnings[0], "collider 'fan': 1 edges have more than two faces");
}

TEST(Collider, ABoundaryIsMadeOnceForAShape) {
    BoundaryCache cache;
    const ColliderShape fan{
        {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}}, {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}}, {}};
    cache.of("fan", fan, settings(), "collider 'fan'");
    EXPECT_EQ(cache.take_warnings().size(), 1u);
    EXPECT_TRUE(cache.take_warnings().empty());
    cache.of("fan", fan, settings(), "collider 'fan'");
    EXPECT_TRUE(cache.take_warnings().empty()) << "it was kept";
    cache.of("fan", fan, settings(false, true), "collider 'fan'");
    EXPECT_EQ(cache.take_warnings().size(), 1u) << "other settings";
    ColliderShape longer = fan;
    longer.mesh.points[1].x = 1.5f;
    EXPECT_GT(cache.of("fan", longer, settings(), "collider 'fan'").position.size(),
              boundary_of(fan, settings(), "").position.size());
    cache.take_warnings();
    cache.drop_unused();
    cache.drop_unused();
    cache.of("fan", longer, settings(), "collider 'fan'");
    EXPECT_EQ(cache.take_warnings().size(), 1u) << "it was dropped";
}

// ---- motion

TEST(Collider, WhatDoesNotChangeStandsStill) {
    const ColliderState first = first_seen(box());
    const ColliderState next = followed(first, box(), {}, spacing);
    EXPECT_EQ(next.motion, Motion::still);
    EXPECT_TRUE(next.placement == first.placement);
}

TEST(Collider, APlacementThatChangesIsARigidMotion) {
    const Transform t = turned_and_moved({10, 20, 30}, {1, 2, 3});
    const ColliderState next = followed(first_seen(box()), box(), affine(t), spacing);
    EXPECT_EQ(next.motion, Motion::rigid);
    EXPECT_TRUE(next.placement == t) << "taken as it is";
    // And stays one when it stops.
    EXPECT_EQ(followed(next, box(), affine(t), spacing).motion, Motion::rigid);
}

TEST(Collider, PointsThatMoveAsOneAreARigidMotion) {
    const Transform t = turned_and_moved({10, 20, 30}, {0.1f, 0.2f, 0.3f});
    const ColliderState next = followed(first_seen(box()), moved_box(t), {}, spacing);
    ASSERT_EQ(next.motion, Motion::rigid);
    for (const Float3& p : box().mesh.points)
        EXPECT_LT(distance(apply_transform(next.placement, p), apply_transform(t, p)), 1e-6);
}

TEST(Collider, DeformationsBelowTwoPercentOfASpacingAreRounding) {
    // One corner moves alone; the best rigid motion takes up some of it.
    const auto motion_after = [](float share) {
        ColliderShape now = box();
        now.mesh.points[0].x += share * spacing;
        return followed(first_seen(box()), now, {}, spacing).motion;
    };
    EXPECT_EQ(motion_after(0.015f), Motion::rigid);
    EXPECT_EQ(motion_after(0.05f), Motion::deforming);
}

TEST(Collider, WhatMovesByItsPlacementDoesNotMoveByRounding) {
    ColliderShape now = box();
    for (Float3& p : now.mesh.points) p.x += 0.01f * spacing;
    EXPECT_EQ(followed(first_seen(box()), now, {}, spacing).motion, Motion::rigid);
    now.moves_by_placement = true;
    EXPECT_EQ(followed(first_seen(box()), now, {}, spacing).motion, Motion::still);
    now.mesh.points[0].x += spacing;
    EXPECT_EQ(followed(first_seen(box()), now, {}, spacing).motion, Motion::deforming);
}

TEST(Collider, WhatDeformsIsFollowedAndStaysDeforming) {
    ColliderShape tall = box();
    for (Float3& p : tall.mesh.points) p.y *= 2;
    const ColliderState first = first_seen(box());
    const ColliderState next = followed(first, tall, {}, spacing);
    ASSERT_EQ(next.motion, Motion::deforming);
    EXPECT_EQ(next.points[0].y, tall.mesh.points[0].y);
    const Boundary boundary = box_boundary();
    const std::vector<Float3> now = boundary_positions(next, boundary);
    for (size_t i = 0; i < now.size(); ++i) {
        // Half a spacing below the faces still, wherever those went.
        const float depth =
            std::min({half - std::abs(now[i].x), 2 * half - std::abs(now[i].y), half - std::abs(now[i].z)});
        ASSERT_NEAR(depth, 0.5f * spacing, 0.1f * spacing);
    }
    EXPECT_EQ(followed(next, box(), {}, spacing).motion, Motion::deforming) << "also when it is as it was";
}

TEST(Collider, AContainerThatDeformsKeepsItsParticlesOutside) {
    ColliderShape tall = box();
    for (Float3& p : tall.mesh.points) p.y *= 2;
    const Boundary boundary = box_boundary(true);
    const ColliderState first = first_seen(box(), {}, Motion::deforming);
    for (const Float3& p : boundary_positions(followed(first, tall, {}, spacing), boundary))
        ASSERT_GT(std::max({std::abs(p.x) - half, std::abs(p.y) - 2 * half, std::abs(p.z) - half}), 0.25f * spacing);
}

TEST(Collider, AMotionThatIsKnownIsNotGuessed) {
    EXPECT_EQ(followed(first_seen(box(), {}, Motion::rigid), box(), {}, spacing).motion, Motion::rigid);
    EXPECT_EQ(followed(first_seen(box(), {}, Motion::deforming), box(), {}, spacing).motion, Motion::deforming);
}

TEST(Collider, AnotherTopologyCannotBeFollowed) {
    const ColliderState first = first_seen(box(), {}, Motion::rigid);
    const ColliderShape sheet{plane_mesh(1, 1), {}};
    const ColliderState other = followed(first, sheet, {}, spacing);
    EXPECT_EQ(other.motion, Motion::still);
    EXPECT_TRUE(same_topology(other.rest, sheet));
    const std::string said = error_of([&] { require_same_topology(first, other, "collider 'box'"); });
    EXPECT_EQ(said.rfind("collider 'box' changes its topology, from 8 points", 0), 0u) << said;
    ColliderShape turned = box();
    std::swap(turned.mesh.triangles[0], turned.mesh.triangles[1]);
    EXPECT_FALSE(same_topology(box(), turned)) << "as many triangles, but others";
    EXPECT_EQ(error_of([&] { require_same_topology(first, first, ""); }), "");
}

TEST(Collider, ScaleAndShearOfAPlacementGoIntoTheShape) {
    Affine placement;
    const double linear[9] = {0, -2, 0, 1, 0, 0.5, 0, 0, 3};  // a quarter turn of a scaled and sheared box
    std::copy(linear, linear + 9, placement.linear);
    placement.translation[1] = 5;
    const ColliderState seen = first_seen(box(), placement);
    EXPECT_TRUE(is_rotation(seen.placement.rotation));
    for (size_t k = 0; k < 8; ++k)
        EXPECT_LT(distance(apply_transform(seen.placement, seen.rest.mesh.points[k]),
                           apply_transform(placement, box().mesh.points[k])),
                  1e-6);
    // The spacing is that of the world.
    EXPECT_GT(boundary_of(seen.rest, settings(), "").position.size(), 3 * box_boundary().position.size());
    // A mirror turns the triangles, so that they still face outwards.
    Affine mirror;
    mirror.linear[0] = -1;
    const ColliderState mirrored = first_seen(box(), mirror);
    EXPECT_GT(examine(mirrored.rest.mesh).volume, 0);
    Affine flat;
    flat.linear[0] = 0;
    EXPECT_NE(error_of([&] { first_seen(box(), flat); }), "");
}

// ---- bodies

TEST(Collider, ABodyOverAFrameGoesFromBeforeToAfter) {
    const Boundary boundary = box_boundary();
    const ColliderState first = first_seen(box());
    const MovingBody still = moving_body("box", first, first, boundary, {});
    EXPECT_EQ(still.body.name, "box");
    EXPECT_EQ(still.body.motion, Motion::still);
    EXPECT_EQ(still.body.friction, Body().friction);
    EXPECT_EQ(still.body.normal.size(), still.body.position.size());

    const Transform t = turned_and_moved({0, 0, 90}, {1, 0, 0});
    const ColliderState turned = followed(first, box(), affine(t), spacing);
    const MovingBody rigid = moving_body("box", first, turned, boundary, {});
    EXPECT_EQ(rigid.body.motion, Motion::rigid);
    EXPECT_TRUE(rigid.body.placement == Transform());
    EXPECT_TRUE(rigid.end == t);
    EXPECT_EQ(rigid.body.position[0].x, boundary.position[0].x) << "in its own space";

    ColliderShape tall = box();
    for (Float3& p : tall.mesh.points) p.y *= 2;
    const ColliderState deformed = followed(turned, tall, {}, spacing);
    const MovingBody soft = moving_body("box", turned, deformed, boundary, {});
    EXPECT_EQ(soft.body.motion, Motion::deforming);
    EXPECT_TRUE(soft.body.normal.empty());
    ASSERT_EQ(soft.end_position.size(), soft.body.position.size());
    for (size_t i = 0; i < soft.body.position.size(); ++i)
        ASSERT_LT(distance(soft.body.position[i], apply_transform(t, boundary.position[i])), 1e-6)
            << "it begins where the rigid one ended";
}

TEST(Collider, PointAttributesAreInterpolatedAtTheParticles) {
    ColliderSurface surface;
    surface.of(&Body::sticky) = 0.25f;
    std::vector<float>& friction = surface.at_points[0];
    for (const Float3& p : box().mesh.points) friction.push_back(p.y > 0 ? 1.0f : 0.0f);
    const Boundary boundary = box_boundary();
    const ColliderState state = first_seen(box());
    const Body body = moving_body("box", state, state, boundary, surface).body;
    ASSERT_EQ(body.particle_friction.size(), body.position.size());
    EXPECT_TRUE(body.particle_sticky.empty());
    EXPECT_EQ(body.sticky, 0.25f);
    for (size_t i = 0; i < body.position.size(); ++i) {
        // Linear over the faces; a particle is half a spacing below the place that it stands for.
        const float above = body.position[i].y + 0.5f * spacing * body.normal[i].y;
        ASSERT_NEAR(body.particle_friction[i], 0.5f + 0.5f * above / half, 0.06f);
    }
}

}  // namespace
