#include "node_table.h"

namespace firn {

const NodeTable& snow_collider_table() {
    static const NodeTable table = [] {
        NodeTable t{"firn::snow_collider",
                    "Firn Snow Collider",
                    "Sop",
                    "firn_snow_collider",
                    "Covers geometry with the boundary particles that snow collides with.",
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
             {"deforming", "Animated Deforming",
              "changes its shape, with the same points and polygons at every frame"}},
            "How the input moves over time."));
        p.push_back(
            choice_row("pieces", "Bodies", shape,
                       {{"whole", "One Body", "the whole input; packed primitives are always bodies of their own"},
                        {"attribute", "By Attribute", "one body for each value of the attribute below"}},
                       "How the input is split into bodies."));
        p.push_back(
            string_row("piece_attribute", "Piece Attribute", shape, "name",
                       "The primitive attribute that says which body a polygon belongs to: a string or an integer.",
                       "{ pieces == whole }"));
        p.push_back(toggle_row("inverted", "Keep Snow Inside", shape, false,
                               "Turns a closed shape into a container: snow stays inside instead of outside."));
        p.push_back(toggle_row("two_sided", "Two-Sided", shape, false,
                               "Stops snow on both sides of an open surface, such as a thin sheet.",
                               "{ inverted == 1 }"));
        p.push_back(
            toggle_row("plane", "Plane", shape, false,
                       "Takes the input for a flat ground, of which only place and direction count: the snow's "
                       "boundary particles are made where it comes near, and the ground may be without end. The "
                       "output is one point.",
                       "{ motion != static } { inverted == 1 } { two_sided == 1 }"));
        p.push_back(
            real_row("plane_size", "Plane Size", "m", shape, 0, 0, 1e6, 0, 100,
                     "Edge length of the plane, about the middle of the input. Snow that leaves it keeps falling. "
                     "0 = without end.",
                     "{ plane == 0 }"));
        p.push_back(with_expression(
            real_row("frame", "Frame", "", shape, 1, -1e9, 1e9, 1, 240, "The current frame.", "{ motion == static }"),
            "$FF"));
        p.push_back(real_row("start_frame", "Start Frame", "", shape, 1, -1e9, 1e9, 1, 240,
                             "The surface is covered with particles as it is at this frame, and followed from there.",
                             "{ motion == static }"));

        add(p, contact_rows(surface));
        p.push_back(engine_row("boundary_volume"));
        return t;
    }();
    return table;
}

}  // namespace firn
