// Colliders and sources of every kind of primitive: what Firn can use is used as it looks, the rest is an error.

#include <GU/GU_PackedFragment.h>
#include <GU/GU_PrimMetaBall.h>
#include <GU/GU_PrimNURBCurve.h>
#include <GU/GU_PrimSphere.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "body_transfer.h"
#include "firn/rigid_transform.h"
#include "houdini.h"
#include "snow_details.h"

namespace {

using firn::Float3;
using firn::Motion;
using firn::MovingBody;

firn::Mesh box() {
    return firn::box_mesh({0.2f, 0.1f, 0.3f});
}

firn::Transform turned(double frame) {
    firn::Transform t;
    const double angle = 0.3 * frame;
    const double turn[9] = {std::cos(angle), -std::sin(angle), 0, std::sin(angle), std::cos(angle), 0, 0, 0, 1};
    std::copy(turn, turn + 9, t.rotation);
    t.translation[0] = 0.25 * frame;
    t.translation[1] = -1;
    return t;
}

struct Collider {
    Houdini houdini;
    OP_Node* node = houdini.node("firn::snow_collider");

    explicit Collider(const GeometryNode::Make& make, bool moves = false) {
        node->setInput(0, houdini.geometry(make, moves));
    }
    std::vector<MovingBody> bodies(int frame = 1) {
        const GU_DetailHandle cooked = Houdini::cook(node, frame);
        EXPECT_TRUE(cooked.isValid()) << node->messageText(UT_ERROR_ABORT);
        return cooked.isValid() ? firn::read_bodies(*cooked.gdp()) : std::vector<MovingBody>();
    }
    std::string error(int frame = 1) {
        EXPECT_TRUE(Houdini::cook(node, frame).isNull());
        return node->messageText(UT_ERROR_ABORT);
    }
};

double frame_of(double time) {
    return std::round(time * 24 + 1);
}

/// Whether they cover the same shape. Unpacking and taking the transform out again rounds the points, and where a
/// particle stands on an edge may depend on that.
void expect_same_cover(const std::vector<Float3>& a, const std::vector<Float3>& b) {
    const auto corners = [](const std::vector<Float3>& all) {
        Float3 low = all.at(0), high = low;
        for (const Float3& p : all) {
            low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
            high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
        }
        return std::vector<Float3>{low, high};
    };
    const std::vector<Float3> of_a = corners(a), of_b = corners(b);
    for (size_t k = 0; k < 2; ++k) {
        EXPECT_NEAR(of_a[k].x, of_b[k].x, 2e-3f);
        EXPECT_NEAR(of_a[k].y, of_b[k].y, 2e-3f);
        EXPECT_NEAR(of_a[k].z, of_b[k].z, 2e-3f);
    }
    EXPECT_NEAR(static_cast<double>(b.size()), static_cast<double>(a.size()), 0.05 * static_cast<double>(a.size()));
}

float furthest(const std::vector<Float3>& a, const std::vector<Float3>& b) {
    float most = a.size() == b.size() ? 0.0f : 1e9f;
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        most = std::max({most, std::abs(a[i].x - b[i].x), std::abs(a[i].y - b[i].y), std::abs(a[i].z - b[i].z)});
    return most;
}

TEST(ColliderKinds, APolygonSoupIsItsPolygonsToTheBit) {
    Collider mesh([](GU_Detail& detail, double) { add_mesh(detail, box()); });
    Collider soup([](GU_Detail& detail, double) { add_soup(detail, box()); });
    const std::vector<MovingBody> a = mesh.bodies(), b = soup.bodies();
    ASSERT_EQ(b.size(), 1u);
    EXPECT_EQ(furthest(a[0].body.position, b[0].body.position), 0.0f);
    EXPECT_EQ(furthest(a[0].body.normal, b[0].body.normal), 0.0f);
}

/// Packed Alembic: an animated prop, from frame to frame.
TEST(ColliderKinds, APackedAlembicMovesAsPackedGeometryDoes) {
    Collider packed([](GU_Detail& d, double time) { add_packed(d, box(), turned(frame_of(time))); }, true);
    Collider alembic([](GU_Detail& d, double time) { add_reference(d, box(), turned(frame_of(time))); }, true);
    for (Collider* collider : {&packed, &alembic}) set(collider->node, "motion", "rigid");
    for (const int frame : {1, 2, 5}) {
        const std::vector<MovingBody> a = packed.bodies(frame), b = alembic.bodies(frame);
        ASSERT_EQ(b.size(), 1u);
        EXPECT_EQ(b[0].body.motion, Motion::rigid);
        expect_same_cover(a[0].body.position, b[0].body.position);
        EXPECT_TRUE(a[0].body.placement == b[0].body.placement);
        EXPECT_TRUE(a[0].end == b[0].end);
    }
}

/// Packed Alembic: a character.
TEST(ColliderKinds, APackedAlembicThatDeformsIsFollowed) {
    const auto bent = [](double frame) {
        firn::Mesh mesh = box();
        for (Float3& p : mesh.points) p.y += static_cast<float>(0.5 * frame) * p.x * p.z;
        return mesh;
    };
    Collider alembic([&](GU_Detail& d, double t) { add_reference(d, bent(frame_of(t)), turned(0)); }, true);
    set(alembic.node, "motion", "rigid");
    EXPECT_NE(alembic.error(3).find("Animated Deforming"), std::string::npos);
    set(alembic.node, "motion", "deforming");
    const std::vector<MovingBody> bodies = alembic.bodies(3);
    ASSERT_EQ(bodies.size(), 1u);
    EXPECT_EQ(bodies[0].body.motion, Motion::deforming);
    EXPECT_GT(furthest(bodies[0].body.position, bodies[0].end_position), 1e-4f);
}

TEST(ColliderKinds, AMissingAlembicFileIsAnError) {
    Collider collider([](GU_Detail& detail, double) { hdk_fake::pack_reference(detail, GU_ConstDetailHandle()); });
    EXPECT_NE(collider.error().find("is its file there?"), std::string::npos);
}

TEST(ColliderKinds, AnEmptyPackedPrimitiveIsNothing) {
    Collider collider([](GU_Detail& detail, double) {
        add_mesh(detail, box());
        add_reference(detail, firn::Mesh(), turned(1));
    });
    EXPECT_EQ(collider.bodies().size(), 1u);
}

/// Two boxes in one detail, each a fragment of its own.
void add_fragments(GU_Detail& detail, double frame) {
    GU_DetailHandle both;
    both.allocateAndSet(new GU_Detail);
    firn::Transform aside;
    aside.translation[2] = 2;
    add_mesh(*both.gdpNC(), box());
    const GA_Size first = both.gdp()->getNumPrimitives();
    add_mesh(*both.gdpNC(), firn::transformed(box(), aside));
    GA_Attribute* names = both.gdpNC()->addStringTuple(GA_ATTRIB_PRIMITIVE, "piece", 1);
    for (GA_Iterator it(both.gdp()->getPrimitiveRange()); !it.atEnd(); ++it)
        GA_RWHandleS(names).set(*it, *it < first ? "left" : "right");
    for (const char* name : {"left", "right"}) {
        GU_PrimPacked* fragment = GU_PackedFragment::createFragment(detail, both, names, UT_StringHolder(name));
        place_packed(detail, fragment, turned(frame));
    }
}

TEST(ColliderKinds, AFragmentIsItsOwnPrimitivesWhicheverWayHoudiniAnswers) {
    for (const bool whole : {true, false}) {
        GU_PackedFragment::answers_with_whole_detail = whole;
        Collider collider([](GU_Detail& d, double time) { add_fragments(d, frame_of(time)); }, true);
        set(collider.node, "motion", "rigid");
        const std::vector<MovingBody> bodies = collider.bodies(3);
        ASSERT_EQ(bodies.size(), 2u);
        Collider alone([](GU_Detail& d, double time) { add_packed(d, box(), turned(frame_of(time))); }, true);
        set(alone.node, "motion", "rigid");
        expect_same_cover(bodies[0].body.position, alone.bodies(3)[0].body.position);
        for (const Float3& p : bodies[1].body.position) ASSERT_GT(p.z, 1.8f);
    }
    GU_PackedFragment::answers_with_whole_detail = true;
}

TEST(ColliderKinds, ASphereIsConvertedAndAMetaballIsAnError) {
    const auto add_sphere = [](GU_Detail& detail) {
        GU_PrimSphereParms parms(&detail);
        for (unsigned k = 0; k < 3; ++k) parms.xform(k, k) = 0.15f;
        parms.xform(3, 0) = 1;
        GU_PrimSphere::build(parms);
    };
    Collider sphere([&](GU_Detail& detail, double) { add_sphere(detail); });
    const std::vector<MovingBody> bodies = sphere.bodies();
    ASSERT_EQ(bodies.size(), 1u);
    for (const Float3& p : bodies[0].body.position) ASSERT_NEAR(std::hypot(p.x - 1, p.y, p.z), 0.14, 0.012);
    // Beside polygons it is one body more, and they stay as they are.
    Collider both([&](GU_Detail& detail, double) {
        add_sphere(detail);
        add_mesh(detail, box());
    });
    const std::vector<MovingBody> two = both.bodies();
    ASSERT_EQ(two.size(), 2u);
    EXPECT_EQ(two[0].body.position.size() + two[1].body.position.size(),
              bodies[0].body.position.size() +
                  Collider([](GU_Detail& d, double) { add_mesh(d, box()); }).bodies()[0].body.position.size());

    Collider ball([](GU_Detail& detail, double) {
        add_mesh(detail, box());
        GU_PrimMetaBall::build(&detail);
    });
    EXPECT_NE(ball.error().find("Convert to polygons"), std::string::npos) << "never dropped without a word";
}

TEST(ColliderKinds, ASourceFillsWhatItIsGivenAndPointsOnlyWithoutPrimitives) {
    Houdini houdini;
    const auto filled = [&](const GeometryNode::Make& make, std::string* error = nullptr) {
        OP_Node* source = houdini.node("firn::snow_source");
        source->setInput(0, houdini.geometry(make));
        const GU_DetailHandle cooked = Houdini::cook(source, 1);
        if (error) *error = source->messageText(UT_ERROR_ABORT);
        return cooked.isValid() ? cooked.gdp()->getNumPoints() : -1;
    };
    const GA_Size box_of_snow = filled([](GU_Detail& d, double) { add_mesh(d, box()); });
    ASSERT_GT(box_of_snow, 100);
    EXPECT_EQ(filled([](GU_Detail& d, double) { add_soup(d, box()); }), box_of_snow);
    // Another place may cut the lattice elsewhere; a rigid placement fills the shape in its own space.
    EXPECT_EQ(filled([](GU_Detail& d, double) { add_packed(d, box(), turned(2)); }), box_of_snow);
    EXPECT_NEAR(filled([](GU_Detail& d, double) { add_reference(d, box(), turned(2)); }), box_of_snow,
                0.1 * static_cast<double>(box_of_snow));
    EXPECT_EQ(filled([](GU_Detail& d, double) { add_points(d, {{0, 0, 0}, {1, 0, 0}}); }), 2);
    // Two points of a line are no snow.
    std::string error;
    EXPECT_EQ(filled(
                  [](GU_Detail& d, double) {
                      add_points(d, {{0, 0, 0}, {1, 0, 0}});
                      GU_PrimPoly* line = GU_PrimPoly::build(&d, 0, GU_POLY_OPEN, 0);
                      line->appendVertex(0);
                      line->appendVertex(1);
                  },
                  &error),
              -1);
    EXPECT_NE(error.find("is a curve"), std::string::npos) << error;
}

/// An open polygon along the corners of a square: it looks like a face in everything but its flag.
void add_open_square(GU_Detail& detail) {
    const GA_Offset first = detail.getNumPointOffsets();
    add_points(detail, {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}});
    GU_PrimPoly* line = GU_PrimPoly::build(&detail, 0, GU_POLY_OPEN, 0);
    for (GA_Offset corner = first; corner < first + 4; ++corner) line->appendVertex(corner);
}

TEST(ColliderKinds, ACurveHasNoSurfaceAndIsNeverDroppedWithoutAWord) {
    const auto error = [](const GeometryNode::Make& make) { return Collider(make).error(); };
    EXPECT_NE(error([](GU_Detail& d, double) { add_open_square(d); }).find("primitive 0 is a curve"),
              std::string::npos);
    const std::string beside = error([](GU_Detail& d, double) {
        add_mesh(d, box());
        add_open_square(d);
    });
    EXPECT_NE(beside.find("primitive 12 is a curve"), std::string::npos) << beside;
    const std::string nurbs = error([](GU_Detail& d, double) { GU_PrimNURBCurve::build(&d, 4); });
    EXPECT_NE(nurbs.find("primitive 0 is a curve"), std::string::npos) << nurbs;
    const std::string packed = error([](GU_Detail& d, double) {
        GU_DetailHandle inside;
        inside.allocateAndSet(new GU_Detail);
        add_open_square(*inside.gdpNC());
        GU_PackedGeometry::packGeometry(d, inside);
    });
    EXPECT_NE(packed.find("packed primitive 'packed0': primitive 0 is a curve"), std::string::npos) << packed;
    // A polygon of two corners has no area: nothing of the shape is lost with it.
    Collider degenerate([](GU_Detail& d, double) {
        add_mesh(d, box());
        GU_PrimPoly* flat = GU_PrimPoly::build(&d, 0, GU_POLY_CLOSED, 0);
        flat->appendVertex(0);
        flat->appendVertex(1);
    });
    Collider plain([](GU_Detail& d, double) { add_mesh(d, box()); });
    EXPECT_EQ(furthest(degenerate.bodies()[0].body.position, plain.bodies()[0].body.position), 0.0f);
}

/// In Houdini, destroying elements one by one takes a time that grows with the square of their number; the fake
/// refuses.
TEST(ColliderKinds, ASphereAmongThousandsOfPolygonsIsConverted) {
    Collider many([](GU_Detail& detail, double) {
        for (int k = 0; k < 100; ++k) {
            firn::Transform aside;
            aside.translation[2] = k;
            add_mesh(detail, firn::transformed(box(), aside));
        }
        GU_PrimSphereParms parms(&detail);
        for (unsigned k = 0; k < 3; ++k) parms.xform(k, k) = 0.15f;
        parms.xform(3, 0) = 1;
        GU_PrimSphere::build(parms);
    });
    EXPECT_EQ(many.bodies().size(), 2u);
}

/// A node with two outputs, as RBD nodes have: a plane that stands still, and a box that moves.
class TwoOutputs : public SOP_Node {
public:
    TwoOutputs() : SOP_Node(nullptr, "rbd", nullptr) { flags().setTimeDep(true); }

private:
    OP_ERROR cookMySop(OP_Context& context) override {
        add_mesh(*gdp, firn::box_mesh({2, 0.01f, 2}));
        second_.allocateAndSet(new GU_Detail);
        add_packed(*second_.gdpNC(), box(), turned(frame_of(context.getTime())));
        return error();
    }
    GU_ConstDetailHandle furtherOutput(unsigned) const override { return second_; }
    GU_DetailHandle second_;
};

TEST(ColliderKinds, AMovingColliderTakesTheOutputThatItIsWiredTo) {
    TwoOutputs two;
    Houdini houdini;
    OP_Node* wired = houdini.node("firn::snow_collider");
    wired->setInput(0, &two, 1);
    set(wired, "motion", "rigid");
    Collider alone([](GU_Detail& d, double time) { add_packed(d, box(), turned(frame_of(time))); }, true);
    set(alone.node, "motion", "rigid");
    for (const int frame : {1, 4}) {
        const GU_DetailHandle cooked = Houdini::cook(wired, frame);
        ASSERT_TRUE(cooked.isValid()) << wired->messageText(UT_ERROR_ABORT);
        const std::vector<MovingBody> a = firn::read_bodies(*cooked.gdp()), b = alone.bodies(frame);
        ASSERT_EQ(a.size(), 1u);
        EXPECT_EQ(furthest(a[0].body.position, b[0].body.position), 0.0f);
        EXPECT_TRUE(a[0].body.placement == b[0].body.placement);
        EXPECT_TRUE(a[0].end == b[0].end);
    }
}

}  // namespace
