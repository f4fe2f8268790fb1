// firn::snow_collider: what it makes, and that a solver reads the bodies that the geometry is.

#include <GU/GU_PrimVolume.h>
#include <gtest/gtest.h>

#include <cmath>

#include "body_transfer.h"
#include "firn/rigid_transform.h"
#include "firn/samples.h"
#include "firn/surface_sources.h"
#include "houdini.h"
#include "snow_details.h"

namespace {

using firn::Motion;
using firn::MovingBody;

struct Collider {
    Houdini houdini;
    OP_Node* node = houdini.node("firn::snow_collider");
    GU_DetailHandle last;

    Collider(const std::function<void(GU_Detail&, double)>& make, bool moves) {
        node->setInput(0, houdini.geometry(make, moves));
    }
    std::vector<MovingBody> bodies(int frame = 1) {
        last = Houdini::cook(node, frame);
        EXPECT_TRUE(last.isValid()) << node->messageText(UT_ERROR_ABORT);
        return last.isValid() ? firn::read_bodies(*last.gdp()) : std::vector<MovingBody>();
    }
    std::string error(int frame = 1) {
        EXPECT_TRUE(Houdini::cook(node, frame).isNull());
        return node->messageText(UT_ERROR_ABORT);
    }
};

firn::Mesh box() {
    return firn::box_mesh({0.2f, 0.2f, 0.2f});
}

double frame_of(double time) {
    return time * 24 + 1;
}

TEST(Collider, AStaticMeshIsSampledAsTheLibraryDoes) {
    Collider collider([](GU_Detail& detail, double) { add_mesh(detail, box()); }, false);
    const std::vector<MovingBody> bodies = collider.bodies();
    ASSERT_EQ(bodies.size(), 1u);
    const firn::Body& body = bodies[0].body;
    EXPECT_EQ(body.motion, Motion::still);
    const firn::SurfaceSamples wanted = firn::sample_surface(box(), {0.02f, -1, false});
    ASSERT_EQ(body.position.size(), wanted.position.size());
    EXPECT_EQ(std::memcmp(body.position.data(), wanted.position.data(), body.position.size() * sizeof(firn::Float3)),
              0);
    EXPECT_EQ(std::memcmp(body.normal.data(), wanted.normal.data(), body.normal.size() * sizeof(firn::Float3)), 0);
    EXPECT_EQ(body.volume, firn::boundary_volumes(wanted.position, 0.02f, 0.8f));
    EXPECT_EQ(body.particle_friction[0], 0.5f);
}

TEST(Collider, PointAttributesGoBeforeTheParameters) {
    Collider collider(
        [](GU_Detail& detail, double) {
            add_mesh(detail, box());
            const GA_RWHandleF friction(detail.addFloatTuple(GA_ATTRIB_POINT, "friction", 1));
            for (GA_Iterator it(detail.getPointRange()); !it.atEnd(); ++it)
                friction.set(*it, detail.getPos3(*it).y() > 0 ? 1.0f : 0.0f);
        },
        false);
    set(collider.node, "sticky", 0.25);
    const firn::Body body = collider.bodies().at(0).body;
    for (size_t i = 0; i < body.position.size(); ++i) {
        // Linear from the bottom's 0 to the top's 1; samples are half a spacing below the surface they stand for.
        ASSERT_NEAR(body.particle_friction[i], 0.5 + body.position[i].y / 0.2, 0.06);
        ASSERT_EQ(body.particle_sticky[i], 0.25f);
    }
}

TEST(Collider, PiecesByName) {
    Collider collider(
        [](GU_Detail& detail, double) {
            firn::Transform aside;
            aside.translation[0] = 1;
            add_mesh(detail, box());
            add_mesh(detail, firn::transformed(box(), aside));
            const GA_RWHandleS name(detail.addStringTuple(GA_ATTRIB_PRIMITIVE, "name", 1));
            for (GA_Offset k = 0; k < detail.getNumPrimitives(); ++k) name.set(k, k < 12 ? "left" : "right");
        },
        false);
    EXPECT_EQ(collider.bodies().size(), 1u);
    set(collider.node, "pieces", "attribute");
    const std::vector<MovingBody> bodies = collider.bodies();
    ASSERT_EQ(bodies.size(), 2u);
    EXPECT_EQ(bodies[0].body.name, "left");
    EXPECT_EQ(bodies[1].body.name, "right");
    for (const firn::Float3& p : bodies[1].body.position) ASSERT_GT(p.x, 0.8f);
    set(collider.node, "piece_attribute", "nonsense");
    EXPECT_NE(collider.error().find("no primitive attribute 'nonsense'"), std::string::npos);
}

TEST(Collider, PackedPrimitivesMoveEachByTheirTransform) {
    const auto placement = [](int piece, double frame) {
        firn::Transform t;
        const double angle = 0.1 * (frame - 1) * (piece + 1);
        const double turn[9] = {std::cos(angle), -std::sin(angle), 0, std::sin(angle), std::cos(angle), 0, 0, 0, 1};
        std::copy(turn, turn + 9, t.rotation);
        t.translation[0] = piece + 0.125 * (frame - 1);
        return t;
    };
    Collider collider(
        [=](GU_Detail& detail, double time) {
            for (int piece = 0; piece < 2; ++piece) add_packed(detail, box(), placement(piece, frame_of(time)));
        },
        true);
    set(collider.node, "motion", "rigid");
    const std::vector<MovingBody> bodies = collider.bodies(4);
    ASSERT_EQ(bodies.size(), 2u);
    for (int piece = 0; piece < 2; ++piece) {
        const MovingBody& moving = bodies[static_cast<size_t>(piece)];
        EXPECT_EQ(moving.body.motion, Motion::rigid);
        const firn::Transform start = placement(piece, 3), end = placement(piece, 4);
        EXPECT_EQ(std::memcmp(&moving.body.placement, &start, sizeof start), 0);
        EXPECT_EQ(std::memcmp(&moving.end, &end, sizeof end), 0);
    }
    // At rest before it starts.
    const std::vector<MovingBody> first = collider.bodies(1);
    EXPECT_EQ(std::memcmp(&first[1].body.placement, &first[1].end, sizeof(firn::Transform)), 0);
    // The points are where the body is at this frame, and know how fast they are.
    collider.bodies(4);
    const firn::Float3 wanted = firn::apply_transform(bodies[0].end, bodies[0].body.position[0]);
    EXPECT_NEAR(collider.last.gdp()->getPos3(0).x(), wanted.x, 1e-6f);
    EXPECT_GT(value(*collider.last.gdp(), "v", 0), 2.0f);
}

TEST(Collider, AMeshThatMovesAsAWholeIsRigid) {
    const auto at = [](double frame) {
        firn::Transform t;
        t.translation[1] = 0.1 * (frame - 1);
        return firn::transformed(box(), t);
    };
    Collider collider([=](GU_Detail& detail, double time) { add_mesh(detail, at(frame_of(time))); }, true);
    set(collider.node, "motion", "rigid");
    const std::vector<MovingBody> bodies = collider.bodies(5);
    ASSERT_EQ(bodies.size(), 1u);
    EXPECT_NEAR(bodies[0].body.placement.translation[1], 0.3, 1e-6);
    EXPECT_NEAR(bodies[0].end.translation[1], 0.4, 1e-6);
    // Scrubbing back gives what was there before.
    const std::vector<MovingBody> third = collider.bodies(3);
    EXPECT_NEAR(third[0].end.translation[1], 0.2, 1e-6);
}

TEST(Collider, WhatDeformsIsNotRigidAndIsFollowed) {
    const auto at = [](double frame) {
        firn::Mesh mesh = box();
        for (firn::Float3& p : mesh.points) p.y *= static_cast<float>(1 + 0.1 * (frame - 1));
        return mesh;
    };
    Collider collider([=](GU_Detail& detail, double time) { add_mesh(detail, at(frame_of(time))); }, true);
    set(collider.node, "motion", "rigid");
    EXPECT_NE(collider.error(3).find("Animated Deforming"), std::string::npos);
    set(collider.node, "motion", "deforming");
    const std::vector<MovingBody> bodies = collider.bodies(3);
    ASSERT_EQ(bodies.size(), 1u);
    EXPECT_EQ(bodies[0].body.motion, Motion::deforming);
    const firn::SurfaceSamples first = firn::sample_surface(at(1), {0.02f, -1, false});
    const firn::SurfaceSamples before = firn::follow(first, at(2)), now = firn::follow(first, at(3));
    ASSERT_EQ(bodies[0].body.position.size(), before.position.size());
    for (size_t i = 0; i < before.position.size(); ++i) {
        ASSERT_NEAR(bodies[0].body.position[i].y, before.position[i].y, 1e-6f);
        ASSERT_NEAR(bodies[0].end_position[i].y, now.position[i].y, 1e-6f);
    }
}

TEST(Collider, AContainerKeepsSnowInside) {
    Collider collider([](GU_Detail& detail, double) { add_mesh(detail, box()); }, false);
    set(collider.node, "inverted", 1.0);
    const firn::Body body = collider.bodies().at(0).body;
    for (size_t i = 0; i < body.position.size(); ++i) {
        const firn::Float3 &p = body.position[i], &n = body.normal[i];
        // Outside the box, facing in.
        ASSERT_GT(std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}), 0.1f);
        ASSERT_LT(p.x * n.x + p.y * n.y + p.z * n.z, 0.0f);
    }
}

TEST(Collider, AHeightFieldAndWhatIsNone) {
    const auto field = [](GU_Detail& detail, int depth) {
        GEO_PrimVolume* volume = GU_PrimVolume::build(&detail);
        volume->setLattice({-0.5f, 0, -0.5f}, 0.1f, true);
        auto voxels = volume->getVoxelWriteHandle();
        voxels->size(11, 11, depth);
        for (int j = 0; j < 11; ++j)
            for (int i = 0; i < 11; ++i) voxels->setValue(i, j, 0, 0.25f);
    };
    Collider collider([=](GU_Detail& detail, double) { field(detail, 1); }, false);
    const firn::Body body = collider.bodies().at(0).body;
    ASSERT_GT(body.position.size(), 1000u);
    for (size_t i = 0; i < body.position.size(); ++i) {
        ASSERT_NEAR(body.position[i].y, 0.24f, 1e-4f);
        ASSERT_GT(body.normal[i].y, 0.99f);
    }
    Collider dense([=](GU_Detail& detail, double) { field(detail, 5); }, false);
    EXPECT_NE(dense.error().find("height field"), std::string::npos);
}

TEST(Collider, MergedCollidersStayApart) {
    Houdini houdini;
    OP_Node *a = houdini.node("firn::snow_collider"), *b = houdini.node("firn::snow_collider");
    OP_Node* packed = houdini.geometry([](GU_Detail& detail, double) { add_packed(detail, box(), {}); }, true);
    OP_Node* plane = houdini.geometry([](GU_Detail& detail, double) { add_mesh(detail, firn::plane_mesh(1, 1)); });
    a->setInput(0, packed);
    set(a, "motion", "rigid");
    b->setInput(0, plane);
    OP_Context context;
    GU_Detail merged;
    for (OP_Node* node : {a, b}) merged.merge(*dynamic_cast<SOP_Node&>(*node).getCookedGeoHandle(context).gdp());
    const std::vector<MovingBody> bodies = firn::read_bodies(merged);
    ASSERT_EQ(bodies.size(), 2u);
    EXPECT_EQ(bodies[0].body.motion, Motion::rigid);
    EXPECT_EQ(bodies[1].body.motion, Motion::still);
}

TEST(Collider, APlaneIsOnePointAndStaysOneWhenMerged) {
    Houdini houdini;
    OP_Node *ground = houdini.node("firn::snow_collider"), *other = houdini.node("firn::snow_collider");
    firn::Transform tilted;
    const double c = std::cos(0.4), s = std::sin(0.4), about_x[9] = {1, 0, 0, 0, c, -s, 0, s, c};
    std::copy(about_x, about_x + 9, tilted.rotation);
    tilted.translation[1] = 0.5;
    ground->setInput(0, houdini.geometry([=](GU_Detail& detail, double) {
        add_mesh(detail, firn::transformed(firn::plane_mesh(1, 2), tilted));
    }));
    set(ground, "plane", 1);
    set(ground, "plane_size", 3);
    set(ground, "friction", 0.1);
    other->setInput(0, houdini.geometry([](GU_Detail& detail, double) { add_packed(detail, box(), {}); }, true));
    OP_Context context;
    GU_Detail merged;
    for (OP_Node* node : {other, ground})
        merged.merge(*dynamic_cast<SOP_Node&>(*node).getCookedGeoHandle(context).gdp());
    const std::vector<MovingBody> bodies = firn::read_bodies(merged);
    ASSERT_EQ(bodies.size(), 2u) << ground->messageText(UT_ERROR_ABORT) << other->messageText(UT_ERROR_ABORT);
    EXPECT_FALSE(bodies[0].body.source);
    EXPECT_GT(bodies[0].body.position.size(), 10u);
    EXPECT_TRUE(bodies[1].body.position.empty());
    const firn::PlaneShape* const plane = firn::plane_shape(bodies[1].body.source.get());
    ASSERT_TRUE(plane);
    EXPECT_EQ(plane->size_x, 3);
    EXPECT_FLOAT_EQ(bodies[1].body.friction, 0.1f);
    EXPECT_NEAR(plane->placement.translation[1], 0.5, 1e-6);
    const firn::Float3 up = firn::turned(plane->placement, firn::Float3{0, 1, 0});
    EXPECT_NEAR(up.x, 0, 1e-6);
    EXPECT_NEAR(up.y, c, 1e-6);
    EXPECT_NEAR(up.z, s, 1e-6);
}

TEST(Collider, NothingToRunIntoIsAWarning) {
    Collider collider([](GU_Detail& detail, double) { add_points(detail, {{0, 0, 0}}); }, false);
    EXPECT_TRUE(collider.bodies().empty());
    EXPECT_NE(collider.node->messageText(UT_ERROR_WARNING).find("nothing to collide with"), std::string::npos);
}

}  // namespace
