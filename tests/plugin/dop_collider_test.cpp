// Colliders of the DOP: what stands still, moves and deforms is found from what changes, and gives the engine's own
// bits.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>

#include "dopnet.h"
#include "firn/engine.h"
#include "firn/samples.h"
#include "remembered_snow.h"
#include "scenes/scenes.h"
#include "snow_details.h"

namespace {

using firn::Float3;

constexpr float spacing = 0.02f;

std::vector<Float3> ball() {
    return scenes::lattice_ball(0.06, spacing, {0, 0.09, 0});
}

firn::Parameters settings() {
    firn::Parameters parameters;
    parameters.spacing = spacing;
    return parameters;
}

firn::Mesh plate() {
    return firn::box_mesh({0.3f, 0.04f, 0.3f});
}

/// Turns about z and rises; in Houdini's convention and in ours.
UT_DMatrix4 houdini_placement(int frame) {
    const double angle = 0.05 * (frame - 1), c = std::cos(angle), s = std::sin(angle);
    UT_DMatrix4 m(1.0);
    m(0, 0) = c;
    m(0, 1) = s;
    m(1, 0) = -s;
    m(1, 1) = c;
    m(3, 1) = 0.01 * (frame - 1);
    return m;
}

firn::Transform placement(int frame) {
    const double angle = 0.05 * (frame - 1), c = std::cos(angle), s = std::sin(angle);
    return {{c, -s, 0, s, c, 0, 0, 0, 1}, {0, 0.01 * (frame - 1), 0}};
}

/// The plate's points at a frame when it is twisted as it rises: corners go apart by millimetres.
std::vector<Float3> twisted(int frame) {
    std::vector<Float3> points = plate().points;
    for (Float3& p : points) p.y += static_cast<float>(frame - 1) * (0.008f + 0.004f * (p.x / 0.15f) * (p.z / 0.15f));
    return points;
}

using Move = std::function<void(SIM_Object*, int frame)>;

Dopnet::Nodes snow_and(const Move& move) {
    return [move](Dopnet& net, int frame, bool first) {
        if (first) {
            SIM_Object* snow = net.add("snow");
            set_points(snow, ball());
            SIM_Object* collider = net.add("plate");
            set_mesh(collider, plate());
            net.relate("collide", "SIM_RelationshipCollide", snow, collider);
        }
        move(net.find("plate"), frame);
        Dopnet::solve(net.find("snow"), [](SIM_Options& o) { o.setOptionF("spacing", spacing); });
    };
}

firn::SurfaceSamples plate_samples() {
    firn::SurfaceSettings surface;
    surface.spacing = spacing;
    return firn::sample_surface(plate(), surface);
}

firn::Body plate_body(firn::Motion motion) {
    const firn::SurfaceSamples samples = plate_samples();
    firn::Body body;
    body.motion = motion;
    body.position = samples.position;
    if (motion == firn::Motion::deforming)
        body.position = firn::follow(samples, plate()).position;
    else
        body.normal = samples.normal;
    body.volume = firn::boundary_volumes(samples.position, spacing, settings().boundary_volume);
    return body;
}

std::vector<float> flat(const std::vector<Float3>& vectors) {
    std::vector<float> out;
    for (const Float3& v : vectors) out.insert(out.end(), {v.x, v.y, v.z});
    return out;
}

void turn(SIM_Object* object, int frame) {
    set_transform(object, houdini_placement(frame));
}

void twist(SIM_Object* object, int frame) {
    set_mesh(object, {twisted(frame), plate().triangles});
}

/// Frame by frame the DOPs' snow is bit-identical to the engine's, and it meets the colliders.
void expect_the_same_snow(Dopnet& net, firn::Engine& engine, const std::function<void(int)>& move_bodies) {
    firn::Particles snow;
    snow.position = ball();
    engine.upload(snow);
    for (int frame = 2; frame <= 6; ++frame) {
        move_bodies(frame);
        engine.advance(1.0 / 24);
        engine.download(snow);
        net.go_to(frame);
        ASSERT_EQ(net.said(), "");
        ASSERT_EQ(floats(snow_of(net), "P"), flat(snow.position)) << "frame " << frame;
        ASSERT_EQ(floats(snow_of(net), "v"), flat(snow.velocity)) << "frame " << frame;
    }
    EXPECT_GT(*std::max_element(snow.pressure.begin(), snow.pressure.end()), 0) << "they have met";
}

/// Two packed plates in one object: one turns and rises while the other slides.
firn::Transform sliding(int frame) {
    return {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {-0.125 + 0.0078125 * (frame - 1), -0.0625, 0}};
}

firn::Transform turning(int frame) {
    firn::Transform t = placement(frame);
    t.translation[0] = 0.0625;
    // A point's position is floats.
    for (double& x : t.translation) x = static_cast<float>(x);
    return t;
}

void move_packed(SIM_Object* object, int frame) {
    SIM_GeometryCopy* geometry = nullptr;
    GU_Detail& detail = written(object, geometry);
    detail.clearAndDestroy();
    add_packed(detail, plate(), turning(frame));
    add_packed(detail, plate(), sliding(frame));
    geometry->releaseGeometry();
}

TEST(DopCollider, PackedPrimitivesOfOneObjectAreRigidBodiesToTheBit) {
    Dopnet net(snow_and(move_packed));
    firn::Engine engine(settings(), "cpu");
    firn::BodyId bodies[2];
    for (const int k : {0, 1}) {
        firn::Body body = plate_body(firn::Motion::rigid);
        body.placement = k ? sliding(1) : turning(1);
        bodies[k] = engine.add_body(body);
    }
    expect_the_same_snow(net, engine, [&](int frame) {
        engine.move_body(bodies[0], turning(frame));
        engine.move_body(bodies[1], sliding(frame));
    });
}

TEST(DopCollider, WhatIsNotPackedIsABodyOfItsOwnBesideTheOnesThatAre) {
    const auto mixed = [](SIM_Object* object, int frame) {
        move_packed(object, frame);
        SIM_GeometryCopy* geometry = nullptr;
        GU_Detail& detail = written(object, geometry);
        add_mesh(detail, firn::sphere_mesh(0.05f, 2));
        // The third piece comes when the others have long been seen, and the second goes.
        if (frame >= 4) add_packed(detail, plate(), turning(frame + 20));
        geometry->releaseGeometry();
    };
    Dopnet net(snow_and(mixed));
    net.go_to(3);
    EXPECT_EQ(net.said(), "");
    const auto motions = [&] {
        std::ostringstream bytes;
        net.find("snow")->getConstNamedSubData("SnowState")->saveToStream(bytes, UT_COMPRESSION_TYPE_NONE);
        std::istringstream from(bytes.str());
        firn::RememberedSnow state;
        EXPECT_TRUE(firn::read_remembered(
            [&](char* to, size_t count) { return bool(from.read(to, static_cast<std::streamsize>(count))); }, state));
        std::map<std::string, firn::Motion> all;
        for (const firn::RememberedCollider& collider : state.colliders) all[collider.piece] = collider.motion;
        return all;
    };
    using firn::Motion;
    const std::map<std::string, Motion> three{
        {"", Motion::still}, {"packed0", Motion::rigid}, {"packed1", Motion::rigid}};
    EXPECT_EQ(motions(), three);
    net.go_to(4);
    std::map<std::string, Motion> four = three;
    const size_t sphere = firn::sphere_mesh(0.05f, 2).triangles.size();
    four["packed" + std::to_string(2 + sphere)] = Motion::still;
    EXPECT_EQ(motions(), four);
    net.go_to(5);
    EXPECT_EQ(net.said(), "");
    EXPECT_EQ(motions().size(), 4u);
}

TEST(DopCollider, PackedPiecesAreKnownByTheirNamesInWhateverOrder) {
    const auto moved = [](bool swapped) {
        return [swapped](SIM_Object* object, int frame) {
            SIM_GeometryCopy* geometry = nullptr;
            GU_Detail& detail = written(object, geometry);
            detail.clearAndDestroy();
            const bool other = swapped && frame == 4;
            add_packed(detail, plate(), other ? sliding(frame) : turning(frame));
            add_packed(detail, plate(), other ? turning(frame) : sliding(frame));
            const GA_RWHandleS name(detail.addStringTuple(GA_ATTRIB_PRIMITIVE, "name", 1));
            name.set(detail.primitiveOffset(0), other ? "slide" : "turn");
            name.set(detail.primitiveOffset(1), other ? "turn" : "slide");
            geometry->releaseGeometry();
        };
    };
    Dopnet straight(snow_and(moved(false))), swapped(snow_and(moved(true)));
    straight.go_to(6);
    swapped.go_to(6);
    EXPECT_EQ(swapped.said(), "");
    // Sums over the bodies are made in another order for a frame; a body that had jumped would throw the ball.
    const std::vector<float> a = floats(snow_of(straight), "P"), b = floats(snow_of(swapped), "P");
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-3) << i;
}

TEST(DopCollider, AMovingObjectIsARigidBodyToTheBit) {
    Dopnet net(snow_and(turn));
    firn::Engine engine(settings(), "cpu");
    const firn::BodyId body = engine.add_body(plate_body(firn::Motion::rigid));
    expect_the_same_snow(net, engine, [&](int frame) { engine.move_body(body, placement(frame)); });
}

TEST(DopCollider, ADeformingObjectIsADeformingBodyToTheBit) {
    Dopnet net(snow_and(twist));
    firn::Engine engine(settings(), "cpu");
    const firn::SurfaceSamples samples = plate_samples();
    const firn::BodyId body = engine.add_body(plate_body(firn::Motion::deforming));
    expect_the_same_snow(net, engine, [&](int frame) {
        engine.move_body(body, firn::follow(samples, {twisted(frame), plate().triangles}).position);
    });
}

TEST(DopCollider, PointsThatMoveAsOneAreARigidBody) {
    // The same motion once by the object's transform and once by its points.
    const auto points_turn = [](SIM_Object* object, int frame) {
        set_mesh(object, firn::transformed(plate(), placement(frame)));
    };
    Dopnet by_transform(snow_and(turn)), by_points(snow_and(points_turn));
    by_transform.go_to(5);
    by_points.go_to(5);
    const std::vector<float> a = floats(snow_of(by_transform), "P"), b = floats(snow_of(by_points), "P");
    ASSERT_EQ(a.size(), b.size());
    // Points are floats: the motion found from them is right to their rounding, which contact passes on.
    for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-4) << i;
}

TEST(DopCollider, ScrubbingAndFilesKnowWhereCollidersWere) {
    for (const Move& move : {Move(turn), Move(twist), Move(move_packed)}) {
        Dopnet net(snow_and(move));
        net.go_to(3);
        const std::string file = net.saved();
        net.go_to(6);
        const auto end = snow_state(net);

        net.go_to(3);
        net.forget_later_steps();
        net.go_to(6);
        EXPECT_EQ(snow_state(net), end) << "after scrubbing back";

        Dopnet loaded(snow_and(move));
        ASSERT_TRUE(loaded.load_state(file));
        loaded.go_to(6);
        EXPECT_EQ(snow_state(loaded), end) << "from the file";
    }
}

TEST(DopCollider, AScaledObjectIsAsLargeAsItLooks) {
    const auto grown = [](SIM_Object* object, int) {
        UT_DMatrix4 m(2.0);
        m(3, 3) = 1;
        set_transform(object, m);
    };
    Dopnet net(snow_and(grown));
    net.guide_options.setOptionB("showguide", true);
    net.go_to(2);
    const SIM_Object& snow = *net.find("snow");
    UT_DMatrix4 transform;
    const GU_ConstDetailHandle guide = snow.getConstNamedSubData(SIM_SOLVER_DATANAME)
                                           ->getGuideGeometry(snow, "Solver", transform, net.getSimulationTime());
    float widest = 0;
    for (GA_Index k = 0; k < guide.gdp()->getNumPoints(); ++k)
        widest = std::max(widest, guide.gdp()->getPos3(guide.gdp()->pointOffset(k)).x());
    // Twice 0.15 m, and half a spacing inside.
    EXPECT_NEAR(widest, 0.3 - 0.5 * spacing, 1e-4);
}

TEST(DopCollider, OtherPolygonsAreAWarning) {
    const auto change = [](SIM_Object* object, int frame) {
        if (frame == 3) set_mesh(object, firn::sphere_mesh(0.05f, 2));
    };
    Dopnet net(snow_and(change));
    net.go_to(4);
    ASSERT_EQ(net.complaints().size(), 1u) << net.said();
    EXPECT_EQ(net.complaints()[0].severity, UT_ERROR_WARNING);
    EXPECT_NE(net.said().find("other polygons"), std::string::npos);
}

TEST(DopCollider, FrictionIsTheObjectsOwnWhereItHasSome) {
    const auto slope = [](double friction) {
        return [friction](Dopnet& net, int, bool first) {
            if (first) {
                SIM_Object* snow = net.add("snow");
                set_points(snow, scenes::lattice_box(5, 3, 5, spacing, {0, 0.5 * spacing, 0}));
                SIM_Object* floor = net.add("floor");
                set_mesh(floor, firn::plane_mesh(1, 1));
                auto* physical =
                    SIM_DATA_CREATE(*floor, SIM_PHYSICALPARMS_DATANAME, SIM_PhysicalParms, SIM_DATA_RETURN_EXISTING);
                physical->setFriction(friction);
                net.relate("collide", "SIM_RelationshipCollide", snow, floor);
            }
            Dopnet::solve(net.find("snow"), [](SIM_Options& o) {
                o.setOptionF("spacing", spacing);
                o.setOptionV3("gravity", UT_Vector3D(3, -9.81, 0));  // as on a slope of 17 degrees
            });
        };
    };
    Dopnet icy(slope(0)), rough(slope(2));
    icy.go_to(4);
    rough.go_to(4);
    const auto fastest = [](Dopnet& net) {
        float speed = 0;
        const std::vector<float> v = floats(snow_of(net), "v");
        for (size_t i = 0; i < v.size(); i += 3) speed = std::max(speed, v[i]);
        return speed;
    };
    EXPECT_NEAR(fastest(icy), 3 * 3.0 / 24, 0.05);
    EXPECT_LT(fastest(rough), 0.1);
}

}  // namespace
