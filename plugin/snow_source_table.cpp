#include "firn/materials.h"
#include "node_table.h"

namespace firn {

namespace {

std::vector<ParameterChoice> presets() {
    std::vector<ParameterChoice> all;
    for (const MaterialPreset& preset : material_presets())
        all.push_back({preset.token, preset.label, preset.sentence});
    all.push_back({"measured", "Measured", "as field work found snow of this density"});
    all.push_back({"custom", "Custom", "the six numbers below"});
    return all;
}

}  // namespace

const NodeTable& snow_source_table() {
    static const NodeTable table = [] {
        NodeTable t{"firn::snow_source",
                    "Firn Snow Source",
                    "Sop",
                    "firn_snow_source",
                    "Fills meshes and VDBs with snow, or lays snow on a height field.",
                    {{"Geometry", "closed meshes, VDBs, a height field, points, or packed primitives of these", true}},
                    {}};
        auto& p = t.parameters;
        const char *shape = "Shape", *emission = "Emission", *snow = "Snow";
        NodeParameter spacing = engine_row("spacing");
        spacing.folder = shape;
        p.push_back(spacing);
        p.push_back(choice_row("input_as", "Input Is", shape,
                               {{"automatic", "Automatic", "meshes, VDBs and height fields as they come; else points"},
                                {"points", "Points", "every point becomes a particle where it is"}},
                               "What becomes of the input."));
        p.push_back(choice_row(
            "filling", "Filling", shape,
            {{"regular", "Regular", "a lattice"},
             {"relaxed", "Relaxed", "moved until the shape is filled evenly, so that thin features survive; slower"}},
            "How particles are placed inside.", "{ input_as == points }"));
        p.push_back(real_row("jitter", "Jitter", "", shape, 0, 0, 1, 0, 1,
                             "Moves the particles of a lattice by up to this share of half a spacing.",
                             "{ filling == relaxed } { input_as == points }"));
        p.push_back(integer_row("seed", "Seed", "", shape, 0, 0, 2147483647, 100, "Another number, another pattern."));
        p.push_back(real_row("thickness", "Layer Thickness", "m", shape, 0.2, 1e-4, 1000, 0.05, 1,
                             "Of snow on a height field, vertically.", "{ input_as == points }"));
        p.push_back(vector_row("velocity", "Velocity", "m/s", shape, 1e4,
                               "At the start; the input's own v attribute is added to it."));
        p.push_back(
            vector_row("spin", "Spin", "degrees/s", shape, 1e6, "At the start, about the middle of the input."));

        NodeParameter preset = choice_row("preset", "Snow Preset", snow, presets(),
                                          "A kind of snow; point attributes of the input go before it.");
        preset.initial[0] = 1;
        p.push_back(preset);
        p.push_back(real_row("measured_density", "Measured Density", "kg/m^3", snow, 300, 50, 917, 50, 600,
                             "Of measured snow: everything else follows from it.", "{ preset != measured }"));
        add(p, engine_rows("Snow", "{ preset != custom }"));
        p.push_back(toggle_row(
            "overrides", "Use Point Attributes", snow, true,
            "young_modulus (E), poisson_ratio (nu), hardening (xi), theta_c, theta_s and rest_density (rho0) of "
            "the input's points are taken over by the particles nearest to them."));
        p.push_back(real_row("noise_amplitude", "Unevenness", "", snow, 0, 0, 3, 0, 1,
                             "Lumps and weak places: Young's modulus and both critical strains are multiplied by up to "
                             "e^this and down to e^-this. 0 = even."));
        p.push_back(real_row("noise_scale", "Lump Size", "m", snow, 0.1, 1e-4, 1e4, 0.02, 0.5, "Of the uneven snow.",
                             "{ noise_amplitude == 0 }"));
        p.push_back(integer_row("noise_seed", "Lump Seed", "", snow, 0, 0, 2147483647, 100,
                                "Another number, another pattern.", "{ noise_amplitude == 0 }"));

        p.push_back(choice_row("emission", "Emission", emission,
                               {{"once", "Once", "all of it at the start frame"},
                                {"continuous", "Continuous", "flakes appear in the shape, frame after frame"}},
                               "When snow appears."));
        p.push_back(real_row("start_frame", "Start Frame", "", emission, 1, -1e9, 1e9, 1, 240,
                             "When it appears, or begins to."));
        p.push_back(real_row("end_frame", "End Frame", "", emission, 1e6, -1e9, 1e9, 1, 240, "When the source closes.",
                             "{ emission == once }"));
        p.push_back(real_row("rate", "Rate", "kg/s", emission, 10, 0, 1e9, 0, 100,
                             "How much snow appears. Flakes never appear on top of others.", "{ emission == once }"));
        p.push_back(with_expression(
            real_row("frame", "Frame", "", emission, 1, -1e9, 1e9, 1, 240, "The frame that it is."), "$FF"));
        p.push_back(with_expression(real_row("timestep", "Frame Length", "s", emission, 1.0 / 24, 1e-6, 10, 0.01, 0.1,
                                             "How much time one frame takes.", "{ emission == once }"),
                                    "1/$FPS"));
        return t;
    }();
    return table;
}

}  // namespace firn
