// firn::snow_rasterize, firn::snow_surface and VDBs as inputs.

#include <GU/GU_PrimVDB.h>
#include <UT/UT_Interrupt.h>
#include <gtest/gtest.h>
#include <openvdb/tools/LevelSetSphere.h>

#include <map>

#include "scenes/scenes.h"
#include "snow_details.h"
#include "solver_loop.h"

namespace {

using openvdb::FloatGrid;
using openvdb::Vec3SGrid;

void snow(GU_Detail& detail) {
    add_points(detail, scenes::lattice_ball(0.2, 0.02, {0, 0.5, 0}));
    const GA_Size count = detail.getNumPoints();
    const GA_RWHandleF pscale(detail.addFloatTuple(GA_ATTRIB_POINT, "pscale", 1)),
        heat(detail.addFloatTuple(GA_ATTRIB_POINT, "heat", 1));
    const GA_RWHandleV3 v(detail.addFloatTuple(GA_ATTRIB_POINT, "v", 3)),
        colour(detail.addFloatTuple(GA_ATTRIB_POINT, "Cd", 3));
    for (GA_Offset k = 0; k < count; ++k) {
        pscale.set(k, 0.01f);
        heat.set(k, 3.5f);
        v.set(k, UT_Vector3(1, 2, 3));
        colour.set(k, UT_Vector3(0.25f, 0.5f, 1));
    }
}

std::map<std::string, const GEO_PrimVDB*> vdbs(const GU_Detail& detail) {
    std::map<std::string, const GEO_PrimVDB*> all;
    for (GA_Iterator it(detail.getPrimitiveRange()); !it.atEnd(); ++it) {
        const GEO_Primitive* primitive = detail.getGEOPrimitive(*it);
        if (primitive->getTypeId() != GEO_PRIMVDB) continue;
        const auto* vdb = static_cast<const GEO_PrimVDB*>(primitive);
        all[vdb->getGridName()] = vdb;
    }
    return all;
}

TEST(Rasterize, DensityHoldsTheMassAndEveryGridHasItsName) {
    Houdini houdini;
    OP_Node* node = houdini.node("firn::snow_rasterize");
    node->setInput(0, houdini.geometry([](GU_Detail& detail, double) { snow(detail); }));
    set(node, "masked_density", 1.0);
    set(node, "attributes", "heat Cd");
    const GU_DetailHandle cooked = Houdini::cook(node, 1);
    ASSERT_TRUE(cooked.isValid()) << node->messageText(UT_ERROR_ABORT);
    const auto grids = vdbs(*cooked.gdp());
    ASSERT_EQ(grids.size(), 5u);
    double sum = 0;
    const auto& density = static_cast<const FloatGrid&>(grids.at("density")->getConstGrid());
    for (auto it = density.cbeginValueOn(); it; ++it) sum += *it;
    const double count = static_cast<double>(scenes::lattice_ball(0.2, 0.02, {0, 0.5, 0}).size());
    // Kernel sums in float: 1e-5.
    EXPECT_NEAR(sum * 1e-6 / (count * 400 * 8e-6), 1, 1e-4);
    const auto& velocity = static_cast<const Vec3SGrid&>(grids.at("vel")->getConstGrid());
    EXPECT_NEAR(velocity.tree().getValue(velocity.transform().worldToIndexCellCentered({0, 0.5, 0})).y(), 2, 1e-4);
    const auto& heat = static_cast<const FloatGrid&>(grids.at("heat")->getConstGrid());
    EXPECT_NEAR(heat.tree().getValue(heat.transform().worldToIndexCellCentered({0, 0.5, 0})), 3.5, 1e-4);
    EXPECT_TRUE(grids.at("Cd")->getConstGrid().isType<Vec3SGrid>());
    const auto& masked = static_cast<const FloatGrid&>(grids.at("density_masked")->getConstGrid());
    EXPECT_LT(masked.activeVoxelCount(), density.activeVoxelCount());
    set(node, "attributes", "nonsense");
    EXPECT_TRUE(Houdini::cook(node, 1).isNull());
    EXPECT_NE(node->messageText(UT_ERROR_ABORT).find("no point attribute 'nonsense'"), std::string::npos);
}

TEST(Rasterize, WithoutARadiusOneMustSayTheSpacing) {
    Houdini houdini;
    OP_Node* node = houdini.node("firn::snow_rasterize");
    node->setInput(0, houdini.geometry([](GU_Detail& detail, double) { add_points(detail, {{0, 0, 0}}); }));
    EXPECT_TRUE(Houdini::cook(node, 1).isNull());
    EXPECT_NE(node->messageText(UT_ERROR_ABORT).find("Particle Spacing"), std::string::npos);
    set(node, "spacing", 0.02);
    EXPECT_TRUE(Houdini::cook(node, 1).isValid());
}

TEST(Rasterize, EscapeStopsIt) {
    Houdini houdini;
    OP_Node* node = houdini.node("firn::snow_rasterize");
    node->setInput(0, houdini.geometry([](GU_Detail& detail, double) { snow(detail); }));
    UTgetInterrupt()->escape = [] { return true; };
    EXPECT_TRUE(Houdini::cook(node, 1).isNull());
    UTgetInterrupt()->escape = {};
    EXPECT_NE(node->messageText(UT_ERROR_ABORT).find("interrupted"), std::string::npos);
}

TEST(Surface, LevelSetAndMeshOfABall) {
    Houdini houdini;
    OP_Node* node = houdini.node("firn::snow_surface");
    node->setInput(0, houdini.geometry([](GU_Detail& detail, double) { snow(detail); }));
    set(node, "output", "both");
    const GU_DetailHandle cooked = Houdini::cook(node, 1);
    ASSERT_TRUE(cooked.isValid()) << node->messageText(UT_ERROR_ABORT);
    const GU_Detail& detail = *cooked.gdp();
    const auto grids = vdbs(detail);
    ASSERT_EQ(grids.count("surface"), 1u);
    EXPECT_EQ(grids.at("surface")->getConstGrid().getGridClass(), openvdb::GRID_LEVEL_SET);
    // The mesh: as large as the ball, closed, clockwise seen from outside, and it knows how fast the snow is.
    double volume = 0;
    size_t polygons = 0;
    std::map<std::pair<GA_Offset, GA_Offset>, int> edges;
    for (GA_Iterator it(detail.getPrimitiveRange()); !it.atEnd(); ++it) {
        const GEO_Primitive* polygon = detail.getGEOPrimitive(*it);
        if (polygon->getTypeId() != GEO_PRIMPOLY) continue;
        ++polygons;
        const GA_Size n = polygon->getVertexCount();
        for (GA_Size v = 0; v < n; ++v)
            ++edges[std::minmax(polygon->getPointOffset(v), polygon->getPointOffset((v + 1) % n))];
        for (GA_Size v = 1; v + 1 < n; ++v) {
            const UT_Vector3 a = polygon->getPos3(0), b = polygon->getPos3(v + 1), c = polygon->getPos3(v);
            volume += (double(a.x()) * (double(b.y()) * c.z() - double(b.z()) * c.y()) +
                       double(a.y()) * (double(b.z()) * c.x() - double(b.x()) * c.z()) +
                       double(a.z()) * (double(b.x()) * c.y() - double(b.y()) * c.x())) /
                      6;
        }
        EXPECT_EQ(value(detail, "v", polygon->getPointOffset(0), 2), 3.0f);
    }
    EXPECT_GT(polygons, 1000u);
    for (const auto& [edge, count] : edges) ASSERT_EQ(count, 2);
    EXPECT_NEAR(volume, 4.0 / 3 * 3.14159 * 0.008, 0.08 * 0.0335);
    set(node, "output", "sdf");
    EXPECT_EQ(Houdini::cook(node, 1).gdp()->getNumPrimitives(), 1);
}

TEST(Source, AVdbIsFilled) {
    Houdini houdini;
    OP_Node* node = houdini.node("firn::snow_source");
    node->setInput(0, houdini.geometry([](GU_Detail& detail, double) {
        auto sphere = openvdb::tools::createLevelSetSphere<FloatGrid>(0.2f, openvdb::Vec3f(0, 1, 0), 0.01f);
        sphere->setName("surface");
        GU_PrimVDB::buildFromGrid(detail, sphere);
    }));
    const GU_DetailHandle cooked = Houdini::cook(node, 1);
    ASSERT_TRUE(cooked.isValid()) << node->messageText(UT_ERROR_ABORT);
    EXPECT_NEAR(double(cooked.gdp()->getNumPoints()), 4.0 / 3 * 3.14159 * 0.008 / 8e-6, 0.05 * 4189);
}

TEST(Collider, AVdbIsSampledAndMayOnlyMovePacked) {
    Houdini houdini;
    OP_Node* node = houdini.node("firn::snow_collider");
    node->setInput(0, houdini.geometry([](GU_Detail& detail, double) {
        GU_PrimVDB::buildFromGrid(detail,
                                  openvdb::tools::createLevelSetSphere<FloatGrid>(0.2f, openvdb::Vec3f(0), 0.02f));
    }));
    const GU_DetailHandle cooked = Houdini::cook(node, 1);
    ASSERT_TRUE(cooked.isValid()) << node->messageText(UT_ERROR_ABORT);
    ASSERT_GT(cooked.gdp()->getNumPoints(), 800);
    for (GA_Iterator it(cooked.gdp()->getPointRange()); !it.atEnd(); ++it)
        ASSERT_NEAR(cooked.gdp()->getPos3(*it).length(), 0.19f, 0.004f);
    set(node, "motion", "rigid");
    EXPECT_TRUE(Houdini::cook(node, 2).isNull());
    EXPECT_NE(node->messageText(UT_ERROR_ABORT).find("pack it"), std::string::npos);
}

TEST(Step, AWindThatIsAVdbBlows) {
    Houdini houdini;
    SolverLoop calm(houdini), windy(houdini);
    OP_Node* source = houdini.node("firn::snow_source");
    source->setInput(0, houdini.geometry([](GU_Detail& detail, double) {
        add_points(detail, {{0, 1, 0}, {0.5f, 1, 0}});
    }));
    OP_Node* wind = houdini.geometry([](GU_Detail& detail, double) {
        Vec3SGrid::Ptr air = Vec3SGrid::create(openvdb::Vec3s(0));
        air->setTransform(openvdb::math::Transform::createLinearTransform(0.1));
        // Where the second flake is, and not where the first is.
        air->fill(openvdb::CoordBBox({3, -20, -5}, {8, 20, 5}), openvdb::Vec3s(0, 0, 8));
        air->setName("wind");
        GU_PrimVDB::buildFromGrid(detail, air);
    });
    for (SolverLoop* loop : {&calm, &windy}) {
        loop->step->setInput(1, source);
        set(loop->step, "drag", 2);
    }
    windy.step->setInput(3, wind);
    const GU_DetailHandle a = calm.frame(3), b = windy.frame(3);
    ASSERT_TRUE(b.isValid()) << windy.step->messageText(UT_ERROR_ABORT);
    EXPECT_EQ(value(*b.gdp(), "v", 0, 2), value(*a.gdp(), "v", 0, 2));
    EXPECT_NEAR(value(*b.gdp(), "v", 1, 2), 8 * 2 * 2.0 / 24, 0.15);
}

}  // namespace
