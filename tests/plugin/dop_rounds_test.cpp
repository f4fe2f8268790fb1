// A DOP network that somebody works on for a while: scrubs, edits frames, simulates again, saves and loads. What leaks,
// races or runs past an array is for the sanitizers to find; whatever happened before, the same frames come out.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>

#include "dopnet.h"
#include "firn/samples.h"
#include "scenes/scenes.h"
#include "snow_details.h"

namespace {

constexpr float spacing = 0.04f;
constexpr int last = 6;

/// Snow that falls on a packed plate that rises, on a sheet that bends and on a floor that stands still; more snow
/// comes from a source at every third frame.
void nodes(Dopnet& net, int frame, bool first) {
    if (first) {
        SIM_Object* snow = net.add("snow");
        set_points(snow, scenes::lattice_ball(0.1, spacing, {0, 0.16, 0}));
        for (const char* name : {"floor", "pieces", "sheet"})
            net.relate(name, "SIM_RelationshipCollide", snow, net.add(name));
        net.relate("source", "SIM_RelationshipSource", snow, net.add("cloud"));
        set_mesh(net.find("floor"), firn::plane_mesh(0.6f, 0.6f));
    }
    const auto step = static_cast<float>(frame - 1);
    firn::Mesh sheet = firn::box_mesh({0.2f, 0.04f, 0.2f});
    for (firn::Float3& p : sheet.points) p.y += 0.02f + 0.01f * step * p.x;
    set_mesh(net.find("sheet"), sheet);

    SIM_GeometryCopy* geometry = nullptr;
    GU_Detail& pieces = written(net.find("pieces"), geometry);
    pieces.clearAndDestroy();
    for (const double side : {-1.0, 1.0}) {
        firn::Transform t;
        t.translation[0] = 0.25 * side;
        t.translation[1] = 0.01 * step;
        add_packed(pieces, firn::box_mesh({0.1f, 0.04f, 0.1f}), t);
    }
    geometry->releaseGeometry();
    set_points(net.find("cloud"), {{0.05f * static_cast<float>(frame / 3), 0.4f, 0}});
    Dopnet::solve(net.find("snow"), [](SIM_Options& o) { o.setOptionF("spacing", spacing); });
}

/// Pushes the snow of the current frame sideways; everything after it is simulated again.
void edit(Dopnet& net, float by) {
    SIM_GeometryCopy* geometry = nullptr;
    GU_Detail& snow = written(net.find("snow"), geometry);
    for (GA_Index k = 0; k < snow.getNumPoints(); ++k) {
        const GA_Offset point = snow.pointOffset(k);
        snow.setPos3(point, snow.getPos3(point) + UT_Vector3(by, 0, 0));
    }
    geometry->releaseGeometry();
    net.forget_later_steps();
}

TEST(Dop, IsWorkedOnForAWhile) {
    const char* wanted = std::getenv("FIRN_COOKS");
    const int rounds = wanted ? std::atoi(wanted) : 60;
    std::map<int, std::vector<std::vector<float>>> expected;
    {
        Dopnet fresh(nodes);
        for (int frame = 1; frame <= last; ++frame) {
            fresh.go_to(frame);
            expected[frame] = snow_state(fresh);
        }
        ASSERT_EQ(fresh.said(), "");
    }
    auto net = std::make_unique<Dopnet>(nodes);
    bool edited = false;
    int earliest = 1;  // a file has one frame, and those before it are gone
    for (int k = 0; k < rounds; ++k) {
        const int frame = std::max(earliest, 1 + (k * 5) % last);
        net->go_to(frame);
        ASSERT_EQ(net->said(), "") << "round " << k;
        if (!edited) {
            ASSERT_EQ(snow_state(*net), expected[frame]) << "round " << k << ", frame " << frame;
        }
        if (k % 4 == 3) net->forget_later_steps();
        if (k % 7 == 6) {
            edit(*net, 0.001f * static_cast<float>(k % 5 + 1));
            edited = true;
        }
        if (k % 9 == 8) {
            auto loaded = std::make_unique<Dopnet>(nodes);
            ASSERT_TRUE(loaded->load_state(net->saved())) << "round " << k;
            net = std::move(loaded);
            earliest = frame;
        }
        if (k % 11 == 10) {
            net->restart();
            edited = false;
            earliest = 1;
        }
        net->messages.clear();
    }
    net->restart();
    net->go_to(last);
    EXPECT_EQ(snow_state(*net), expected[last]);
}

}  // namespace
