#include "node_table.h"

namespace firn {

const NodeTable& snow_step_table() {
    static const NodeTable table = [] {
        NodeTable t{"firn::snow_step",
                    "Firn Snow Step",
                    "Sop",
                    "firn_snow_step",
                    "Moves snow on by one frame; for a feedback loop such as the Solver SOP.",
                    {{"Particles", "the snow as it was a frame ago; empty at the start", true},
                     {"Sources", "snow that appears, from Firn Snow Source", false},
                     {"Colliders", "boundary particles, from Firn Snow Collider", false},
                     {"Forces / Wind",
                      "vector VDBs named wind (m/s) or force (m/s^2), or points with id and force (m/s^2)", false}},
                    {}};
        auto& p = t.parameters;
        const char* simulation = "Simulation";
        add(p, {engine_row("spacing"), engine_row("gravity")});
        p.push_back(
            with_expression(real_row("frame", "Frame", "", simulation, 1, -1e9, 1e9, 1, 240,
                                     "The frame that this step ends at. Snow appears and the air changes by it."),
                            "$FF"));
        p.push_back(real_row("start_frame", "Start Frame", "", simulation, 1, -1e9, 1e9, 1, 240,
                             "Up to this frame nothing moves; snow only appears."));
        p.push_back(with_expression(real_row("timestep", "Frame Length", "s", simulation, 1.0 / 24, 1e-6, 10, 0.01, 0.1,
                                             "How much time one frame takes."),
                                    "1/$FPS"));
        p.push_back(real_row("timescale", "Time Scale", "", simulation, 1, 0, 1000, 0, 2,
                             "Below 1 is slow motion, above 1 fast; 0 stands still."));
        p.push_back(
            integer_row("substeps_min", "Min Substeps", "", simulation, 0, 0, 1000000, 20,
                        "At least so many steps in a frame, but for snow that only flies. 0 = as the motion needs.",
                        "{ substeps > 0 }"));
        p.push_back(integer_row("substeps_max", "Max Substeps", "", simulation, 0, 0, 1000000, 200,
                                "At most so many steps in a frame. 0 = as the motion needs.", "{ substeps > 0 }"));
        add(p, air_rows());
        add(p, solving_rows());
        return t;
    }();
    return table;
}

}  // namespace firn
