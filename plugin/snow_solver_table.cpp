#include <cstring>

#include "node_table.h"

namespace firn {

const NodeTable& snow_solver_table() {
    static const NodeTable table = [] {
        NodeTable t{"firn_snowsolver",
                    "Firn Snow Solver",
                    "Dop",
                    // A plugin can't name a DOP's icon: Houdini looks for one that is named after the type.
                    "DOP_firn_snowsolver",
                    "Simulates the snow of an object: the points of its geometry. Colliders, sources and forces are "
                    "found through relationships, as for any solver.",
                    {},
                    {}};
        auto& p = t.parameters;
        NodeParameter gravity = engine_row("gravity");
        gravity.help = "Ignored where the object has a Gravity Force, which is used instead.";
        add(p, {engine_row("spacing"), gravity});
        p.push_back(choice_row("emission", "Emission", "Simulation",
                               {{"changes", "When a Source Changes", "once, and again whenever its points change"},
                                {"always", "Every Step", "whatever points the source has, at every step"}},
                               "When the points of a source object become snow."));
        add(p, air_rows());
        for (NodeParameter& row : contact_rows("Colliders")) {
            if (std::strcmp(row.token, "friction") == 0)
                row.help =
                    "Higher values stop snow from sliding along colliders: 0 is slippery, 0.5 is wood, above 1 is "
                    "rough "
                    "ground. The point attribute friction overrides it, and so do an object's Physical Parameters.";
            p.push_back(row);
        }
        add(p, solving_rows());
        return t;
    }();
    return table;
}

const NodeTable& snow_solver_guide_table() {
    static const NodeTable table = [] {
        NodeTable t{"firn_snowsolver_guide", "Firn Snow Solver Guide", "Dop", "DOP_firn_snowsolver", "", {}, {}};
        t.parameters.push_back(toggle_row("showguide", "Show Guide Geometry", "Guides", false,
                                          "Shows the boundary particles that the snow collides with."));
        NodeParameter colour = vector_row("color", "Color", "", "Guides", 1, "Colour of the boundary particles.");
        colour.initial[0] = 0.2;
        colour.initial[1] = 0.6;
        colour.initial[2] = 1;
        t.parameters.push_back(colour);
        return t;
    }();
    return table;
}

}  // namespace firn
