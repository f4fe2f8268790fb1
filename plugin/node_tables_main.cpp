// firn_node_tables [FILE]: every node of the plugin as JSON, with the quantities of snow and surfaces, the attributes
// of particles and the solves, from which dialogs, help pages and scene files are made outside of Houdini. It writes
// the JSON without a library, so that a build for a Houdini has no extra dependency.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "dialog_script.h"
#include "firn/body.h"
#include "firn/materials.h"
#include "firn/method.h"
#include "firn/particles.h"
#include "node_table.h"

namespace {

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        char escaped[8];
        if (c == '"' || c == '\\')
            out += std::string("\\") + c;
        else if (c == '\n')
            out += "\\n";
        else if (static_cast<unsigned char>(c) < 0x20) {
            std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
            out += escaped;
        } else
            out += c;
    }
    return out + "\"";
}

/// The fewest digits that give the number back.
std::string number(double value) {
    char text[32];
    for (int digits = 1; digits <= 17; ++digits) {
        std::snprintf(text, sizeof text, "%.*g", digits, value);
        if (std::strtod(text, nullptr) == value) break;
    }
    return text;
}
std::string number(float value) {
    char text[32];
    for (int digits = 1; digits <= 9; ++digits) {
        std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
        if (std::strtof(text, nullptr) == value) break;
    }
    return text;
}

std::string boolean(bool value) {
    return value ? "true" : "false";
}

/// Values that are JSON already.
std::string array(const std::vector<std::string>& values, const char* between = ", ") {
    std::string out;
    for (const std::string& value : values) out += (out.empty() ? "" : between) + value;
    return "[" + out + "]";
}

struct Member {
    const char* key;
    std::string value;
};
std::string object(const std::vector<Member>& members) {
    std::string out;
    for (const Member& member : members) out += (out.empty() ? "" : ", ") + quoted(member.key) + ": " + member.value;
    return "{" + out + "}";
}

const char* type_word(firn::NodeParameterType type) {
    static const char* const words[] = {"real", "integer", "toggle", "choice", "vector", "string", "button"};
    return words[static_cast<int>(type)];
}

std::string initial(const firn::NodeParameter& p) {
    using Type = firn::NodeParameterType;
    if (p.type == Type::string) return quoted(p.initial_text);
    if (p.type == Type::vector) return array({number(p.initial[0]), number(p.initial[1]), number(p.initial[2])});
    if (p.type == Type::toggle) return boolean(p.initial[0] != 0);
    if (p.type == Type::choice) return quoted(p.choices.at(static_cast<size_t>(p.initial[0])).token);
    if (p.type == Type::integer) return std::to_string(static_cast<int64_t>(p.initial[0]));
    return number(p.initial[0]);
}

std::string row(const firn::NodeParameter& p) {
    std::vector<std::string> choices;
    for (const firn::ParameterChoice& choice : p.choices)
        choices.push_back(
            object({{"token", quoted(choice.token)}, {"label", quoted(choice.label)}, {"help", quoted(choice.help)}}));
    return object({{"token", quoted(p.token)},
                   {"label", quoted(p.label)},
                   {"unit", quoted(p.unit)},
                   {"folder", quoted(p.folder)},
                   {"type", quoted(type_word(p.type))},
                   {"default", initial(p)},
                   {"expression", quoted(p.type == firn::NodeParameterType::string ? "" : p.initial_text)},
                   {"low", number(p.low)},
                   {"high", number(p.high)},
                   {"slider_low", number(p.slider_low)},
                   {"slider_high", number(p.slider_high)},
                   {"help", quoted(p.help)},
                   {"symbol", quoted(p.symbol)},
                   {"source", quoted(p.source)},
                   {"choices", array(choices)},
                   {"disable_when", quoted(p.disable_when)}});
}

std::string node(const firn::NodeTable& table) {
    std::vector<std::string> inputs, parameters;
    for (const firn::NodeInput& input : table.inputs)
        inputs.push_back(object(
            {{"label", quoted(input.label)}, {"help", quoted(input.help)}, {"required", boolean(input.required)}}));
    for (const firn::NodeParameter& p : table.parameters) parameters.push_back(row(p));
    return object({{"name", quoted(table.name)},
                   {"label", quoted(table.label)},
                   {"table", quoted(table.table)},
                   {"icon", quoted(table.icon)},
                   {"help", quoted(table.help)},
                   {"inputs", array(inputs)},
                   {"parameters", array(parameters, ",\n")},
                   {"dialog_script", quoted(firn::dialog_script(table))}});
}

std::string materials() {
    std::vector<std::string> quantities, presets;
    for (const firn::MaterialQuantity& q : firn::material_table())
        quantities.push_back(
            object({{"token", quoted(q.token)}, {"symbol", quoted(q.symbol)}, {"varies", boolean(q.varies)}}));
    for (const firn::MaterialPreset& preset : firn::material_presets()) {
        std::vector<Member> values;
        for (const firn::MaterialQuantity& q : firn::material_table())
            values.push_back({q.token, number(preset.material.*q.value)});
        presets.push_back(
            object({{"token", quoted(preset.token)}, {"label", quoted(preset.label)}, {"values", object(values)}}));
    }
    return object({{"quantities", array(quantities, ",\n")}, {"presets", array(presets, ",\n")}});
}

std::string attribute(const firn::ParticleArray& array) {
    static const char* const roles[] = {"required", "state", "input", "result"};
    return object({{"name", quoted(array.name)},
                   {"unit", quoted(array.unit)},
                   {"role", quoted(roles[static_cast<int>(array.role)])},
                   {"help", quoted(array.help)}});
}

}  // namespace

int main(int count, char** arguments) {
    std::vector<std::string> nodes, surface, attributes, solves;
    for (const firn::NodeTable* table : firn::node_tables()) nodes.push_back(node(*table));
    for (const firn::SurfaceQuantity& q : firn::surface_table()) surface.push_back(quoted(q.token));
    for (const firn::ParticleArray& a : firn::particle_arrays()) attributes.push_back(attribute(a));
    for (const firn::SolveInfo& solve : firn::find_method("snow").solves)
        solves.push_back(object({{"name", quoted(solve.name)}, {"residual", quoted(solve.residual)}}));
    const std::string text = object({{"nodes", array(nodes, ",\n")},
                                     {"materials", materials()},
                                     {"surface", array(surface)},
                                     {"attributes", array(attributes, ",\n")},
                                     {"solves", array(solves)}}) +
                             "\n";
    std::FILE* file = count > 1 ? std::fopen(arguments[1], "w") : stdout;
    const bool written = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (file && std::fclose(file) == 0 && written) return 0;
    std::fprintf(stderr, "firn_node_tables: %s can't be written\n", count > 1 ? arguments[1] : "the output");
    return 1;
}
