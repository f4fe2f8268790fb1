#include "scene_materials.h"

#include <algorithm>

#include "firn/error.h"
#include "firn/short_token.h"
#include "firn/spelling.h"
#include "wording.h"

namespace firn {

namespace {

MaterialNoise read_noise(const SceneTable& section) {
    std::vector<std::string> possible;
    for (const MaterialQuantity& q : material_table())
        if (q.varies) possible.push_back(q.token);
    MaterialNoise noise;
    noise.amplitude = section.real("amplitude");
    noise.scale = section.real("scale");
    noise.seed = section.seed("seed");
    for (const std::string& word : section.words("of")) {
        const ParameterInfo* info = find_parameter(word);
        if (!info || std::find(possible.begin(), possible.end(), info->token) == possible.end())
            section.fail_at("of", "'" + short_token(word) + "' can't vary" + did_you_mean(word, possible) +
                                      "; what can: " + comma_list(possible));
        noise.of.push_back(info->token);
    }
    return noise;
}

}  // namespace

SnowMaterial read_material(const SceneTable& section, const SnowMaterial& otherwise) {
    SnowMaterial result = otherwise;
    Parameters parameters;
    apply(otherwise.material, parameters);
    const std::string preset = section.has("preset") ? section.text("preset") : "";
    if (preset == "measured") {
        section.set_parameters(parameters);
        try {
            apply(measured_material(parameters.rest_density), parameters);
        } catch (const Error& error) {
            section.fail_at("preset", error.what());
        }
    } else if (!preset.empty()) {
        apply(find_preset(preset).material, parameters);
    }
    section.set_parameters(parameters);
    result.material = material_of(parameters);
    if (const auto noise = section.table("noise", "noise", "noise = { amplitude = 0.3 }"))
        result.noise = read_noise(*noise);
    return result;
}

Materials read_materials(const std::string& file, const toml::table& root, const SnowMaterial& otherwise) {
    Materials materials;
    const toml::node* node = root.get("materials");
    if (!node) return materials;
    const toml::table* table = node->as_table();
    if (!table) fail(place_of(file, node->source()), "materials must hold tables: write [materials.NAME]");
    for (auto&& [key, inner] : *table) {
        const std::string name(key.str());
        const toml::table* values = inner.as_table();
        if (!values)
            fail(place_of(file, key.source()),
                 "materials." + name + " must be a table: write [materials.NAME], or use [material]");
        materials[name] = read_material(SceneTable(file, *values, "material", "[materials." + name + "]"), otherwise);
    }
    return materials;
}

SnowMaterial read_body_material(const SceneTable& body, const Materials& materials, const SnowMaterial& otherwise) {
    const toml::node* node = body.get("material");
    if (!node) return otherwise;
    if (node->is_table())
        return read_material(*body.table("material", "material", "material = { preset = \"wet\" }"), otherwise);
    const auto name = node->value_exact<std::string>();
    if (!name)
        body.fail_at("material", "material must be a name in quotes or a table { preset = \"wet\" }, not " +
                                     std::string(type_name(*node)));
    if (const auto found = materials.find(*name); found != materials.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [other, material] : materials) known.push_back(other);
    for (const MaterialPreset& preset : material_presets()) {
        if (*name == preset.token) return {preset.material, {}};
        known.push_back(preset.token);
    }
    body.fail_at("material", "there is no material '" + short_token(*name) + "'" + did_you_mean(*name, known) +
                                 "; there are " + comma_list(known));
}

}  // namespace firn
