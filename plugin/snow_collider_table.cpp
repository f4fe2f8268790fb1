#include "node_table.h"

namespace firn {

const NodeTable& snow_collider_table() {
    static const NodeTable table = [] {
        NodeTable t{"firn::snow_collider",
                    "Firn Snow Collider",
                    "Sop",
                    "firn_snow_collider",
                    "Covers geometry with the boundary particles that snow runs into.",
                    {{"Geometry", "meshes, VDBs, height fields, or packed primitives of these", true}},
                    {}};
        auto& p = t.parameters;
        const char *shape = "Shape", *surface = "Surface";
        NodeParameter spacing = engine_row("spacing");
        spacing.folder = shape;
        p.push_back(spacing);
        p.push_back(choice_row(
            "motion", "Motion", shape,
            {{"static", "Static", "never moves"},
             {"rigid", "Animated Rigid", "moves and turns as a whole; packed primitives each by their own transform"},
             {"deforming", "Animated Deforming", "changes its form, with the same points and polygons"}},
            "What the input does over time."));
        p.push_back(
            choice_row("pieces", "Bodies", shape,
                       {{"whole", "One Body", "the whole input; packed primitives are always bodies of their own"},
                        {"attribute", "By Attribute", "one body for each value of the attribute below"}},
                       "How the input is cut into bodies."));
        p.push_back(string_row("piece_attribute", "Piece Attribute", shape, "name",
                               "A primitive attribute: text or whole numbers.", "{ pieces == whole }"));
        p.push_back(toggle_row("inverted", "Keep Snow Inside", shape, false, "A closed shape becomes a container."));
        p.push_back(toggle_row("two_sided", "Two-Sided", shape, false,
                               "An open surface, such as a sheet, keeps snow out on both sides.", "{ inverted == 1 }"));
        p.push_back(with_expression(real_row("frame", "Frame", "", shape, 1, -1e9, 1e9, 1, 240, "The frame that it is.",
                                             "{ motion == static }"),
                                    "$FF"));
        p.push_back(real_row("start_frame", "Start Frame", "", shape, 1, -1e9, 1e9, 1, 240,
                             "The surface is sampled as it is at this frame.", "{ motion == static }"));

        p.push_back(real_row(
            "friction", "Friction", "", surface, 0.5, 0, 1e6, 0, 2,
            "Coulomb's mu: 0 slippery, 0.5 wood, above 1 rough ground. A point attribute friction goes before it."));
        p.push_back(real_row("adhesion", "Adhesion", "m/s^2", surface, 0, 0, 1e6, 0, 50,
                             "Pull within two spacings. A point attribute adhesion goes before it."));
        p.push_back(real_row("bounce", "Bounce", "", surface, 0, 0, 1, 0, 1,
                             "Of lone flakes. A point attribute bounce goes before it."));
        p.push_back(
            real_row("sticky", "Sticky", "", surface, 0, 0, 1, 0, 1,
                     "How much of the snow's tension the surface holds: 0 lets go cleanly, 1 is frozen on. A point "
                     "attribute sticky goes before it."));
        p.push_back(engine_row("boundary_volume"));
        return t;
    }();
    return table;
}

}  // namespace firn
