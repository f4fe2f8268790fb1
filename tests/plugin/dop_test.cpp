// DOP firn_snowsolver: frames against the engine itself, and everything that a DOP network does to frames.

#include <PRM/PRM_Template.h>
#include <SIM/SIM_DopDescription.h>
#include <UT/UT_Interrupt.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dopnet.h"
#include "firn/engine.h"
#include "firn/samples.h"
#include "scenes/scenes.h"

namespace {

using firn::Float3;

constexpr float spacing = 0.02f;
constexpr int last = 6;

std::vector<Float3> ball() {
    return scenes::lattice_ball(0.07, spacing, {0, 0.09, 0});
}

firn::Parameters settings() {
    firn::Parameters parameters;
    parameters.spacing = spacing;
    return parameters;
}

/// A ball of snow above a floor, as a network.
void snow_over_floor(Dopnet& net, int, bool first) {
    if (first) {
        SIM_Object* snow = net.add("snow");
        set_points(snow, ball());
        SIM_Object* floor = net.add("floor");
        set_mesh(floor, firn::plane_mesh(0.4f, 0.4f));
        net.relate("collide", "SIM_RelationshipCollide", snow, floor);
    }
    Dopnet::solve(net.find("snow"), [](SIM_Options& o) { o.setOptionF("spacing", spacing); });
}

/// The same by the engine alone.
struct Reference {
    firn::Engine engine{settings(), "cpu"};
    firn::Particles snow;

    Reference() {
        engine.add_body(floor());
        snow.position = ball();
        engine.upload(snow);
    }
    static firn::Body floor() {
        firn::SurfaceSettings surface;
        surface.spacing = spacing;
        const firn::SurfaceSamples samples = firn::sample_surface(firn::plane_mesh(0.4f, 0.4f), surface);
        firn::Body body;
        body.position = samples.position;
        body.normal = samples.normal;
        body.volume = firn::boundary_volumes(samples.position, spacing, settings().boundary_volume);
        return body;
    }
    void advance() {
        engine.advance(1.0 / 24);
        engine.download(snow);
    }
    std::vector<float> array(const char* name) {
        for (const firn::ParticleArray& row : firn::particle_arrays())
            if (std::string(row.name) == name) {
                const size_t numbers = row.size(snow) * static_cast<size_t>(row.components);
                return numbers ? std::vector<float>(row.data(snow), row.data(snow) + numbers) : std::vector<float>();
            }
        return {};
    }
};

TEST(Dop, FramesAreTheEnginesToTheBit) {
    Dopnet net(snow_over_floor);
    Reference reference;
    for (int frame = 1; frame <= last; ++frame) {
        net.go_to(frame);
        if (frame > 1) reference.advance();
        ASSERT_EQ(net.said(), "") << "frame " << frame;
        for (const char* name : {"P", "v", "strain", "pressure", "shear_acceleration", "density", "compaction"}) {
            if (frame == 1 && std::string(name) != "P") continue;
            ASSERT_EQ(floats(snow_of(net), name), reference.array(name)) << name << " of frame " << frame;
        }
    }
    // It has hit the floor: the test is about more than free fall.
    EXPECT_GT(*std::max_element(reference.snow.pressure.begin(), reference.snow.pressure.end()), 0);
}

TEST(Dop, ScrubbingBackShowsTheSameFramesAndForwardGoesOn) {
    Dopnet net(snow_over_floor);
    std::vector<std::vector<std::vector<float>>> frames;
    for (int frame = 1; frame <= last; ++frame) {
        net.go_to(frame);
        frames.push_back(snow_state(net));
    }
    for (const int frame : {3, 1, last, 2}) {
        net.go_to(frame);
        EXPECT_EQ(snow_state(net), frames[static_cast<size_t>(frame - 1)]) << "frame " << frame;
    }
    // Forgotten frames are simulated again from a frame that is not the engine's last.
    net.go_to(2);
    net.forget_later_steps();
    net.go_to(last);
    EXPECT_EQ(snow_state(net), frames.back());
}

TEST(Dop, AnEditedFrameIsTakenUp) {
    const auto push = [](Dopnet& net) {
        net.go_to(3);
        SIM_GeometryCopy* geometry = nullptr;
        GU_Detail& detail = written(net.find("snow"), geometry);
        for (GA_Index k = 0; k < detail.getNumPoints(); ++k) {
            const GA_Offset point = detail.pointOffset(k);
            detail.setPos3(point, detail.getPos3(point) + UT_Vector3(0.05f, 0, 0));
        }
        geometry->releaseGeometry();
        net.forget_later_steps();
        net.go_to(4);
    };
    Dopnet fresh(snow_over_floor), used(snow_over_floor);
    used.go_to(last);
    push(used);
    push(fresh);
    EXPECT_EQ(snow_state(used), snow_state(fresh));
    // Moved indeed, by the edit.
    Dopnet untouched(snow_over_floor);
    untouched.go_to(4);
    EXPECT_NEAR(floats(snow_of(used), "P")[0] - floats(snow_of(untouched), "P")[0], 0.05, 0.01);
}

TEST(Dop, ParametersThatChangeOverTimeAct) {
    const auto nodes = [](Dopnet& net, int frame, bool first) {
        if (first) set_points(net.add("snow"), ball());
        Dopnet::solve(net.find("snow"), [&](SIM_Options& o) {
            o.setOptionF("spacing", spacing);
            if (frame >= 3) o.setOptionV3("gravity", UT_Vector3D(1, 0, 0));
        });
    };
    Dopnet net(nodes);
    net.go_to(2);
    const std::vector<float> before = floats(snow_of(net), "v");
    net.go_to(3);
    const std::vector<float> after = floats(snow_of(net), "v");
    // In the air: exactly one frame of the new gravity.
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(after[3 * i] - before[3 * i], 1.0 / 24, 1e-6);
        EXPECT_NEAR(after[3 * i + 1], before[3 * i + 1], 1e-6);
    }
}

TEST(Dop, SimFilesGoOnToTheSameBits) {
    Dopnet net(snow_over_floor);
    net.go_to(3);
    const std::string file = net.saved();
    net.go_to(last);

    Dopnet loaded(snow_over_floor);
    ASSERT_TRUE(loaded.load_state(file)) << loaded.said();
    loaded.go_to(last);
    EXPECT_EQ(loaded.said(), "");
    EXPECT_EQ(snow_state(loaded), snow_state(net));
    EXPECT_EQ(loaded.saved(), net.saved());
}

TEST(Dop, BrokenSimFilesAreRefused) {
    Dopnet net(snow_over_floor);
    net.go_to(2);
    const std::string file = net.saved();
    for (const size_t size : {size_t(0), size_t(3), file.size() / 3, file.size() - 1}) {
        Dopnet loaded(snow_over_floor);
        EXPECT_FALSE(loaded.load_state(file.substr(0, size))) << size << " bytes";
        EXPECT_NE(loaded.said(), "");
    }
}

TEST(Dop, EscLeavesTheLastWholeFrame) {
    Dopnet net(snow_over_floor);
    net.go_to(3);
    const auto before = snow_state(net);
    int asked = 0;
    UTgetInterrupt()->escape = [&] { return ++asked > 3; };
    net.go_to(4);
    UTgetInterrupt()->escape = {};
    EXPECT_TRUE(net.interrupted);
    EXPECT_EQ(net.cached_steps(), 3u);
    EXPECT_LT(asked, 50) << "it is asked within a substep";
    EXPECT_EQ(snow_state(net), before);

    Dopnet never(snow_over_floor);
    never.go_to(last);
    net.go_to(last);
    EXPECT_FALSE(net.interrupted);
    EXPECT_EQ(snow_state(net), snow_state(never));
}

TEST(Dop, MistakesAreErrorsOfTheNodeAndChangeNothing) {
    struct Mistake {
        std::function<void(SIM_Options&)> make;
        const char* says;
    };
    const Mistake mistakes[] = {
        {[](SIM_Options& o) { o.setOptionF("spacing", -1); }, "spacing"},
        {[](SIM_Options& o) { o.setOptionF("poisson_ratio", 0.9); }, "poisson_ratio"},
        {[](SIM_Options& o) { o.setOptionS("device", "abacus"); }, "abacus"},
    };
    for (const Mistake& mistake : mistakes) {
        Dopnet net([&](Dopnet& n, int frame, bool first) {
            snow_over_floor(n, frame, first);
            if (frame == 2)
                Dopnet::solve(n.find("snow"), [&](SIM_Options& o) {
                    o.setOptionF("spacing", spacing);
                    mistake.make(o);
                });
        });
        net.go_to(1);
        const auto before = snow_state(net);
        net.go_to(2);
        ASSERT_EQ(net.complaints().size(), 1u) << net.said();
        EXPECT_EQ(net.complaints()[0].severity, UT_ERROR_ABORT);
        EXPECT_NE(net.said().find(mistake.says), std::string::npos) << net.said();
        EXPECT_EQ(snow_state(net), before);
    }
}

TEST(Dop, ASnowObjectWithATransformIsAnError) {
    Dopnet net([](Dopnet& n, int frame, bool first) {
        snow_over_floor(n, frame, first);
        auto* position =
            SIM_DATA_CREATE(*n.find("snow"), SIM_POSITION_DATANAME, SIM_PositionSimple, SIM_DATA_RETURN_EXISTING);
        position->setPosition(UT_Vector3D(1, 0, 0));
    });
    net.go_to(1);
    EXPECT_NE(net.said().find("leave both at zero"), std::string::npos) << net.said();
}

TEST(Dop, AnObjectWithoutSnowIsNoError) {
    Dopnet net([](Dopnet& n, int, bool first) {
        if (first) n.add("snow");
        Dopnet::solve(n.find("snow"), [](SIM_Options&) {});
    });
    net.go_to(3);
    EXPECT_EQ(net.said(), "");
    EXPECT_EQ(snow_of(net).getNumPoints(), 0);
}

TEST(Dop, ParticlesKeepTheirNumbersAndGetTheirSize) {
    Dopnet net(snow_over_floor);
    net.go_to(last);
    const GA_ROHandleT<int64> id(&snow_of(net), GA_ATTRIB_POINT, "id");
    ASSERT_TRUE(id.isValid());
    for (GA_Index k = 0; k < snow_of(net).getNumPoints(); ++k) ASSERT_EQ(id.get(snow_of(net).pointOffset(k)), k);
    for (const float radius : floats(snow_of(net), "pscale")) ASSERT_EQ(radius, 0.5f * spacing);
}

TEST(Dop, GuideGeometryShowsTheBoundaryParticlesWhenAsked) {
    Dopnet net(snow_over_floor);
    net.go_to(2);
    const SIM_Object& snow = *net.find("snow");
    const SIM_Data& solver = *snow.getConstNamedSubData(SIM_SOLVER_DATANAME);
    UT_DMatrix4 transform;
    EXPECT_EQ(solver.getGuideGeometry(snow, "Solver", transform, net.getSimulationTime()).gdp()->getNumPoints(), 0);

    Dopnet shown(snow_over_floor);
    shown.guide_options.setOptionB("showguide", true);
    shown.go_to(2);
    const SIM_Object& its_snow = *shown.find("snow");
    const GU_ConstDetailHandle guide = its_snow.getConstNamedSubData(SIM_SOLVER_DATANAME)
                                           ->getGuideGeometry(its_snow, "Solver", transform, shown.getSimulationTime());
    const firn::Body floor = Reference::floor();
    ASSERT_EQ(guide.gdp()->getNumPoints(), static_cast<GA_Size>(floor.position.size()));
    EXPECT_EQ(guide.gdp()->getPos3(0).y(), floor.position[0].y);
}

TEST(Dop, TheNodeHasEveryParameterOfItsTable) {
    Dopnet net(snow_over_floor);
    const SIM_DopDescription* dop = net.getDopDescription("SIM_FirnSnowSolver");
    ASSERT_NE(dop, nullptr);
    EXPECT_TRUE(dop->getCreateDop());
    EXPECT_EQ(dop->getDopName().toStdString(), "firn_snowsolver");
    EXPECT_EQ(dop->getDataName().toStdString(), SIM_SOLVER_DATANAME);
    size_t found = 0;
    for (const PRM_Template* row = dop->getTemplates(); row->getType() != PRM_LIST_TERMINATOR; ++row)
        found += firn::find_parameter(row->getToken()) != nullptr;
    EXPECT_EQ(found, firn::parameter_table().size());
    EXPECT_FALSE(net.getDopDescription("SIM_FirnSnowState")->getCreateDop());
    EXPECT_FALSE(net.getDopDescription("SIM_FirnSnowReport")->getCreateDop());
}

const SIM_Options* report_of(Dopnet& net) {
    const SIM_Data* report = net.find("snow")->getConstNamedSubData("SnowReport");
    return report ? &dynamic_cast<const SIM_OptionsUser&>(*report).getOptions() : nullptr;
}

TEST(Dop, EachFrameReportsDeviceMemoryAndIterations) {
    Dopnet net(snow_over_floor);
    Reference reference;
    net.go_to(1);
    EXPECT_EQ(report_of(net), nullptr) << "nothing has been solved yet";
    for (int frame = 2; frame <= last; ++frame) {
        net.go_to(frame);
        const firn::FrameReport expected = reference.engine.advance(1.0 / 24);
        const SIM_Options* report = report_of(net);
        ASSERT_NE(report, nullptr);
        EXPECT_EQ(report->getOptionS("device").toStdString(), reference.engine.device());
        EXPECT_EQ(report->getOptionI("snow_particles"), static_cast<int64>(ball().size()));
        EXPECT_EQ(report->getOptionI("boundary_particles"), static_cast<int64>(Reference::floor().position.size()));
        EXPECT_EQ(report->getOptionF("memory_mb"),
                  double(reference.engine.estimate(ball().size(), Reference::floor().position.size()).needed) / 1e6);
        EXPECT_EQ(report->getOptionI("substeps"), static_cast<int64>(expected.substeps.size()));
        EXPECT_EQ(report->getOptionF("pressure_iterations"), expected.iterations("pressure"));
        EXPECT_EQ(report->getOptionF("shear_iterations"), expected.iterations("shear"));
        int most = 0;
        double residual = 0, speed = 0;
        for (const firn::SubstepReport& substep : expected.substeps) {
            most = std::max(most, substep.solve("pressure").iterations);
            residual = std::max(residual, substep.solve("shear").residual);
            speed = std::max(speed, substep.speed);
        }
        EXPECT_EQ(report->getOptionI("pressure_iterations_most"), most);
        EXPECT_EQ(report->getOptionF("shear_residual"), residual);
        EXPECT_EQ(report->getOptionF("speed"), speed);
        EXPECT_EQ(report->getOptionS("warnings").toStdString(), "");
    }
    // Figures belong to their frame: scrubbing back shows the frame's own, and a file has them.
    const double at_end = report_of(net)->getOptionF("speed");
    net.go_to(3);
    EXPECT_NE(report_of(net)->getOptionF("speed"), at_end);
    net.go_to(last);
    EXPECT_EQ(report_of(net)->getOptionF("speed"), at_end);
    Dopnet loaded(snow_over_floor);
    ASSERT_TRUE(loaded.load_state(net.saved()));
    EXPECT_EQ(report_of(loaded)->getOptionF("speed"), at_end);
}

TEST(Dop, TheNodesMessageTellsDeviceAndMemoryOnce) {
    Dopnet net(snow_over_floor);
    net.go_to(last);
    const std::string told = net.told();
    for (const char* text : {"Device: cpu", "snow and", "boundary particles, about", "MB", "SnowReport"})
        EXPECT_NE(told.find(text), std::string::npos) << told;
    EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
    EXPECT_EQ(net.said(), "");
}

TEST(Dop, WarningsOfAFrameAreInItsReport) {
    Dopnet net([](Dopnet& n, int frame, bool first) {
        snow_over_floor(n, frame, first);
        Dopnet::solve(n.find("snow"), [](SIM_Options& o) {
            o.setOptionF("spacing", spacing);
            o.setOptionS("solver", "split");
            o.setOptionI("pressure_iterations_max", 1);
            o.setOptionF("pressure_tolerance", 1e-7);
        });
    });
    net.go_to(last);
    EXPECT_NE(report_of(net)->getOptionS("warnings").toStdString().find("pressure_iterations_max"), std::string::npos);
    EXPECT_NE(net.said().find("pressure_iterations_max"), std::string::npos);
}

TEST(Dop, MemoryOfACacheGrowsWithItsFrames) {
    Dopnet net(snow_over_floor);
    net.go_to(2);
    const int64 few = net.getTotalMemorySize();
    net.go_to(last);
    // Particles of six frames against those of two; the floor is shared.
    EXPECT_GT(net.getTotalMemorySize(), 2 * few);
}

}  // namespace
