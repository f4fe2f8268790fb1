// The same scene through the nodes and through the runner (`firn sim`): the same bits.

#include <gtest/gtest.h>

#include <cmath>

#include "../cli/temporary_folder.h"
#include "firn/mesh.h"
#include "firn/particle_file.h"
#include "placement.h"
#include "progress.h"
#include "run_folder.h"
#include "scene.h"
#include "simulation.h"
#include "snow_details.h"
#include "solver_loop.h"

namespace {

/// What the runner knows as a scene file and an artist as nodes.
const char* const scene_text = R"(
[scene]
spacing = 0.02
[time]
end = 7
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
material = { noise = { amplitude = 0.5, scale = 0.05, seed = 3 } }
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
sticky = 0.5
keys = [{ frame = 1, position = [-0.25, 0.0625, 0] }, { frame = 9, position = [0.25, 0.0625, 0], rotation = [0, 40, 0] }]
)";

firn::Mesh moved(const firn::Mesh& mesh, double x, double y, double z) {
    firn::Transform t;
    t.translation[0] = x;
    t.translation[1] = y;
    t.translation[2] = z;
    return firn::transformed(mesh, t);
}

/// `plane`: the ground is one without end, not a mesh.
void compare_nodes_with_runner(bool plane) {
    TemporaryFolder folder;
    firn::write_mesh(folder.file("block.obj"), moved(firn::box_mesh({0.17f, 0.12f, 0.155f}), 0, 0.07, 0));
    firn::write_mesh(folder.file("cloud.obj"), moved(firn::box_mesh({0.3f, 0.06f, 0.3f}), 0, 0.3, 0));
    firn::write_mesh(folder.file("ground.obj"), firn::plane_mesh(1, 1));
    firn::write_mesh(folder.file("blade.obj"), firn::box_mesh({0.03f, 0.12f, 0.3f}));
    std::string text = scene_text;
    const std::string mesh_ground = "shape = \"mesh\"\nfile = \"ground.obj\"";
    if (plane) text.replace(text.find(mesh_ground), mesh_ground.size(), "shape = \"plane\"");
    write_text(folder.file("scene.toml"), text);

    // The runner.
    const firn::Scene scene = firn::read_scene(folder.file("scene.toml"));
    const firn::RunFolder run(folder.file("run"), scene.name);
    firn::ProgressView view(firn::ProgressView::Style::quiet, scene.first_frame, scene.last_frame);
    ASSERT_EQ(firn::simulate(scene, run, {}, view), 0);

    // The nodes.
    Houdini houdini;
    const auto mesh_node = [&](const char* file) {
        const firn::Mesh mesh = firn::read_mesh(folder.file(file));
        return houdini.geometry([mesh](GU_Detail& detail, double) { add_mesh(detail, mesh); });
    };
    OP_Node *block = houdini.node("firn::snow_source"), *fall = houdini.node("firn::snow_source");
    block->setInput(0, mesh_node("block.obj"));
    block->setFloat("velocity", 1, 0, -1.5);
    block->setFloat("velocity", 2, 0, 0.5);
    set(block, "noise_amplitude", 0.5);
    set(block, "noise_scale", 0.05);
    set(block, "noise_seed", 3);
    fall->setInput(0, mesh_node("cloud.obj"));
    set(fall, "emission", "continuous");
    set(fall, "rate", 0.6f);
    set(fall, "seed", 5);
    set(fall, "start_frame", 3);
    fall->setFloat("velocity", 1, 0, -1);
    OP_Node *ground = houdini.node("firn::snow_collider"), *plough = houdini.node("firn::snow_collider");
    ground->setInput(0, mesh_node("ground.obj"));
    set(ground, "friction", 0.3);
    set(ground, "plane", plane ? 1 : 0);
    const firn::Mesh blade = firn::read_mesh(folder.file("blade.obj"));
    plough->setInput(0, houdini.geometry(
                            [&](GU_Detail& detail, double time) {
                                add_packed(detail, blade,
                                           firn::placement_at(scene.colliders[1], std::round(time * 24 + 1)));
                            },
                            true));
    set(plough, "motion", "rigid");
    set(plough, "sticky", 0.5);
    const auto merge = [&](std::vector<OP_Node*> nodes) {
        return houdini.geometry(
            [nodes](GU_Detail& detail, double time) {
                OP_Context context(time);
                for (OP_Node* node : nodes)
                    detail.merge(*dynamic_cast<SOP_Node&>(*node).getCookedGeoHandle(context).gdp());
            },
            true);
    };
    SolverLoop loop(houdini);
    loop.step->setInput(1, merge({block, fall}));
    loop.step->setInput(2, merge({ground, plough}));
    loop.step->setFloat("wind", 0, 0, 3);
    set(loop.step, "drag", 1.5);
    set(loop.step, "gusts", 2);

    for (int frame = 1; frame <= 7; ++frame) {
        const GU_DetailHandle cooked = loop.frame(frame);
        ASSERT_TRUE(cooked.isValid()) << "frame " << frame << ": " << loop.step->messageText(UT_ERROR_ABORT)
                                      << plough->messageText(UT_ERROR_ABORT) << fall->messageText(UT_ERROR_ABORT);
        const firn::Particles theirs = firn::read_particles(run.particles(frame, "bgeo")).particles;
        const firn::Particles ours = snow_of(*cooked.gdp());
        ASSERT_EQ(ours.count(), theirs.count()) << "frame " << frame;
        std::vector<std::string> state = {"P", "v"};
        if (frame > 1)
            state = {"P", "v", "strain", "pressure", "shear_acceleration", "density", "compaction", "neighbours"};
        ASSERT_EQ(differences(ours, theirs, state), "") << "frame " << frame;
    }
    EXPECT_GT(loop.frame(7).gdp()->getNumPoints(), loop.frame(2).gdp()->getNumPoints() + 10);
}

TEST(Runner, TheNodesGiveTheBitsThatFirnSimGives) {
    compare_nodes_with_runner(false);
}

TEST(Runner, TheNodesGiveTheSameBitsOnAPlaneWithoutEnd) {
    compare_nodes_with_runner(true);
}

}  // namespace
