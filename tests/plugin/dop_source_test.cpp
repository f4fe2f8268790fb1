// Sources and forces of the DOP.

#include <SIM/SIM_Force.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dopnet.h"
#include "samples/wind_force.h"
#include "scenes/scenes.h"

namespace {

using firn::Float3;

constexpr float spacing = 0.02f;

std::vector<Float3> cloud(double height) {
    return scenes::lattice_ball(0.05, spacing, {0, height, 0});
}

void solve(Dopnet& net, const char* emission = "changes") {
    Dopnet::solve(net.find("snow"), [&](SIM_Options& o) {
        o.setOptionF("spacing", spacing);
        o.setOptionI("emission", std::string(emission) == "always");
    });
}

/// `shape` gives the source's geometry at each frame.
Dopnet::Nodes snow_from(const std::function<void(SIM_Object*, int)>& shape, const char* emission = "changes") {
    return [shape, emission](Dopnet& net, int frame, bool first) {
        if (first) {
            SIM_Object* snow = net.add("snow");
            SIM_Object* source = net.add("source");
            net.relate("source", "SIM_RelationshipSource", snow, source);
        }
        shape(net.find("source"), frame);
        solve(net, emission);
    };
}

TEST(DopSource, PointsBecomeSnowOnce) {
    Dopnet net(snow_from([](SIM_Object* source, int) { set_points(source, cloud(1)); }));
    const auto count = static_cast<GA_Size>(cloud(1).size());
    for (int frame = 1; frame <= 4; ++frame) {
        net.go_to(frame);
        ASSERT_EQ(snow_of(net).getNumPoints(), count) << "frame " << frame;
    }
    EXPECT_EQ(net.said(), "");
    EXPECT_LT(floats(snow_of(net), "v")[1], -1) << "it falls";
}

TEST(DopSource, OtherPointsAppearAndOldSnowGoesOn) {
    const auto shape = [](SIM_Object* source, int frame) { set_points(source, cloud(frame < 3 ? 1.0 : 2.0)); };
    Dopnet net(snow_from(shape)), alone(snow_from([](SIM_Object*source, int) { set_points(source, cloud(1)); }));
    net.go_to(5);
    alone.go_to(5);
    const size_t count = 3 * cloud(1).size();
    const std::vector<float> both = floats(snow_of(net), "P"), first = floats(snow_of(alone), "P");
    ASSERT_EQ(both.size(), 2 * count);
    // A metre apart, the two know nothing of each other; only the order of the sort is another.
    for (size_t i = 0; i < count; ++i) ASSERT_NEAR(both[i], first[i], 1e-5);
    const GA_ROHandleT<int64> id(&snow_of(net), GA_ATTRIB_POINT, "id");
    for (GA_Index k = 0; k < snow_of(net).getNumPoints(); ++k) ASSERT_EQ(id.get(snow_of(net).pointOffset(k)), k);

    // The same from a file that was saved between the two.
    Dopnet saved(snow_from(shape));
    saved.go_to(2);
    Dopnet loaded(snow_from(shape));
    ASSERT_TRUE(loaded.load_state(saved.saved()));
    loaded.go_to(5);
    EXPECT_EQ(snow_state(loaded), snow_state(net));
}

TEST(DopSource, EveryStepWhenTold) {
    Dopnet net(snow_from([](SIM_Object* source, int frame) { set_points(source, cloud(frame)); }, "always"));
    net.go_to(3);
    EXPECT_EQ(snow_of(net).getNumPoints(), static_cast<GA_Size>(3 * cloud(1).size()));
}

TEST(DopSource, AMeshIsFilled) {
    Dopnet net(snow_from([](SIM_Object* source, int) { set_mesh(source, firn::box_mesh({0.2f, 0.1f, 0.1f})); }));
    net.go_to(1);
    // 10 x 5 x 5 particles of 2 cm.
    EXPECT_EQ(snow_of(net).getNumPoints(), 250);
}

TEST(DopForce, AGravityForceTakesThePlaceOfTheParameter) {
    Dopnet net([](Dopnet& n, int, bool first) {
        if (first) set_points(n.add("snow"), cloud(1));
        auto* gravity = SIM_DATA_CREATE(*n.find("snow"), "Forces/Gravity", SIM_ForceGravity, SIM_DATA_RETURN_EXISTING);
        gravity->setGravity(UT_Vector3D(0, -1.62, 0));
        solve(n);
    });
    net.go_to(3);
    EXPECT_EQ(net.said(), "");
    EXPECT_NEAR(floats(snow_of(net), "v")[1], -1.62 * 2 / 24, 1e-5);
}

TEST(DopForce, OtherForcesAccelerateByTheirMass) {
    register_wind_force();
    Dopnet net([](Dopnet& n, int, bool first) {
        if (first) set_points(n.add("snow"), cloud(1));
        SIM_Data* wind = n.find("snow")->createNamedSubData("Forces/Wind", "SIM_WindForce", SIM_DATA_RETURN_EXISTING);
        ASSERT_NE(wind, nullptr);
        SIM_Options options;
        options.setOptionV3("velocity", UT_Vector3D(4, 0, 0));
        options.setOptionF("drag", 0.5);
        wind->setParameters(options);
        Dopnet::solve(n.find("snow"), [](SIM_Options& o) {
            o.setOptionF("spacing", spacing);
            o.setOptionV3("gravity", UT_Vector3D(0, 0, 0));
        });
    });
    net.go_to(2);
    EXPECT_EQ(net.said(), "");
    // drag * (wind - v), with v = 0 at the beginning of the frame.
    EXPECT_NEAR(floats(snow_of(net), "v")[0], 0.5 * 4 / 24, 1e-5);
    net.go_to(3);
    const double v1 = 0.5 * 4 / 24, v2 = v1 + 0.5 * (4 - v1) / 24;
    EXPECT_NEAR(floats(snow_of(net), "v")[0], v2, 1e-5);
    EXPECT_TRUE(floats(snow_of(net), "acceleration").empty()) << "forces are not left behind as an attribute";
}

TEST(DopForce, AForceThatIsTakenAwayActsNoLonger) {
    register_wind_force();
    Dopnet net([](Dopnet& n, int frame, bool first) {
        if (first) set_points(n.add("snow"), cloud(1));
        SIM_Object* snow = n.find("snow");
        if (frame == 2) {
            SIM_Data* wind = snow->createNamedSubData("Forces/Wind", "SIM_WindForce", 0);
            SIM_Options options;
            options.setOptionV3("velocity", UT_Vector3D(4, 0, 0));
            wind->setParameters(options);
        }
        if (frame == 3) snow->removeNamedSubData(SIM_FORCES_DATANAME);
        solve(n);
    });
    net.go_to(2);
    const float pushed = floats(snow_of(net), "v")[0];
    EXPECT_NEAR(pushed, 4.0 / 24, 1e-5);
    net.go_to(3);
    EXPECT_NEAR(floats(snow_of(net), "v")[0], pushed, 1e-6);
}

TEST(DopForce, AirActsOnSnowWithoutNeighbours) {
    Dopnet net([](Dopnet& n, int, bool first) {
        if (first) set_points(n.add("snow"), {{0, 1, 0}});
        Dopnet::solve(n.find("snow"), [](SIM_Options& o) {
            o.setOptionF("spacing", spacing);
            o.setOptionV3("gravity", UT_Vector3D(0, 0, 0));
            o.setOptionV3("wind", UT_Vector3D(0, 0, 6));
            o.setOptionF("drag", 2);
        });
    });
    net.go_to(2);
    // u (1 - e^(-drag t)), to first order in substeps of at most 5 ms.
    EXPECT_NEAR(floats(snow_of(net), "v")[2], 6 * (1 - std::exp(-2.0 / 24)), 5e-3);
}

TEST(DopSoak, ThousandsOfSmallSolves) {
    // Under ASan: nothing is lost, and nothing is used after it was freed, when frames are made and thrown away.
    for (int round = 0; round < 100; ++round) {
        Dopnet net(snow_from([&](SIM_Object* source, int frame) {
            set_points(source, scenes::lattice_ball(0.03, spacing, {0, double(frame / 3), 0}));
        }));
        net.go_to(4);
        const std::string file = net.saved();
        net.go_to(2);
        net.forget_later_steps();
        net.go_to(5);
        ASSERT_TRUE(net.load_state(file));
        net.go_to(6);
        net.restart();
        net.go_to(3);
        ASSERT_EQ(net.said(), "");
    }
}

}  // namespace
