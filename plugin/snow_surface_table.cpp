#include "node_table.h"
#include "surface_rows.h"

namespace firn {

std::vector<NodeParameter> surface_rows(const char* folder, const char* disable_when) {
    return {
        choice_row(
            "surface_shape", "Shape", folder,
            {{"balls", "Balls", "rounder; gaps are closed by Dilate"},
             {"kernels", "Kernels",
              "kernels that follow the snow: flatter faces, sharper edges of chunks; loose snow may get pinholes"}},
            "How particles become a surface.", disable_when),
        real_row("surface_radius", "Particle Radius", "m", folder, 0, 0, 1000, 0, 0.1,
                 "Higher values thicken the surface around each particle. 0 = half a spacing.", disable_when),
        real_row("surface_dilate", "Dilate", "m", folder, 0, -1, 1000, 0, 0.1,
                 "Higher values close larger gaps: the surface grows by this before it is smoothed. 0 = half a spacing "
                 "for balls, none for kernels; negative = none.",
                 disable_when),
        integer_row("surface_smooth", "Smooth", "passes", folder, -1, -1, 100, 10,
                    "More passes make a rounder, wetter-looking surface; fewer keep the grain. -1 = 2 for balls (more "
                    "for fine voxels), none "
                    "for kernels.",
                    disable_when),
        real_row("surface_erode", "Erode", "m", folder, 0, -1, 1000, 0, 0.1,
                 "Higher values make the surface thinner: it shrinks by this after smoothing. 0 = back to where the "
                 "snow ends, negative = none.",
                 disable_when),
        real_row("surface_relief", "Relief", "m", folder, 0, -1, 1000, 0, 0.1,
                 "Higher values make the surface rougher: the height of a fine relief that sticks to the snow and is "
                 "lost where snow is pressed. It follows the snow from where it was born: the second input, or the "
                 "point attribute rest. 0 = a fifth of a spacing where that is known, negative = none.",
                 disable_when),
        real_row("surface_relief_size", "Relief Size", "m", folder, 0, 0, 1000, 0, 0.2,
                 "Higher values make larger lumps. Two finer sizes go with them, as far as the voxels show them. 0 = "
                 "1.5 spacings.",
                 disable_when),
    };
}

const NodeTable& snow_surface_table() {
    static const NodeTable table = [] {
        NodeTable t{
            "firn::snow_surface",
            "Firn Snow Surface",
            "Sop",
            "firn_snow_surface",
            "The surface of the snow as a signed distance VDB, or as a mesh.",
            {{"Particles", "snow, from the solver", true},
             {"First Frame", "the snow as it was born, for the relief: the first frame, held by a Time Shift", false}},
            {}};
        auto& p = t.parameters;
        const char* output = "Output";
        p.push_back(choice_row("output", "Output", output,
                               {{"sdf", "Signed Distance VDB", "a level set named surface"},
                                {"mesh", "Mesh", "polygons"},
                                {"both", "Both", "the level set and the polygons"}},
                               "What the node makes."));
        p.push_back(real_row("voxel", "Voxel Size", "m", output, 0, 0, 1000, 0, 0.1,
                             "Smaller voxels show finer detail and take more memory. 0 = half the particle spacing."));
        p.push_back(real_row("spacing", "Particle Spacing", "m", output, 0, 0, 100, 0, 0.2,
                             "Distance between the particles. 0 = twice their pscale."));
        p.push_back(real_row("adaptivity", "Adaptivity", "", output, 0, 0, 1, 0, 1,
                             "Higher values use larger polygons where the surface is flat. 0 = all polygons small.",
                             "{ output == sdf }"));
        p.push_back(toggle_row("mesh_velocity", "Velocity on the Mesh", output, true,
                               "Gives the mesh's points the particles' velocity v, for motion blur.",
                               "{ output == sdf }"));
        add(p, surface_rows("Surface", ""));
        p.push_back(integer_row("half_width", "Band Width", "voxels", "Surface", 3, 1, 100, 10,
                                "Higher values store distances further from the surface, for effects that need them, "
                                "at the cost of memory."));
        p.push_back(engine_row("threads"));
        return t;
    }();
    return table;
}

}  // namespace firn
