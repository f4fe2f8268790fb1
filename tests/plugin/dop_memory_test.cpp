// What a step of a DOP network leaves in memory and in files.

#include <gtest/gtest.h>
#include <malloc.h>

#include <cmath>
#include <sstream>

#include "dopnet.h"
#include "firn/mesh.h"
#include "snow_details.h"

namespace {

using firn::Float3;

constexpr float spacing = 0.02f;

/// A ground of n x n points, 4 m wide.
firn::Mesh ground(uint32_t n) {
    firn::Mesh mesh;
    for (uint32_t j = 0; j < n; ++j)
        for (uint32_t i = 0; i < n; ++i) {
            const float x = 4.0f * static_cast<float>(i) / static_cast<float>(n - 1) - 2,
                        z = 4.0f * static_cast<float>(j) / static_cast<float>(n - 1) - 2;
            mesh.points.push_back({x, 0.01f * std::sin(20 * x), z});
        }
    for (uint32_t j = 0; j + 1 < n; ++j)
        for (uint32_t i = 0; i + 1 < n; ++i) {
            const uint32_t a = j * n + i;
            mesh.triangles.push_back({a, a + n, a + 1});
            mesh.triangles.push_back({a + 1, a + n, a + n + 1});
        }
    return mesh;
}

/// One grain of snow, far above: the boundary particles are made once and never met.
Dopnet::Nodes grain_above(uint32_t n) {
    return [n](Dopnet& net, int, bool first) {
        if (first) {
            SIM_Object* snow = net.add("snow");
            set_points(snow, {{0, 50, 0}});
            SIM_Object* collider = net.add("ground");
            set_mesh(collider, ground(n));
            net.relate("collide", "SIM_RelationshipCollide", snow, collider);
        }
        Dopnet::solve(net.find("snow"), [](SIM_Options& o) { o.setOptionF("spacing", 0.1); });
    };
}

struct Growth {
    double heap, reported, copied;  ///< bytes for each frame
};

/// How much the cache grows with a frame: what the allocator says, what the data report, and what was copied.
Growth growth(uint32_t n) {
    Dopnet net(grain_above(n));
    constexpr int from = 4, to = 24;
    net.go_to(from);
    const auto heap = [] {
        const struct mallinfo2 now = ::mallinfo2();
        return static_cast<double>(now.uordblks + now.hblkhd);
    };
    const double before = heap();
    const auto reported = static_cast<double>(net.getTotalMemorySize()), copied = static_cast<double>(net.copied_bytes);
    net.go_to(to);
    EXPECT_EQ(net.said(), "");
    constexpr double frames = to - from;
    return {(heap() - before) / frames, (static_cast<double>(net.getTotalMemorySize()) - reported) / frames,
            (static_cast<double>(net.copied_bytes) - copied) / frames};
}

TEST(DopMemory, AStillColliderOf200kVerticesCostsNothingPerFrame) {
    // What a frame costs by itself is measured with a ground of nine vertices.
    const Growth small = growth(3), large = growth(448);
    ASSERT_GE(ground(448).points.size(), 200000u);
    RecordProperty("heap", std::to_string(large.heap - small.heap));
    RecordProperty("reported", std::to_string(large.reported - small.reported));
    RecordProperty("copied", std::to_string(large.copied - small.copied));
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    // mallinfo2() knows nothing of a sanitizer's heap.
#else
    EXPECT_LT(large.heap - small.heap, 1000.0);
#endif
    EXPECT_LT(large.reported - small.reported, 1000.0);
    EXPECT_LT(large.copied - small.copied, 1000.0);
}

TEST(DopMemory, AFileHasTheShapeOnceAndGoesOnFromIt) {
    Dopnet small(grain_above(3)), large(grain_above(100));
    small.go_to(4);
    large.go_to(4);
    // 10,000 points and 19,602 triangles, in the collider's own geometry and once more in the state.
    const size_t shape = 12 * 10000 + 12 * 19602;
    EXPECT_LT(large.saved().size(), small.saved().size() + 4 * shape);
    Dopnet loaded(grain_above(100));
    ASSERT_TRUE(loaded.load_state(large.saved()));
    EXPECT_EQ(loaded.saved(), large.saved());
}

TEST(DopMemory, WhichSnowASourceHasEmittedSurvivesAFile) {
    const auto nodes = [](Dopnet& net, int, bool first) {
        if (first) {
            SIM_Object *snow = net.add("snow"), *source = net.add("source");
            // Points whose hash needs all 64 bits: nearly any do.
            set_points(source, {{0.1f, 1, 0}, {0.2f, 1, 0}, {0.7f, 1, 0.3f}});
            net.relate("source", "SIM_RelationshipSource", snow, source);
        }
        Dopnet::solve(net.find("snow"), [](SIM_Options& o) { o.setOptionF("spacing", spacing); });
    };
    Dopnet net(nodes), loaded(nodes);
    net.go_to(2);
    ASSERT_EQ(snow_of(net).getNumPoints(), 3);
    ASSERT_TRUE(loaded.load_state(net.saved()));
    loaded.go_to(4);
    EXPECT_EQ(snow_of(loaded).getNumPoints(), 3) << "the same snow must not appear again";
}

TEST(DopMemory, DamagedStatesAreRefusedAndNeverCrash) {
    Dopnet net(grain_above(5));
    net.go_to(3);
    const std::string whole = net.saved();
    const size_t at = whole.find("FirnSnow");
    ASSERT_NE(at, std::string::npos);
    // Every byte of the state's beginning, and of all that follows some.
    for (size_t k = at; k < std::min(whole.size(), at + 600); k += k < at + 64 ? 1 : 7) {
        std::string damaged = whole;
        damaged[k] = static_cast<char>(damaged[k] ^ 0x5a);
        Dopnet other(grain_above(5));
        other.load_state(damaged);  // true or false, but in bounds
    }
    Dopnet other(grain_above(5));
    std::string wrong = whole;
    wrong[at] = 'X';
    EXPECT_FALSE(other.load_state(wrong));
    std::string newer = whole;
    newer[at + 8] = 99;
    EXPECT_FALSE(other.load_state(newer));
}

TEST(DopMemory, EverySnowObjectShowsItsOwnCollidersWhereTheyAreNow) {
    Dopnet net([](Dopnet& n, int frame, bool first) {
        if (first) {
            for (const char* name : {"snow", "more"}) {
                SIM_Object* snow = n.add(name);
                set_points(snow, {{0, 5, 0}});
                SIM_Object* floor = n.add((std::string(name) + "_floor").c_str());
                set_mesh(floor, firn::box_mesh({0.2f, 0.1f, 0.2f}));
                n.relate(name, "SIM_RelationshipCollide", snow, floor);
            }
        }
        UT_DMatrix4 place(1.0);
        place(3, 0) = 0.1 * frame;
        set_transform(n.find("snow_floor"), place);
        place(3, 0) = 10 + 0.1 * frame;
        set_transform(n.find("more_floor"), place);
        for (const char* name : {"snow", "more"})
            Dopnet::solve(n.find(name), [](SIM_Options& o) { o.setOptionF("spacing", spacing); });
    });
    net.guide_options.setOptionB("showguide", true);
    const auto middle = [&](const char* name) {
        const SIM_Object& snow = *net.find(name);
        UT_DMatrix4 transform;
        const GU_ConstDetailHandle guide = snow.getConstNamedSubData(SIM_SOLVER_DATANAME)
                                               ->getGuideGeometry(snow, "Solver", transform, net.getSimulationTime());
        if (!guide.isValid() || guide.gdp()->getNumPoints() == 0) return -1.0;
        double sum = 0;
        for (GA_Iterator it(guide.gdp()->getPointRange()); !it.atEnd(); ++it) sum += guide.gdp()->getPos3(*it).x();
        return sum / static_cast<double>(guide.gdp()->getNumPoints());
    };
    for (int frame = 1; frame <= 3; ++frame) {
        net.go_to(frame);
        EXPECT_NEAR(middle("snow"), 0.1 * frame, 1e-3) << frame;
        EXPECT_NEAR(middle("more"), 10 + 0.1 * frame, 1e-3) << frame;
    }
}

TEST(DopMemory, APackedAlembicColliderIsARigidBody) {
    Dopnet net([](Dopnet& n, int frame, bool first) {
        if (first) {
            SIM_Object *snow = n.add("snow"), *prop = n.add("prop");
            set_points(snow, {{0, 0.07f, 0}});
            n.relate("collide", "SIM_RelationshipCollide", snow, prop);
        }
        SIM_GeometryCopy* geometry = nullptr;
        GU_Detail& detail = written(n.find("prop"), geometry);
        detail.clearAndDestroy();
        firn::Transform rises;
        rises.translation[1] = 0.01 * frame;
        add_reference(detail, firn::box_mesh({0.4f, 0.1f, 0.4f}), rises);
        geometry->releaseGeometry();
        Dopnet::solve(n.find("snow"), [](SIM_Options& o) { o.setOptionF("spacing", spacing); });
    });
    net.go_to(6);
    EXPECT_EQ(net.said(), "");
    EXPECT_GT(floats(snow_of(net), "P")[1], 0.1f) << "the rising plate lifts the grain";
}

TEST(DopMemory, PointsStandForAColliderOnlyWithoutPrimitives) {
    Dopnet net([](Dopnet& n, int, bool first) {
        if (first) {
            SIM_Object *snow = n.add("snow"), *wire = n.add("wire");
            set_points(snow, {{0, 1, 0}});
            SIM_GeometryCopy* geometry = nullptr;
            GU_Detail& detail = written(wire, geometry);
            add_points(detail, {{0, 0, 0}, {1, 0, 0}});
            GU_PrimPoly* line = GU_PrimPoly::build(&detail, 0, GU_POLY_OPEN, 0);
            line->appendVertex(0);
            line->appendVertex(1);
            geometry->releaseGeometry();
            n.relate("collide", "SIM_RelationshipCollide", snow, wire);
        }
        Dopnet::solve(n.find("snow"), [](SIM_Options& o) { o.setOptionF("spacing", spacing); });
    });
    net.go_to(2);
    EXPECT_NE(net.said().find("collider 'wire': primitive 0 is a curve"), std::string::npos) << net.said();
}

TEST(DopMemory, AffectorsWithoutGeometryAreNone) {
    Dopnet net([](Dopnet& n, int, bool first) {
        if (first) {
            SIM_Object *snow = n.add("snow"), *nothing = n.add("nothing");
            set_points(snow, {{0, 1, 0}});
            n.relate("collide", "SIM_RelationshipCollide", snow, nothing);
            n.relate("source", "SIM_RelationshipSource", snow, nothing);
        }
        Dopnet::solve(n.find("snow"), [](SIM_Options& o) { o.setOptionF("spacing", spacing); });
    });
    net.go_to(3);
    EXPECT_EQ(net.said().find("collider"), std::string::npos) << net.said();
}

}  // namespace
