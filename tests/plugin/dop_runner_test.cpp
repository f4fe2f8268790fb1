// The same scene through the DOP, with sources and colliders from the SOPs or as plain objects, and through the runner:
// the same bits.

#include <gtest/gtest.h>

#include <cmath>

#include "../cli/temporary_folder.h"
#include "dopnet.h"
#include "firn/particle_file.h"
#include "houdini.h"
#include "placement.h"
#include "progress.h"
#include "run_folder.h"
#include "scene.h"
#include "simulation.h"
#include "snow_details.h"

namespace {

const char* const scene_text = R"(
[scene]
spacing = 0.02
[time]
end = 6
[wind]
velocity = [3, 0, 0]
drag = 1.5
gusts = 2
[output]
particles = "bgeo"
volumes = []
usd = false
[[snow]]
name = "block"
shape = "mesh"
file = "block.obj"
velocity = [0, -1.5, 0.5]
[[snow]]
name = "fall"
shape = "mesh"
file = "cloud.obj"
rate = 0.6
seed = 5
velocity = [0, -1, 0]
start = 3
[[collider]]
name = "ground"
shape = "mesh"
file = "ground.obj"
friction = 0.3
[[collider]]
name = "plough"
shape = "mesh"
file = "blade.obj"
interpolation = "linear"
keys = [{ frame = 1, position = [-0.2, 0.0625, 0] }, { frame = 9, position = [0.3, 0.0625, 0], rotation = [0, 40, 0] }]
)";

firn::Mesh raised(const firn::Mesh& mesh, double height) {
    firn::Transform t;
    t.translation[1] = height;
    return firn::transformed(mesh, t);
}

UT_DMatrix4 as_houdinis(const firn::Transform& t) {
    UT_DMatrix4 m(1.0);
    for (unsigned r = 0; r < 3; ++r) {
        for (unsigned c = 0; c < 3; ++c) m(c, r) = t.rotation[3 * r + c];
        m(3, r) = t.translation[r];
    }
    return m;
}

/// What a SOP Geometry DOP does at every step.
void import(SIM_Object* object, OP_Node* sop, int frame) {
    SIM_GeometryCopy* geometry = nullptr;
    GU_Detail& detail = written(object, geometry);
    detail.replaceWith(*Houdini::cook(sop, frame).gdp());
    geometry->releaseGeometry();
}

class DopRunner : public ::testing::Test {
protected:
    void SetUp() override {
        firn::write_mesh(folder_.file("block.obj"), raised(firn::box_mesh({0.17f, 0.12f, 0.155f}), 0.07));
        firn::write_mesh(folder_.file("cloud.obj"), raised(firn::box_mesh({0.3f, 0.06f, 0.3f}), 0.3));
        firn::write_mesh(folder_.file("ground.obj"), firn::plane_mesh(1, 1));
        firn::write_mesh(folder_.file("blade.obj"), firn::box_mesh({0.03f, 0.12f, 0.3f}));
        write_text(folder_.file("scene.toml"), scene_text);
        scene_ = firn::read_scene(folder_.file("scene.toml"));
        run_ = std::make_unique<firn::RunFolder>(folder_.file("run"), scene_.name);
        firn::ProgressView view(firn::ProgressView::Style::quiet, scene_.first_frame, scene_.last_frame);
        ASSERT_EQ(firn::simulate(scene_, *run_, {}, view), 0);

        block_ = source("block.obj");
        block_->setFloat("velocity", 1, 0, -1.5);
        block_->setFloat("velocity", 2, 0, 0.5);
        fall_ = source("cloud.obj");
        set(fall_, "emission", "continuous");
        set(fall_, "rate", 0.6f);
        set(fall_, "seed", 5);
        set(fall_, "start_frame", 3);
        fall_->setFloat("velocity", 1, 0, -1);
    }

    OP_Node* mesh_node(const char* file) {
        const firn::Mesh mesh = firn::read_mesh(folder_.file(file));
        return houdini_.geometry([mesh](GU_Detail& detail, double) { add_mesh(detail, mesh); });
    }
    OP_Node* source(const char* file) {
        OP_Node* node = houdini_.node("firn::snow_source");
        node->setInput(0, mesh_node(file));
        return node;
    }

    /// `colliders` makes and moves them.
    Dopnet::Nodes network(const std::function<void(Dopnet&, int frame, bool first)>& colliders) {
        return [this, colliders](Dopnet& net, int frame, bool first) {
            if (first) {
                SIM_Object* snow = net.add("snow");
                for (const char* name : {"block", "fall"})
                    net.relate(name, "SIM_RelationshipSource", snow, net.add(name));
            }
            import(net.find("block"), block_, frame);
            import(net.find("fall"), fall_, frame);
            colliders(net, frame, first);
            Dopnet::solve(net.find("snow"), [](SIM_Options& o) {
                o.setOptionF("spacing", 0.02f);
                o.setOptionV3("wind", UT_Vector3D(3, 0, 0));
                o.setOptionF("drag", 1.5);
                o.setOptionF("gusts", 2);
            });
        };
    }

    void expect_the_runners_bits(Dopnet& net) {
        for (int frame = 1; frame <= 6; ++frame) {
            net.go_to(frame);
            ASSERT_EQ(net.said(), "") << "frame " << frame;
            const firn::Particles theirs = firn::read_particles(run_->particles(frame, "bgeo")).particles;
            const firn::Particles ours = snow_of(snow_of(net));
            ASSERT_EQ(ours.count(), theirs.count()) << "frame " << frame;
            std::vector<std::string> state = {"P", "v"};
            if (frame > 1) state = {"P", "v", "strain", "pressure", "shear_acceleration", "density", "compaction"};
            ASSERT_EQ(differences(ours, theirs, state), "") << "frame " << frame;
        }
        EXPECT_GT(snow_of(net).getNumPoints(), 400);
    }

    TemporaryFolder folder_;
    firn::Scene scene_;
    std::unique_ptr<firn::RunFolder> run_;
    Houdini houdini_;
    OP_Node *block_ = nullptr, *fall_ = nullptr;
};

TEST_F(DopRunner, ObjectsThatMoveGiveTheBitsThatFirnSimGives) {
    Dopnet net(network([this](Dopnet& n, int frame, bool first) {
        if (first) {
            SIM_Object* ground = n.add("ground");
            set_mesh(ground, firn::read_mesh(folder_.file("ground.obj")));
            SIM_DATA_CREATE(*ground, SIM_PHYSICALPARMS_DATANAME, SIM_PhysicalParms, 0)->setFriction(0.3f);
            SIM_Object* plough = n.add("plough");
            set_mesh(plough, firn::read_mesh(folder_.file("blade.obj")));
            for (const char* name : {"ground", "plough"})
                n.relate(name, "SIM_RelationshipCollide", n.find("snow"), n.find(name));
        }
        set_transform(n.find("plough"), as_houdinis(firn::placement_at(scene_.colliders[1], frame)));
    }));
    expect_the_runners_bits(net);
}

TEST_F(DopRunner, PointsOfTheColliderNodeGiveThemToo) {
    OP_Node *ground = houdini_.node("firn::snow_collider"), *plough = houdini_.node("firn::snow_collider");
    ground->setInput(0, mesh_node("ground.obj"));
    set(ground, "friction", 0.3);
    const firn::Mesh blade = firn::read_mesh(folder_.file("blade.obj"));
    plough->setInput(0, houdini_.geometry(
                            [&](GU_Detail& detail, double time) {
                                add_packed(detail, blade,
                                           firn::placement_at(scene_.colliders[1], std::round(time * 24 + 1)));
                            },
                            true));
    set(plough, "motion", "rigid");
    Dopnet net(network([&](Dopnet& n, int frame, bool first) {
        for (const char* name : {"ground", "plough"}) {
            if (first) n.relate(name, "SIM_RelationshipCollide", n.find("snow"), n.add(name));
            import(n.find(name), std::string(name) == "ground" ? ground : plough, frame);
        }
    }));
    expect_the_runners_bits(net);
}

}  // namespace
