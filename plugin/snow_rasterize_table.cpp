#include "node_table.h"
#include "surface_rows.h"

namespace firn {

const NodeTable& snow_rasterize_table() {
    static const NodeTable table = [] {
        NodeTable t{"firn::snow_rasterize",
                    "Firn Snow Rasterize",
                    "Sop",
                    "firn_snow_rasterize",
                    "Turns snow particles into VDBs: density, velocity, any attribute.",
                    {{"Particles", "snow, from the solver", true}},
                    {}};
        auto& p = t.parameters;
        const char* output = "Output";
        p.push_back(real_row("voxel", "Voxel Size", "m", output, 0, 0, 1000, 0, 0.1, "0 = half the particle spacing."));
        p.push_back(real_row("spacing", "Particle Spacing", "m", output, 0, 0, 100, 0, 0.2,
                             "0 = twice the particles' pscale."));
        p.push_back(toggle_row("density", "Density", output, true,
                               "kg/m^3, a fog volume named density. Its sum is the snow's mass."));
        p.push_back(
            toggle_row("velocity", "Velocity", output, true, "m/s, a vector volume named vel, for motion blur."));
        p.push_back(toggle_row(
            "masked_density", "Masked Density", output, false,
            "Density that fades to nothing at the surface: crisp edges, true density inside. Named density_masked."));
        p.push_back(string_row(
            "attributes", "Attributes", output, "",
            "Point attributes, as means where there is snow: compaction pressure Cd ... Each becomes a volume."));
        p.push_back(engine_row("rest_density"));
        p.back().folder = output;
        const char* velocity = "Velocity";
        p.push_back(
            string_row("velocity_name", "Velocity Name", velocity, "vel", "Houdini expects vel.", "{ velocity == 0 }"));
        p.push_back(toggle_row("staggered", "Staggered", velocity, false, "Velocities on the faces of the voxels.",
                               "{ velocity == 0 }"));
        p.push_back(real_row("velocity_extension", "Extension", "m", velocity, 0, 0, 1000, 0, 1,
                             "How far velocities reach past the surface. 0 = three spacings.", "{ velocity == 0 }"));
        p.push_back(real_row("shutter", "Shutter", "frames", velocity, 0.5, 0, 10, 0, 1,
                             "Velocities also reach as far as each particle goes in this time.", "{ velocity == 0 }"));
        p.push_back(with_expression(real_row("timestep", "Frame Length", "s", velocity, 1.0 / 24, 1e-6, 10, 0.01, 0.1,
                                             "How much time one frame takes.", "{ velocity == 0 }"),
                                    "1/$FPS"));
        add(p, surface_rows("Surface", "{ masked_density == 0 }"));
        p.push_back(real_row("fade", "Fade", "m", "Surface", 0, 0, 1000, 0, 0.1,
                             "Over which the masked density goes to nothing. 0 = one voxel.",
                             "{ masked_density == 0 }"));
        p.push_back(engine_row("threads"));
        return t;
    }();
    return table;
}

}  // namespace firn
