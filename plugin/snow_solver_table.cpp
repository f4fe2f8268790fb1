#include "node_table.h"

namespace firn {

const NodeTable& snow_solver_table() {
    static const NodeTable table = [] {
        NodeTable t{"firn_snowsolver",
                    "Firn Snow Solver",
                    "Dop",
                    "firn_snowsolver",
                    "Moves the snow of an object: the points of its geometry. What collides with it, what it comes "
                    "from and the "
                    "forces on it are found as for any solver.",
                    {},
                    {}};
        auto& p = t.parameters;
        NodeParameter gravity = engine_row("gravity");
        gravity.help = "Where the object has a Gravity Force, that one counts and this is passed over.";
        add(p, {engine_row("spacing"), gravity});
        p.push_back(choice_row("emission", "Emission", "Simulation",
                               {{"changes", "When a Source Changes", "once, and again whenever its points are others"},
                                {"always", "Every Step", "whatever points the source has, at every step"}},
                               "When the points of a source object become snow."));
        add(p, air_rows());
        const char* colliders = "Colliders";
        p.push_back(
            real_row("friction", "Friction", "", colliders, 0.5, 0, 1e6, 0, 2,
                     "Of colliders that have none of their own: no attribute friction, no Physical Parameters."));
        p.push_back(real_row("adhesion", "Adhesion", "m/s^2", colliders, 0, 0, 1e6, 0, 50,
                             "Pull within two spacings, of colliders without an attribute adhesion."));
        p.push_back(real_row("bounce", "Bounce", "", colliders, 0, 0, 1, 0, 1,
                             "Of lone flakes, at colliders without an attribute bounce."));
        p.push_back(
            real_row("sticky", "Sticky", "", colliders, 0, 0, 1, 0, 1,
                     "How much of the snow's tension a surface holds: 0 lets go cleanly, 1 is frozen on. Of colliders "
                     "without an attribute sticky."));
        add(p, solving_rows());
        return t;
    }();
    return table;
}

const NodeTable& snow_solver_guide_table() {
    static const NodeTable table = [] {
        NodeTable t{"firn_snowsolver_guide", "Firn Snow Solver Guide", "Dop", "firn_snowsolver", "", {}, {}};
        t.parameters.push_back(toggle_row("showguide", "Show Guide Geometry", "Guides", false,
                                          "The boundary particles that the snow runs into."));
        NodeParameter colour = vector_row("color", "Color", "", "Guides", 1, "Of the boundary particles.");
        colour.initial[0] = 0.2;
        colour.initial[1] = 0.6;
        colour.initial[2] = 1;
        t.parameters.push_back(colour);
        return t;
    }();
    return table;
}

}  // namespace firn
