// The fake runs sources that are written as SideFX's samples are: what it promises to others, and so to our nodes.

#include <SIM/SIM_DopDescription.h>
#include <UT/UT_VoxelArray.h>
#include <gtest/gtest.h>

#include "dopnet.h"
#include "houdini.h"
#include "samples/pile_solver.h"
#include "samples/ring_sop.h"
#include "samples/wind_force.h"

namespace {

void pile(Dopnet& net, int frame, bool first) {
    if (first) {
        SIM_Object* object = net.add("pile");
        SIM_Object* source = net.add("source");
        set_points(source, {{0.5f, 0, 0}, {2.5f, 0, 0}});
        net.relate("source", "SIM_RelationshipSource", object, source);
        object->createNamedSubData(SIM_SOLVER_DATANAME, "SIM_SolverPile", 0);
    }
    // The source moves one bin on at frame 3.
    UT_DMatrix4 m(1.0);
    m(3, 0) = frame >= 3 ? 1 : 0;
    set_transform(net.find("source"), m);
}

std::vector<int> heights(Dopnet& net) {
    const SIM_PileHeights* data = SIM_DATA_GETCONST(*net.find("pile"), "Pile", SIM_PileHeights);
    std::vector<int> all;
    for (int bin = 0; bin < 4; ++bin) all.push_back(data->getHeight(bin));
    return all;
}

TEST(Sample, ASolverWithStateOfItsOwnStepsScrubsSavesAndLoads) {
    register_pile_solver();
    Dopnet net(pile);
    net.go_to(5);
    EXPECT_EQ(heights(net), (std::vector<int>{1, 3, 1, 3}));
    net.go_to(2);
    EXPECT_EQ(heights(net), (std::vector<int>{1, 0, 1, 0})) << "a frame of the cache is not what the last step wrote";
    const std::string file = net.saved();
    net.go_to(5);
    EXPECT_EQ(heights(net), (std::vector<int>{1, 3, 1, 3}));

    Dopnet loaded(pile);
    ASSERT_TRUE(loaded.load_state(file));
    EXPECT_EQ(heights(loaded), (std::vector<int>{1, 0, 1, 0}));
    loaded.go_to(5);
    EXPECT_EQ(heights(loaded), (std::vector<int>{1, 3, 1, 3}));
}

TEST(Sample, DataTypesAreFoundByWhatTheyAre) {
    register_pile_solver();
    register_wind_force();
    Dopnet net(pile);
    UT_StringArray solvers, forces;
    net.getDataTypes(solvers, "SIM_Solver");
    net.getDataTypes(forces, "SIM_Force");
    EXPECT_GE(solvers.find("SIM_SolverPile"), 0);
    EXPECT_GE(solvers.find("SIM_FirnSnowSolver"), 0);
    EXPECT_GE(forces.find("SIM_WindForce"), 0);
    EXPECT_LT(forces.find("SIM_SolverPile"), 0);
    EXPECT_EQ(net.getDopDescription("SIM_PileHeights")->getDopName().toStdString(), "sample_pileheights");
}

TEST(Sample, SharedDataIsCopiedBeforeItChanges) {
    register_pile_solver();
    Dopnet net(pile);
    net.go_to(2);
    const SIM_Data* before = net.find("pile")->getConstNamedSubData("Pile");
    net.go_to(3);
    const SIM_Data* after = net.find("pile")->getConstNamedSubData("Pile");
    EXPECT_NE(before, after) << "the step wrote it";
    // Nobody wrote the source's geometry of frame 1 and 2 apart from its transform.
    EXPECT_GT(after->getMemorySize(), 0);
}

TEST(Sample, AViewShowsTheDataThatItIsAttachedTo) {
    register_pile_solver();
    Dopnet net([](Dopnet& n, int frame, bool first) {
        pile(n, frame, first);
        SIM_Data* heights = n.find("pile")->createNamedSubData("Pile", "SIM_PileHeights", SIM_DATA_RETURN_EXISTING);
        heights->createNamedSubData("View", "SIM_PileView", SIM_DATA_RETURN_EXISTING);
    });
    net.go_to(5);
    const SIM_Object& object = *net.find("pile");
    const SIM_Data* view = object.getConstNamedSubData("Pile/View");
    ASSERT_NE(view, nullptr);
    EXPECT_TRUE(view->getIsAlternateRepresentation());
    UT_DMatrix4 xform;
    const GU_ConstDetailHandle guide = view->getGuideGeometry(object, "Pile/View", xform, 0.0);
    ASSERT_EQ(guide.gdp()->getNumPrimitives(), 4);
    std::vector<int> tops;
    for (GA_Offset line = 0; line < 4; ++line) {
        EXPECT_EQ(guide.gdp()->getPrimitive(line)->getPos3(1).x(), static_cast<float>(line) + 0.5f);
        tops.push_back(static_cast<int>(guide.gdp()->getPrimitive(line)->getPos3(1).y()));
    }
    EXPECT_EQ(tops, heights(net));
}

TEST(Sample, ASopMakesAPolygonCornerByCorner) {
    OP_OperatorTable table;
    register_ring_sop(&table);
    OP_Network network(table);
    OP_Node* ring = network.createNode("sample_ring");
    ASSERT_NE(ring, nullptr);
    set(ring, "corners", 4);
    set(ring, "radius", 2);
    const GU_DetailHandle made = Houdini::cook(ring, 1);
    ASSERT_TRUE(made.isValid());
    ASSERT_EQ(made.gdp()->getNumPrimitives(), 1);
    const GA_Primitive* polygon = made.gdp()->getPrimitive(0);
    ASSERT_EQ(polygon->getVertexCount(), 4);
    for (GA_Size k = 0; k < 4; ++k) EXPECT_EQ(polygon->getPointIndex(k), k);
    EXPECT_NEAR(polygon->getPos3(1).y(), 2, 1e-6);
    set(ring, "corners", 1);
    EXPECT_EQ(Houdini::cook(ring, 1).gdp()->getNumPoints(), 3);
    EXPECT_EQ(ring->error(), UT_ERROR_WARNING);
}

TEST(Sample, AMatrixAndItsInverseUndoEachOther) {
    UT_DMatrix4 m(1.0);
    m.scale(2, 3, 0.5);
    m(0, 1) = 0.7;
    m(2, 0) = -0.2;
    m.translate(1, -2, 3);
    m.pretranslate(0.5, 0.25, -1);
    UT_DMatrix4 inverse = m;
    ASSERT_EQ(inverse.invert(), 0);
    const UT_DMatrix4 both = m * inverse;
    for (unsigned r = 0; r < 4; ++r)
        for (unsigned c = 0; c < 4; ++c) EXPECT_NEAR(both(r, c), r == c ? 1 : 0, 1e-14) << r << c;
    UT_DMatrix4 flat(1.0);
    flat.scale(1, 0, 1);
    EXPECT_NE(flat.invert(), 0);
}

TEST(Sample, WhatIsOutsideAnArrayIsWhatItsBorderSays) {
    UT_VoxelArray<int> array;
    array.size(2, 1, 1);
    array.setValue(0, 0, 0, 5);
    array.setValue(1, 0, 0, 7);
    EXPECT_EQ(array.getValue(9, 3, 0), 7) << "the nearest";
    array.setBorder(UT_VOXELBORDER_CONSTANT, 3);
    EXPECT_EQ(array.getValue(9, 0, 0), 3);
    EXPECT_EQ(array.getValue(0, 0, 0), 5);
    EXPECT_FALSE(array.isValidIndex(2, 0, 0));
}

TEST(Sample, AForceShowsItsGuide) {
    register_wind_force();
    Dopnet net([](Dopnet& n, int, bool first) {
        if (!first) return;
        SIM_Data* wind = n.add("snow")->createNamedSubData("Forces/Wind", "SIM_WindForce", 0);
        SIM_Options options;
        options.setOptionV3("velocity", UT_Vector3D(0, 3, 0));
        wind->setParameters(options);
    });
    net.go_to(1);
    const SIM_Object& object = *net.find("snow");
    UT_DMatrix4 xform;
    const GU_ConstDetailHandle guide =
        object.getConstNamedSubData("Forces/Wind")->getGuideGeometry(object, "Forces/Wind", xform, 0.0);
    ASSERT_EQ(guide.gdp()->getNumPoints(), 2);
    EXPECT_EQ(guide.gdp()->getPos3(1).y(), 3);
}

}  // namespace
