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
                    {{"Particles", "snow, from the solver", true},
                     {"First Frame",
                      "the snow as it was born, for grains and relief: the first frame, held by a Time Shift", false}},
                    {}};
        auto& p = t.parameters;
        const char* output = "Output";
        p.push_back(real_row("voxel", "Voxel Size", "m", output, 0, 0, 1000, 0, 0.1,
                             "Smaller voxels show finer detail and take more memory. 0 = half the particle spacing."));
        p.push_back(real_row("spacing", "Particle Spacing", "m", output, 0, 0, 100, 0, 0.2,
                             "Distance between the particles. 0 = twice their pscale."));
        p.push_back(toggle_row("density", "Density", output, true,
                               "Makes a fog volume named density, in kg/m^3. Its integral is the snow's mass."));
        p.push_back(toggle_row("velocity", "Velocity", output, true,
                               "Makes a vector volume named vel, in m/s, for motion blur."));
        p.push_back(toggle_row("masked_density", "Masked Density", output, false,
                               "Makes a fog volume named density_masked that fades to zero at the surface: crisp "
                               "edges, true density inside."));
        p.push_back(integer_row("density_grains", "Density from Grains", "", output, 0, 0, 256, 64,
                                "Makes the densities from this many render grains for each particle: edges get as "
                                "sharp as the grains are small, and the inside gets their texture. 0 = from the "
                                "particles. Grains follow the snow from where it was born: the second input, or the "
                                "point attribute rest. With Voxel Size 0, voxels are half the grains' distance."));
        p.push_back(string_row("attributes", "Attributes", output, "",
                               "Point attributes, such as compaction pressure Cd. Each becomes a volume of its average "
                               "where there is snow."));
        p.push_back(engine_row("rest_density"));
        p.back().folder = output;
        const char* velocity = "Velocity";
        p.push_back(string_row("velocity_name", "Velocity Name", velocity, "vel",
                               "Name of the velocity volume. Houdini expects vel.", "{ velocity == 0 }"));
        p.push_back(toggle_row("staggered", "Staggered", velocity, false,
                               "Stores velocities on the faces of the voxels instead of their centres.",
                               "{ velocity == 0 }"));
        p.push_back(real_row("velocity_extension", "Extension", "m", velocity, 0, 0, 1000, 0, 1,
                             "Higher values carry velocities further past the surface, so that motion blur is not cut "
                             "off. 0 = three spacings.",
                             "{ velocity == 0 }"));
        p.push_back(
            real_row("shutter", "Shutter", "frames", velocity, 0.5, 0, 10, 0, 1,
                     "Longer shutters carry velocities further along the path of fast particles, as motion blur needs.",
                     "{ velocity == 0 }"));
        p.push_back(with_expression(real_row("timestep", "Frame Length", "s", velocity, 1.0 / 24, 1e-6, 10, 0.01, 0.1,
                                             "How much time one frame covers.", "{ velocity == 0 }"),
                                    "1/$FPS"));
        add(p, surface_rows("Surface", "{ masked_density == 0 }"));
        p.push_back(real_row(
            "fade", "Fade", "m", "Surface", 0, 0, 1000, 0, 0.1,
            "Higher values make softer edges: the distance over which the masked density fades to zero. 0 = one voxel.",
            "{ masked_density == 0 }"));
        p.push_back(engine_row("threads"));
        return t;
    }();
    return table;
}

}  // namespace firn
