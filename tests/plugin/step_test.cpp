// firn::snow_step in a loop: the state is in the geometry, so that whatever an artist does with frames gives the bits
// that a fresh run gives.

#include <OP/OP_NodeInfoParms.h>
#include <UT/UT_Interrupt.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "firn/mesh.h"
#include "scenes/scenes.h"
#include "snow_details.h"
#include "solver_loop.h"

namespace {

/// A ball above a floor; the ball is a source, the floor a collider.
struct Drop {
    Houdini houdini;
    SolverLoop loop{houdini};
    OP_Node* source = houdini.node("firn::snow_source");
    OP_Node* collider = houdini.node("firn::snow_collider");

    Drop() {
        source->setInput(0, houdini.geometry([](GU_Detail& detail, double) {
            firn::Transform up;
            up.translation[1] = 0.12;
            add_mesh(detail, firn::transformed(firn::sphere_mesh(0.1f, 2), up));
        }));
        source->setFloat("velocity", 1, 0, -2);
        collider->setInput(
            0, houdini.geometry([](GU_Detail& detail, double) { add_mesh(detail, firn::plane_mesh(0.5f, 0.5f)); }));
        loop.step->setInput(1, source);
        loop.step->setInput(2, collider);
    }
    firn::Particles at(int frame) {
        const GU_DetailHandle handle = loop.frame(frame);
        EXPECT_TRUE(handle.isValid()) << loop.step->messageText(UT_ERROR_ABORT);
        return handle.isValid() ? snow_of(*handle.gdp()) : firn::Particles();
    }
};

TEST(Step, SnowFallsOnTheExactParabola) {
    Houdini houdini;
    OP_Node* step = houdini.node("firn::snow_step");
    step->setInput(0, houdini.geometry([](GU_Detail& detail, double) {
        add_points(detail, scenes::lattice_ball(0.1, 0.02, {0, 1, 0}));
    }));
    const GU_DetailHandle before = Houdini::cook(step, 1);
    ASSERT_TRUE(before.isValid()) << step->messageText(UT_ERROR_ABORT);
    const float start = before.gdp()->getPos3(0).y();
    const GU_DetailHandle after = Houdini::cook(step, 2);
    ASSERT_TRUE(after.isValid()) << step->messageText(UT_ERROR_ABORT);
    const double t = 1.0 / 24;
    EXPECT_NEAR(after.gdp()->getPos3(0).y(), start - 0.5 * 9.81 * t * t, 1e-5);
    EXPECT_NEAR(value(*after.gdp(), "age", 0), t, 1e-7);
    EXPECT_FLOAT_EQ(value(*after.gdp(), "pscale", 0), 0.01f);
}

TEST(Step, TheFloorHoldsTheSnow) {
    Drop drop;
    const firn::Particles first = drop.at(1), last = drop.at(8);
    ASSERT_GT(first.count(), 400u);
    EXPECT_EQ(first.count(), last.count());
    float lowest = 1;
    for (const firn::Float3& p : last.position) lowest = std::min(lowest, p.y);
    EXPECT_GT(lowest, -0.005f);
    EXPECT_LT(lowest, 0.03f);
}

TEST(Step, TheLoadOnTheFloorIsWhatTheSnowLost) {
    Drop drop;
    const auto momentum = [&](int frame) {
        double sum = 0;
        const firn::Particles snow = drop.at(frame);
        for (size_t i = 0; i < snow.count(); ++i)
            sum += snow.rest_density[i] * 0.02 * 0.02 * 0.02 * double(snow.velocity[i].y);
        return sum;
    };
    const double before = momentum(3), after = momentum(4), seconds = 1.0 / 24;
    const GU_DetailHandle handle = drop.loop.frame(4);
    const GU_Detail& snow = *handle.gdp();
    const GA_Attribute* named = snow.findAttribute(GA_ATTRIB_DETAIL, "load_bodies");
    ASSERT_NE(named, nullptr);
    const std::string name = GA_ROHandleS(named).get(GA_Offset(0)).toStdString();
    ASSERT_EQ(name.find(' '), std::string::npos) << "one body";
    const GA_Attribute* force = snow.findAttribute(GA_ATTRIB_DETAIL, ("force_" + name).c_str());
    ASSERT_NE(force, nullptr);
    EXPECT_NE(snow.findAttribute(GA_ATTRIB_DETAIL, ("torque_" + name).c_str()), nullptr);
    const std::vector<float> density = snow_of(snow).rest_density;
    const double mass = 0.02 * 0.02 * 0.02 * std::accumulate(density.begin(), density.end(), 0.0);
    const double expected = -(after - before) / seconds - 9.81 * mass;
    EXPECT_LT(expected, -10);
    EXPECT_NEAR(GA_ROHandleV3(force).get(GA_Offset(0)).y(), expected, 0.01 * std::abs(expected));

    // Without the floor there is no load, nor that of the frame before.
    drop.loop.step->setInput(2, nullptr);
    const GU_DetailHandle without = drop.loop.frame(5);
    ASSERT_TRUE(without.isValid());
    EXPECT_EQ(without.gdp()->findAttribute(GA_ATTRIB_DETAIL, "load_bodies"), nullptr);
    EXPECT_EQ(without.gdp()->findAttribute(GA_ATTRIB_DETAIL, ("force_" + name).c_str()), nullptr);
}

TEST(Step, ScrubbingBackAndOnGivesTheSameBits) {
    Drop drop;
    const firn::Particles fourth = drop.at(4), sixth = drop.at(6);
    // Back, without the cache: the engine holds frame 6 and must notice.
    drop.loop.forget_from(3);
    EXPECT_EQ(differences(drop.at(4), fourth), "");
    EXPECT_EQ(differences(drop.at(6), sixth), "");
    // A node that has never cooked goes on from a frame that another one made.
    Drop fresh;
    EXPECT_EQ(differences(fresh.at(6), sixth), "");
}

TEST(Step, AnEditedFrameIsSimulatedAsAFreshNodeWould) {
    const auto kick = [](GU_Detail& detail) {
        const GA_RWHandleV3 v(detail.findAttribute(GA_ATTRIB_POINT, "v"));
        for (GA_Iterator it(detail.getPointRange()); !it.atEnd(); ++it) v.set(*it, UT_Vector3(0.5f, 1.0f, 0.0f));
        v.bumpDataId();
        for (GA_Offset k = 0; k < 40; ++k) detail.destroyPointOffset(3 * k);
        detail.bumpDataIdsForAddOrRemove(true, false, false);
    };
    Drop used, fresh;
    used.at(6);
    used.loop.edit(4, kick);
    fresh.at(4);
    fresh.loop.edit(4, kick);
    const firn::Particles a = used.at(6), b = fresh.at(6);
    EXPECT_EQ(differences(a, b), "");
    EXPECT_EQ(a.count(), used.at(1).count() - 40);
    Drop untouched;
    EXPECT_NE(differences(a, untouched.at(6)), "");
}

TEST(Step, OneThreadAndTwoGiveTheSameBits) {
    Drop one, two;
    set(one.loop.step, "threads", 1);
    set(two.loop.step, "threads", 2);
    EXPECT_EQ(differences(one.at(5), two.at(5)), "");
}

TEST(Step, AttributesThatAreNotOursAreCarriedAlong) {
    Drop drop;
    drop.at(1);
    drop.loop.edit(1, [](GU_Detail& detail) {
        const GA_RWHandleV3 colour(detail.addFloatTuple(GA_ATTRIB_POINT, "Cd", 3));
        for (GA_Iterator it(detail.getPointRange()); !it.atEnd(); ++it) colour.set(*it, UT_Vector3(float(*it), 0, 1));
        detail.bumpAllDataIds();
    });
    const GU_DetailHandle third = drop.loop.frame(3);
    ASSERT_TRUE(third.isValid());
    EXPECT_EQ(value(*third.gdp(), "Cd", 5), 5.0f);
    EXPECT_EQ(value(*third.gdp(), "Cd", 5, 2), 1.0f);
}

TEST(Step, UnchangedAttributesKeepTheirDataIdsAndChangedOnesDont) {
    Drop drop;
    const GU_DetailHandle second = drop.loop.frame(2), third = drop.loop.frame(3);
    ASSERT_TRUE(third.isValid());
    int kept = 0;
    for (const auto& attribute : second.gdp()->attributes(GA_ATTRIB_POINT)) {
        const GA_Attribute* after = third.gdp()->findAttribute(GA_ATTRIB_POINT, attribute->getName());
        ASSERT_NE(after, nullptr);
        const GA_Size count = second.gdp()->getNumPointOffsets();
        const bool same_data = attribute->contentHash(count) == after->contentHash(count);
        const bool same_id = attribute->getDataId() == after->getDataId();
        EXPECT_TRUE(same_data || !same_id) << attribute->getName().c_str() << " changed, and nobody said so";
        kept += same_id;
    }
    // Six numbers of snow and the radius.
    EXPECT_GE(kept, 7);
}

TEST(Step, EscapeStopsWithinASubstepAndTheFrameComesOutWholeLater) {
    Drop drop, undisturbed;
    drop.at(3);
    UT_Interrupt* boss = UTgetInterrupt();
    boss->shown.clear();
    int left = 5;
    boss->escape = [&] { return --left <= 0; };
    EXPECT_TRUE(drop.loop.frame(4).isNull());
    boss->escape = {};
    EXPECT_NE(drop.loop.step->messageText(UT_ERROR_ABORT).find("interrupted"), std::string::npos);
    EXPECT_EQ(boss->getOpDepth(), 0);
    const auto told = [&](const std::string& text) {
        return std::any_of(boss->shown.begin(), boss->shown.end(),
                           [&](const std::string& s) { return s.find(text) != std::string::npos; });
    };
    EXPECT_TRUE(told("Simulating snow"));
    EXPECT_TRUE(told("substep 1"));
    EXPECT_EQ(differences(drop.at(5), undisturbed.at(5)), "");
}

TEST(Step, ErrorsAreRedWithOneLineThatSaysWhatToDo) {
    Drop drop;
    drop.at(2);
    drop.loop.step->setString("cuda:99", CH_STRING_LITERAL, "device", 0, 0);
    EXPECT_TRUE(drop.loop.frame(3).isNull());
    EXPECT_NE(drop.loop.step->messageText(UT_ERROR_ABORT).find("device = cpu"), std::string::npos)
        << drop.loop.step->messageText(UT_ERROR_ABORT);
    drop.loop.step->setString("auto", CH_STRING_LITERAL, "device", 0, 0);
    set(drop.loop.step, "poisson_ratio", 0.7);
    EXPECT_TRUE(drop.loop.frame(3).isNull());
    EXPECT_NE(drop.loop.step->messageText(UT_ERROR_ABORT).find("poisson_ratio = 0.7"), std::string::npos);
    set(drop.loop.step, "poisson_ratio", 0.2);
    set(drop.loop.step, "memory_limit", 1e-6);
    EXPECT_TRUE(drop.loop.frame(3).isNull());
    EXPECT_NE(drop.loop.step->messageText(UT_ERROR_ABORT).find("memory_limit"), std::string::npos);
    set(drop.loop.step, "memory_limit", 0.0);
    EXPECT_TRUE(drop.loop.frame(3).isValid()) << drop.loop.step->messageText(UT_ERROR_ABORT);
}

TEST(Step, AnAttributeOfTheWrongKindIsAnError) {
    Drop drop;
    drop.at(2);
    drop.loop.edit(2, [](GU_Detail& detail) {
        detail.destroyAttribute(GA_ATTRIB_POINT, "strain");
        detail.addFloatTuple(GA_ATTRIB_POINT, "strain", 3);
        detail.bumpAllDataIds();
    });
    EXPECT_TRUE(drop.loop.frame(3).isNull());
    EXPECT_NE(drop.loop.step->messageText(UT_ERROR_ABORT).find("strain has to be 6 numbers"), std::string::npos);
}

TEST(Step, AnArrayOrADictionaryOfOneOfOurNamesIsAnError) {
    using Add = std::function<void(GU_Detail&)>;
    const Add ways[] = {[](GU_Detail& d) { d.addFloatArray(GA_ATTRIB_POINT, "strain"); },
                        [](GU_Detail& d) { d.addIntArray(GA_ATTRIB_POINT, "id"); },
                        [](GU_Detail& d) { d.addDictTuple(GA_ATTRIB_POINT, "v", 1); },
                        [](GU_Detail& d) { d.addFloatArray(GA_ATTRIB_POINT, "pscale"); },
                        [](GU_Detail& d) { d.addFloatArray(GA_ATTRIB_POINT, "density", 1); },
                        [](GU_Detail& d) { d.addStringArray(GA_ATTRIB_DETAIL, "load_bodies"); }};
    for (const Add& add : ways) {
        Drop drop;
        drop.at(2);
        drop.loop.edit(2, [&](GU_Detail& detail) {
            add(detail);
            detail.bumpAllDataIds();
        });
        EXPECT_TRUE(drop.loop.frame(3).isNull());
        EXPECT_NE(drop.loop.step->messageText(UT_ERROR_ABORT).find("is an array or a dictionary; delete or rename it"),
                  std::string::npos)
            << drop.loop.step->messageText(UT_ERROR_ABORT);
    }
}

TEST(Step, AProcessWithoutAnInterrupterCooksTheSame) {
    Drop with, without;
    const firn::Particles wanted = with.at(4);
    const hdk_fake::WithoutInterrupt none;
    EXPECT_EQ(differences(without.at(4), wanted), "");
}

/// A Sort SOP in the loop: the points are in another order, and no attribute says so.
TEST(Step, AReorderingNeverPutsTheEnginesOrderOnOtherPoints) {
    for (const bool announced : {false, true}) {
        const auto sort = [&](GU_Detail& detail) {
            std::vector<GA_Offset> order;
            for (GA_Offset k = detail.getNumPointOffsets(); k-- > 0;) order.push_back(k);
            std::swap(order[3], order[40]);
            detail.reorderPoints(order, announced);
        };
        Drop plain, sorted;
        const firn::Particles wanted = plain.at(6);
        sorted.at(4);
        sorted.loop.edit(4, sort);
        EXPECT_EQ(differences(sorted.at(6), wanted), "") << "announced " << announced;
    }
}

int uploads(const Drop& drop) {
    OP_Context context;
    OP_NodeInfoParms info;
    drop.loop.step->getNodeSpecificInfoText(context, info);
    const std::string label = "taken anew from the geometry: ";
    const size_t at = info.text().find(label);
    return at == std::string::npos ? -1 : std::stoi(info.text().substr(at + label.size()));
}

TEST(Step, AWiredAndEmptyForcesInputCostsNoUpload) {
    Drop without, empty, blowing;
    empty.loop.step->setInput(3, empty.houdini.geometry([](GU_Detail&, double) {}));
    blowing.loop.step->setInput(3, blowing.houdini.geometry([](GU_Detail& detail, double) {
        add_points(detail, {{0, 0, 0}});
        const GA_RWHandleID id(detail.addIntTuple(GA_ATTRIB_POINT, "id", 1));
        id.set(0, 0);
        GA_RWHandleV3(detail.addFloatTuple(GA_ATTRIB_POINT, "force", 3)).set(0, UT_Vector3(1, 0, 0));
    }));
    EXPECT_EQ(differences(empty.at(6), without.at(6)), "");
    blowing.at(6);
    EXPECT_EQ(uploads(without), 1);
    EXPECT_EQ(uploads(empty), 1);
    EXPECT_EQ(uploads(blowing), 5) << "forces are another thing at every frame";
}

TEST(Step, IdsAreNumbersThatNobodyMayAverage) {
    Drop drop;
    EXPECT_EQ(drop.loop.frame(2).gdp()->findAttribute(GA_ATTRIB_POINT, "id")->getTypeInfo(),
              GA_TYPE_NONARITHMETIC_INTEGER);
}

TEST(Step, TwoPointsWithOneIdAreAnError) {
    Drop drop;
    drop.at(2);
    drop.loop.edit(2, [](GU_Detail& detail) {
        GA_RWHandleID(detail.findAttribute(GA_ATTRIB_POINT, "id")).set(1, 0);
        detail.bumpAllDataIds();
    });
    EXPECT_TRUE(drop.loop.frame(3).isNull());
    EXPECT_NE(drop.loop.step->messageText(UT_ERROR_ABORT).find("same id"), std::string::npos);
}

TEST(Step, WarningsAreYellow) {
    Drop drop;
    set(drop.loop.step, "solver", "split");
    set(drop.loop.step, "pressure_iterations_max", 1);
    set(drop.loop.step, "pressure_tolerance", 1e-7);
    drop.at(4);
    EXPECT_NE(drop.loop.step->messageText(UT_ERROR_WARNING).find("pressure_iterations_max"), std::string::npos);
    EXPECT_EQ(drop.loop.step->error(), UT_ERROR_WARNING);
}

TEST(Step, TheInfoTextTellsDeviceMemoryAndIterations) {
    Drop drop;
    drop.at(3);
    OP_Context context;
    OP_NodeInfoParms info;
    drop.loop.step->getNodeSpecificInfoText(context, info);
    for (const char* text :
         {"Device: cpu", "snow and", "boundary particles, about", "MB", "substeps", "pressure and", "shear iterations"})
        EXPECT_NE(info.text().find(text), std::string::npos) << info.text();
}

TEST(Step, TimeScaleAndSubsteps) {
    Drop slow, usual;
    set(slow.loop.step, "timescale", 0.5);
    for (Drop* drop : {&slow, &usual}) drop->loop.step->setInput(2, nullptr);
    // In the air: 2 m/s and gravity for the whole frame, or for half of it.
    const auto fall = [](double t) { return 2 * t + 0.5 * 9.81 * t * t; };
    EXPECT_NEAR(usual.at(1).position[0].y - usual.at(2).position[0].y, fall(1.0 / 24), 1e-5);
    EXPECT_NEAR(slow.at(1).position[0].y - slow.at(2).position[0].y, fall(0.5 / 24), 1e-5);

    Drop many;
    set(many.loop.step, "substeps_min", 300);
    many.at(3);
    OP_Context context;
    OP_NodeInfoParms info;
    many.loop.step->getNodeSpecificInfoText(context, info);
    EXPECT_NE(info.text().find("\n300 substeps"), std::string::npos) << info.text();
    set(many.loop.step, "substeps_max", 5);
    many.loop.forget_from(1);
    EXPECT_TRUE(many.loop.frame(2).isNull());
}

TEST(Step, PointsWithForcesGiveThemToTheirParticle) {
    Houdini houdini;
    SolverLoop loop(houdini);
    OP_Node* source = houdini.node("firn::snow_source");
    source->setInput(0, houdini.geometry([](GU_Detail& detail, double) {
        add_points(detail, {{0, 1, 0}, {0.5f, 1, 0}});
    }));
    loop.step->setInput(1, source);
    loop.step->setInput(3, houdini.geometry([](GU_Detail& detail, double) {
        add_points(detail, {{9, 9, 9}});
        GA_RWHandleID(detail.addIntTuple(GA_ATTRIB_POINT, "id", 1, GA_Defaults(0), nullptr, nullptr, GA_STORE_INT64))
            .set(0, 1);
        GA_RWHandleV3(detail.addFloatTuple(GA_ATTRIB_POINT, "force", 3)).set(0, UT_Vector3(12, 0, 0));
    }));
    const GU_DetailHandle snow = loop.frame(2);
    ASSERT_TRUE(snow.isValid()) << loop.step->messageText(UT_ERROR_ABORT);
    EXPECT_EQ(value(*snow.gdp(), "v", 0), 0.0f);
    EXPECT_NEAR(value(*snow.gdp(), "v", 1), 12.0 / 24, 1e-5);
    loop.step->setInput(3, houdini.geometry([](GU_Detail& detail, double) { add_points(detail, {{0, 0, 0}}); }));
    loop.forget_from(2);
    EXPECT_TRUE(loop.frame(2).isNull());
    EXPECT_NE(loop.step->messageText(UT_ERROR_ABORT).find("named wind or force"), std::string::npos);
}

/// Many cooks in every order; what leaks, races or runs past an array is for the sanitizers to find.
TEST(Step, CooksBackAndForthForAWhile) {
    const char* wanted = std::getenv("FIRN_COOKS");
    const int cooks = wanted ? std::atoi(wanted) : 60;
    Drop drop;
    set(drop.source, "spacing", 0.04);
    set(drop.collider, "spacing", 0.04);
    set(drop.loop.step, "spacing", 0.04);
    const firn::Particles fourth = drop.at(4);
    for (int k = 0; k < cooks; ++k) {
        if (k % 5 == 0) drop.loop.forget_from(2 + k % 3);
        if (k % 7 == 0) set(drop.collider, "friction", 0.1 * (k % 9));
        if (k % 11 == 0) drop.loop.forget_from(1);
        ASSERT_TRUE(drop.loop.frame(1 + (k * 5) % 6).isValid()) << drop.loop.step->messageText(UT_ERROR_ABORT);
    }
    set(drop.collider, "friction", 0.5);
    drop.loop.forget_from(1);
    EXPECT_EQ(differences(drop.at(4), fourth), "");
}

}  // namespace
