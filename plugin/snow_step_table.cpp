#include "node_table.h"

namespace firn {

const NodeTable& snow_step_table() {
    static const NodeTable table = [] {
        NodeTable t{"firn::snow_step",
                    "Firn Snow Step",
                    "Sop",
                    "firn_snow_step",
                    "Advances snow by one frame, inside a feedback loop such as the Solver SOP.",
                    {{"Particles", "the snow of the frame before; empty at the start", true},
                     {"Sources", "snow that appears, from Firn Snow Source", false},
                     {"Colliders", "boundary particles, from Firn Snow Collider", false},
                     {"Forces / Wind",
                      "vector VDBs named wind (m/s) or force (m/s^2), or points with id and force (m/s^2)", false}},
                    {}};
        auto& p = t.parameters;
        const char* simulation = "Simulation";
        add(p, {engine_row("spacing"), engine_row("gravity")});
        p.push_back(with_expression(
            real_row("frame", "Frame", "", simulation, 1, -1e9, 1e9, 1, 240,
                     "The frame at the end of this step. It decides which snow appears and which wind blows."),
            "$FF"));
        p.push_back(real_row("start_frame", "Start Frame", "", simulation, 1, -1e9, 1e9, 1, 240,
                             "Nothing moves up to this frame; snow only appears."));
        p.push_back(with_expression(real_row("timestep", "Frame Length", "s", simulation, 1.0 / 24, 1e-6, 10, 0.01, 0.1,
                                             "How much time one frame covers. Longer frames move the snow further."),
                                    "1/$FPS"));
        p.push_back(real_row("timescale", "Time Scale", "", simulation, 1, 0, 1000, 0, 2,
                             "Higher values play the snow faster: below 1 is slow motion, 0 stands still."));
        p.push_back(integer_row("substeps_min", "Min Substeps", "", simulation, 0, 0, 1000000, 20,
                                "The solver takes at least this many steps per frame, except for snow in free flight: "
                                "slower, and more accurate. 0 = as the motion needs.",
                                "{ substeps > 0 }"));
        p.push_back(integer_row("substeps_max", "Max Substeps", "", simulation, 0, 0, 1000000, 200,
                                "The solver takes at most this many steps per frame: faster, but fast snow becomes "
                                "less accurate. 0 = as the motion needs.",
                                "{ substeps > 0 }"));
        add(p, air_rows());
        add(p, solving_rows());
        return t;
    }();
    return table;
}

}  // namespace firn
