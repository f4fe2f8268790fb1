// firn::snow_step.

#include <GA/GA_Handle.h>
#include <gtest/gtest.h>

#include "houdini.h"
#include "scenes/scenes.h"

namespace {

void ball(GU_Detail& detail) {
    const std::vector<firn::Float3> points = scenes::lattice_ball(0.1, 0.02, {0, 1, 0});
    const GA_Offset first = detail.appendPointBlock(static_cast<GA_Size>(points.size()));
    for (size_t i = 0; i < points.size(); ++i)
        detail.setPos3(first + static_cast<GA_Offset>(i), {points[i].x, points[i].y, points[i].z});
}

TEST(Step, SnowFallsOnTheExactParabola) {
    Houdini houdini;
    OP_Node* step = houdini.node("firn::snow_step");
    step->setInput(0, houdini.geometry([](GU_Detail& detail, double) { ball(detail); }));
    const GU_DetailHandle before = Houdini::cook(step, 1);
    ASSERT_TRUE(before.isValid()) << step->messageText(UT_ERROR_ABORT);
    const float start = before.gdp()->getPos3(0).y();
    const GU_DetailHandle after = Houdini::cook(step, 2);
    ASSERT_TRUE(after.isValid()) << step->messageText(UT_ERROR_ABORT);
    const double t = 1.0 / 24;
    EXPECT_NEAR(after.gdp()->getPos3(0).y(), start - 0.5 * 9.81 * t * t, 1e-5);
}

}  // namespace
