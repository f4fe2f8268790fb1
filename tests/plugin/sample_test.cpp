// The double runs sources that are written as SideFX's samples are: what it promises to others, and so to our nodes.

#include <SIM/SIM_DopDescription.h>
#include <gtest/gtest.h>

#include "dopnet.h"
#include "samples/pile_solver.h"
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
