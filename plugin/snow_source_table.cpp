#include <string>

#include "firn/materials.h"
#include "node_table.h"

namespace firn {

namespace {

std::vector<ParameterChoice> presets() {
    std::vector<ParameterChoice> all;
    for (const MaterialPreset& preset : material_presets())
        all.push_back({preset.token, preset.label, preset.sentence});
    all.push_back({"measured", "Measured", "as field work found snow of this density"});
    all.push_back({"custom", "Custom", "the numbers below"});
    return all;
}

/// Names the attributes of material_table().
std::string override_help() {
    std::string names;
    for (const MaterialQuantity& q : material_table()) {
        names += names.empty() ? q.token : std::string(", ") + q.token;
        if (std::string(q.symbol) != q.token) names += std::string(" (") + q.symbol + ")";
    }
    return "Particles take these point attributes from the nearest point of the input, instead of the preset: " +
           names + ".";
}

}  // namespace

const NodeTable& snow_source_table() {
    static const std::string point_attributes = override_help();
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
                               "How the input is turned into snow."));
        p.push_back(choice_row(
            "filling", "Filling", shape,
            {{"regular", "Regular", "a lattice, stretched by up to 6 % to end where the shape does"},
             {"relaxed", "Relaxed",
              "particles spread out until they fill the shape evenly, so that thin features survive; slower"}},
            "How particles are placed inside the shape.", "{ input_as == points }"));
        p.push_back(real_row(
            "jitter", "Jitter", "", shape, 0, 0, 1, 0, 1,
            "Higher values hide the regular lattice: each particle is moved by up to this fraction of half a spacing.",
            "{ filling == relaxed } { input_as == points }"));
        p.push_back(integer_row("seed", "Seed", "", shape, 0, 0, 2147483647, 100,
                                "Every number gives another random pattern."));
        p.push_back(real_row("thickness", "Layer Thickness", "m", shape, 0.2, 1e-4, 1000, 0.05, 1,
                             "Depth of the snow layer on a height field, measured vertically.",
                             "{ input_as == points }"));
        p.push_back(vector_row("velocity", "Velocity", "m/s", shape, 1e4,
                               "Velocity of the snow when it appears. The input's attribute v is added to it."));
        p.push_back(vector_row("spin", "Spin", "degrees/s", shape, 1e6,
                               "Rotation of the snow when it appears, about the middle of the input."));

        NodeParameter preset = choice_row("preset", "Snow Preset", snow, presets(),
                                          "The kind of snow. Point attributes of the input override it.");
        preset.initial[0] = 1;
        p.push_back(preset);
        p.push_back(
            real_row("measured_density", "Measured Density", "kg/m^3", snow, 300, 50, 917, 50, 600,
                     "Density of the measured snow; stiffness and strength follow from it. Denser snow is harder.",
                     "{ preset != measured }"));
        add(p, engine_rows("Snow", "{ preset != custom }"));
        p.push_back(toggle_row("overrides", "Use Point Attributes", snow, true, point_attributes.c_str()));
        p.push_back(
            real_row("noise_amplitude", "Unevenness", "", snow, 0, 0, 3, 0, 1,
                     "Higher values make the snow break into irregular lumps: Young's modulus and both critical "
                     "strains vary between e^-value and e^value times their own. 0 = even."));
        p.push_back(real_row("noise_scale", "Lump Size", "m", snow, 0.1, 1e-4, 1e4, 0.02, 0.5,
                             "Size of the lumps in uneven snow.", "{ noise_amplitude == 0 }"));
        p.push_back(integer_row("noise_seed", "Lump Seed", "", snow, 0, 0, 2147483647, 100,
                                "Every number gives another random pattern.", "{ noise_amplitude == 0 }"));

        p.push_back(choice_row("emission", "Emission", emission,
                               {{"once", "Once", "all of it at the start frame"},
                                {"continuous", "Continuous", "flakes keep appearing in the shape, frame after frame"}},
                               "When snow appears."));
        p.push_back(real_row("start_frame", "Start Frame", "", emission, 1, -1e9, 1e9, 1, 240,
                             "The frame at which snow appears, or begins to appear."));
        p.push_back(real_row("end_frame", "End Frame", "", emission, 1e6, -1e9, 1e9, 1, 240,
                             "The last frame at which snow appears.", "{ emission == once }"));
        p.push_back(real_row("rate", "Rate", "kg/s", emission, 10, 0, 1e9, 0, 100,
                             "Higher values make more snow per second. Flakes never appear on top of others, so the "
                             "rate can fall short.",
                             "{ emission == once }"));
        p.push_back(with_expression(
            real_row("frame", "Frame", "", emission, 1, -1e9, 1e9, 1, 240, "The current frame."), "$FF"));
        p.push_back(with_expression(real_row("timestep", "Frame Length", "s", emission, 1.0 / 24, 1e-6, 10, 0.01, 0.1,
                                             "How much time one frame covers.", "{ emission == once }"),
                                    "1/$FPS"));
        return t;
    }();
    return table;
}

}  // namespace firn
