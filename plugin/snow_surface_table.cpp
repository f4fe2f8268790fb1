#include "node_table.h"
#include "surface_rows.h"

namespace firn {

std::vector<NodeParameter> surface_rows(const char* folder, const char* disable_when) {
    return {
        real_row("surface_radius", "Particle Radius", "m", folder, 0, 0, 1000, 0, 0.1, "0 = half a spacing.",
                 disable_when),
        real_row("surface_dilate", "Dilate", "m", folder, 0, -1, 1000, 0, 0.1,
                 "The surface grows by this before it is smoothed, which closes gaps. 0 = 3/4 of a spacing, negative = "
                 "none.",
                 disable_when),
        integer_row("surface_smooth", "Smooth", "passes", folder, 2, 0, 100, 10, "Rounds off the particles.",
                    disable_when),
        real_row("surface_erode", "Erode", "m", folder, 0, -1, 1000, 0, 0.1,
                 "The surface shrinks by this after smoothing. 0 = back to where the snow ends, negative = none.",
                 disable_when),
    };
}

const NodeTable& snow_surface_table() {
    static const NodeTable table = [] {
        NodeTable t{"firn::snow_surface",
                    "Firn Snow Surface",
                    "Sop",
                    "firn_snow_surface",
                    "The surface of the snow as a signed distance VDB, or as a mesh.",
                    {{"Particles", "snow, from the solver", true}},
                    {}};
        auto& p = t.parameters;
        const char* output = "Output";
        p.push_back(choice_row("output", "Output", output,
                               {{"sdf", "Signed Distance VDB", "a level set named surface"},
                                {"mesh", "Mesh", "polygons"},
                                {"both", "Both", "the level set and the polygons"}},
                               "What comes out."));
        p.push_back(real_row("voxel", "Voxel Size", "m", output, 0, 0, 1000, 0, 0.1, "0 = half the particle spacing."));
        p.push_back(real_row("spacing", "Particle Spacing", "m", output, 0, 0, 100, 0, 0.2,
                             "0 = twice the particles' pscale."));
        p.push_back(real_row("adaptivity", "Adaptivity", "", output, 0, 0, 1, 0, 1,
                             "Larger polygons where the surface is flat; 0 = all small.", "{ output == sdf }"));
        p.push_back(toggle_row("mesh_velocity", "Velocity on the Mesh", output, true,
                               "The mesh's points get v from the particles, for motion blur.", "{ output == sdf }"));
        add(p, surface_rows("Surface", ""));
        p.push_back(integer_row("half_width", "Band Width", "voxels", "Surface", 3, 1, 100, 10,
                                "How far from the surface distances are known."));
        p.push_back(engine_row("threads"));
        return t;
    }();
    return table;
}

}  // namespace firn
