// firn::snow_grains.

#include <gtest/gtest.h>

#include <cmath>

#include "firn/grains.h"
#include "scenes/scenes.h"
#include "snow_details.h"
#include "solver_loop.h"

namespace {

/// A ball with ids, `shift` metres along x from where it was born.
void snow(GU_Detail& detail, float shift, bool with_rest) {
    add_points(detail, scenes::lattice_ball(0.1, 0.02, {0, 0.5, 0}));
    const GA_Size count = detail.getNumPoints();
    const GA_RWHandleF pscale(detail.addFloatTuple(GA_ATTRIB_POINT, "pscale", 1)),
        heat(detail.addFloatTuple(GA_ATTRIB_POINT, "heat", 1));
    const GA_RWHandleV3 v(detail.addFloatTuple(GA_ATTRIB_POINT, "v", 3)), p(detail.getP());
    const GA_RWHandleV3 rest(with_rest ? detail.addFloatTuple(GA_ATTRIB_POINT, "rest", 3) : nullptr);
    for (GA_Offset k = 0; k < count; ++k) {
        if (with_rest) rest.set(k, p.get(k));
        p.set(k, p.get(k) + UT_Vector3(shift, 0, 0));
        pscale.set(k, 0.01f);
        heat.set(k, 3.5f);
        v.set(k, UT_Vector3(1, 2, 3));
    }
}

std::vector<UT_Vector3> places(const GU_DetailHandle& cooked) {
    std::vector<UT_Vector3> all;
    const GA_ROHandleV3 p(cooked.gdp()->getP());
    for (GA_Offset k = 0; k < cooked.gdp()->getNumPoints(); ++k) all.push_back(p.get(k));
    return all;
}

TEST(SnowGrains, AreThoseOfTheRunnerAndMoveWithTheSnow) {
    Houdini houdini;
    OP_Node* node = houdini.node("firn::snow_grains");
    node->setInput(0, houdini.geometry([](GU_Detail& detail, double) { snow(detail, 0.25f, true); }));
    set(node, "attributes", "heat");
    const GU_DetailHandle cooked = Houdini::cook(node, 1);
    ASSERT_TRUE(cooked.isValid()) << node->messageText(UT_ERROR_ABORT);
    // The same through the core: every grain in its place.
    firn::Particles first, now;
    for (const auto& p : scenes::lattice_ball(0.1, 0.02, {0, 0.5, 0})) {
        first.position.push_back(p);
        now.position.push_back({p.x + 0.25f, p.y, p.z});
        now.velocity.push_back({1, 2, 3});
    }
    firn::GrainSettings settings;
    settings.spacing = 0.02f;
    const firn::RenderGrains grains = firn::GrainField(now, births_from(first, now), settings).all();
    const std::vector<UT_Vector3> made = places(cooked);
    ASSERT_EQ(made.size(), grains.count());
    const GA_ROHandleF heat(cooked.gdp()->findAttribute(GA_ATTRIB_POINT, "heat")),
        pscale(cooked.gdp()->findAttribute(GA_ATTRIB_POINT, "pscale"));
    const GA_ROHandleV3 v(cooked.gdp()->findAttribute(GA_ATTRIB_POINT, "v"));
    double mass = 0;
    for (size_t k = 0; k < made.size(); ++k) {
        EXPECT_EQ(made[k].x(), grains.position[k].x);
        EXPECT_EQ(made[k].y(), grains.position[k].y);
        EXPECT_EQ(heat.get(GA_Offset(k)), 3.5f);
        EXPECT_NEAR(v.get(GA_Offset(k)).z(), 3, 1e-5);
        mass += 4.0 / 3 * M_PI * std::pow(double(pscale.get(GA_Offset(k))), 3) * 400 / firn::grain_packing;
    }
    EXPECT_NEAR(mass / (double(first.count()) * 400 * 8e-6), 1, 1e-3);
}

TEST(SnowGrains, TakeTheFirstFrameFromTheSecondInput) {
    Houdini houdini;
    OP_Node *by_attribute = houdini.node("firn::snow_grains"), *by_input = houdini.node("firn::snow_grains");
    by_attribute->setInput(0, houdini.geometry([](GU_Detail& detail, double) { snow(detail, 0.25f, true); }));
    by_input->setInput(0, houdini.geometry([](GU_Detail& detail, double) { snow(detail, 0.25f, false); }));
    EXPECT_TRUE(Houdini::cook(by_input, 1).isNull());
    EXPECT_NE(by_input->messageText(UT_ERROR_ABORT).find("Time Shift"), std::string::npos);
    by_input->setInput(1, houdini.geometry([](GU_Detail& detail, double) { snow(detail, 0, false); }));
    const GU_DetailHandle a = Houdini::cook(by_attribute, 1), b = Houdini::cook(by_input, 1);
    ASSERT_TRUE(a.isValid() && b.isValid()) << by_input->messageText(UT_ERROR_ABORT);
    const std::vector<UT_Vector3> left = places(a), right = places(b);
    ASSERT_EQ(left.size(), right.size());
    for (size_t k = 0; k < left.size(); ++k) EXPECT_EQ(left[k].x(), right[k].x());
    set(by_input, "attributes", "nonsense");
    EXPECT_TRUE(Houdini::cook(by_input, 1).isNull());
    EXPECT_NE(by_input->messageText(UT_ERROR_ABORT).find("no point attribute 'nonsense'"), std::string::npos);
}

}  // namespace
