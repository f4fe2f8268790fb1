#include "key_reference.h"

#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "firn/materials.h"
#include "firn/parameters.h"
#include "scene_keys.h"

namespace firn {

namespace {

using Json = nlohmann::ordered_json;

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

const char* type_word(ParameterType type) {
    switch (type) {
        case ParameterType::real:
            return "number";
        case ParameterType::integer:
            return "whole number";
        case ParameterType::toggle:
            return "true or false";
        case ParameterType::choice:
            return "word";
        case ParameterType::vector:
            return "[x, y, z]";
    }
    return "";
}

const char* type_word(KeyType type) {
    switch (type) {
        case KeyType::number:
            return "number";
        case KeyType::integer:
            return "whole number";
        case KeyType::toggle:
            return "true or false";
        case KeyType::text:
            return "text";
        case KeyType::file:
            return "path";
        case KeyType::choice:
            return "word";
        case KeyType::words:
            return "[words]";
        case KeyType::values:
            return "[values]";
        case KeyType::pair:
            return "[width, height]";
        case KeyType::vector:
            return "[x, y, z]";
        case KeyType::table:
            return "table";
        case KeyType::tables:
            return "[tables]";
        case KeyType::either:
            return "text or table";
    }
    return "";
}

/// As declared: a float's text would say 0.00100000005.
std::string initial(const ParameterInfo& info) {
    if (info.type == ParameterType::real || info.type == ParameterType::integer) return number(info.initial[0]);
    if (info.type == ParameterType::vector)
        return number(info.initial[0]) + " " + number(info.initial[1]) + " " + number(info.initial[2]);
    return parameter_text(Parameters(), info);
}

bool has_range(const ParameterInfo& info) {
    return info.type != ParameterType::toggle && info.type != ParameterType::choice;
}

bool has_range(const SceneKey& key) {
    return key.type == KeyType::number || key.type == KeyType::integer || key.type == KeyType::vector ||
           key.type == KeyType::pair;
}

std::string choices(const ParameterInfo& info) {
    std::string all;
    for (const ParameterChoice& choice : info.choices) all += (all.empty() ? "" : ", ") + std::string(choice.token);
    return all;
}

std::string choices(const SceneKey& key) {
    std::string all;
    for (const char* choice : key.choices) all += (all.empty() ? "" : ", ") + std::string(choice);
    return all;
}

std::string range(const ParameterInfo& info) {
    return has_range(info) ? number(info.low) + " to " + number(info.high) : choices(info);
}

std::string range(const SceneKey& key) {
    return has_range(key) ? number(key.low) + " to " + number(key.high) : choices(key);
}

/// "a|b" would end a cell.
std::string cell(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
    return out;
}

Json json_of(const ParameterInfo& info) {
    Json row = {{"token", info.token},   {"label", info.label},          {"section", section_of(info)},
                {"folder", info.folder}, {"type", type_word(info.type)}, {"unit", info.unit}};
    if (info.type == ParameterType::vector)
        row["default"] = {info.initial[0], info.initial[1], info.initial[2]};
    else if (info.type == ParameterType::toggle)
        row["default"] = info.initial[0] != 0;
    else if (info.type == ParameterType::choice)
        row["default"] = info.choices.at(static_cast<size_t>(info.initial[0])).token;
    else
        row["default"] = info.initial[0];
    if (has_range(info)) row["range"] = {info.low, info.high};
    for (const ParameterChoice& choice : info.choices)
        row["choices"].push_back({{"token", choice.token}, {"label", choice.label}, {"help", choice.help}});
    row["help"] = info.help;
    row["symbol"] = info.symbol;
    row["source"] = info.source;
    return row;
}

void markdown_rows(std::ostringstream& out, const SceneSection& section) {
    out << "| key | what it takes | default | range | meaning |\n|---|---|---|---|---|\n";
    for (const SceneKey& key : scene_keys()) {
        if (std::strcmp(key.section, section.name) != 0) continue;
        out << "| `" << key.key << "` | " << type_word(key.type) << (*key.unit ? ", " + std::string(key.unit) : "")
            << " | " << key.initial << " | " << range(key) << " | " << cell(key.help);
        if (*key.alias) out << " Also called `" << key.alias << "`.";
        if (*key.shapes) out << (*key.help ? " " : "") << "(shapes: " << key.shapes << ")";
        out << " |\n";
    }
    for (const ParameterInfo& info : parameter_table()) {
        if (std::strcmp(section_of(info), section.name) != 0) continue;
        out << "| `" << info.token << "` | " << type_word(info.type)
            << (*info.unit ? ", " + std::string(info.unit) : "") << " | " << initial(info) << " | " << range(info)
            << " | " << cell(info.help);
        if (*info.symbol) out << " Symbol: `" << info.symbol << "`.";
        if (std::strcmp(info.source, "Firn") != 0) out << " (" << info.source << ")";
        out << " |\n";
    }
    out << "\n";
}

constexpr const char* page_opening = R"(# Scene files

A scene is a TOML file that describes the snow, what it collides with, how long to simulate and what to write. Everything has a default, so a
scene starts small:

```toml
[scene]
spacing = 0.02              # m between particles

[time]
end = 48                    # frames 1 to 48

[[snow]]
shape = "sphere"
radius = 0.25
position = [0, 1.5, 0]
velocity = [0, -4, 0]

[[collider]]
shape = "plane"
size = [4, 1, 4]
```

    firn check scene.toml       is it correct, and how large is it?
    firn sim scene.toml         run it; --set scene.resolution=2 makes it finer

Lengths are metres, angles degrees, everything else SI; y is up. Relative paths start at the scene file. A wrong key or value
is an error with its file, line and column. `--set SECTION.KEY=VALUE` on the command line changes any of the keys below for
one run; a body goes by its name or its number from 0 (`--set snow.ball.radius=0.3`), and the name of an engine parameter is
enough alone (`--set E=2e5`).

The short names `E`, `nu`, `xi`, `rho0`, `dx`, `phi` and `psi` stand for `young_modulus`, `poisson_ratio`, `hardening`,
`rest_density`, `spacing`, `boundary_volume` and `boundary_pressure`.

This page is made by `firn keys --markdown`, from the same tables that the reader checks against.

)";

}  // namespace

std::string parameters_text() {
    std::ostringstream out;
    std::string folder;
    for (const ParameterInfo& info : parameter_table()) {
        if (folder != info.folder) {
            folder = info.folder;
            out << (out.tellp() > 0 ? "\n" : "") << folder << ", in [" << section_of(info) << "]\n";
        }
        out << "  " << info.token << " = " << initial(info) << (*info.unit ? " " + std::string(info.unit) : "");
        if (!range(info).empty()) out << "   (" << range(info) << ")";
        if (*info.symbol) out << "   " << info.symbol;
        if (std::strcmp(info.source, "Firn") != 0) out << (*info.symbol ? ", " : "   ") << info.source;
        out << "\n      " << info.help << "\n";
        for (const ParameterChoice& choice : info.choices)
            out << "      " << choice.token << ": " << choice.help << "\n";
    }
    return out.str();
}

std::string parameters_json() {
    Json all = Json::array();
    for (const ParameterInfo& info : parameter_table()) all.push_back(json_of(info));
    return all.dump(2) + "\n";
}

std::string parameters_markdown() {
    std::ostringstream out;
    out << "| parameter | symbol | unit | default | range | meaning | source |\n|---|---|---|---|---|---|---|\n";
    for (const ParameterInfo& info : parameter_table())
        out << "| `" << info.token << "` | " << info.symbol << " | " << info.unit << " | " << initial(info) << " | "
            << range(info) << " | " << cell(info.help) << " | " << info.source << " |\n";
    return out.str();
}

std::string keys_text() {
    std::ostringstream out;
    for (const SceneSection& section : scene_sections()) {
        out << section.heading << "   " << section.help << "\n";
        for (const SceneKey& key : scene_keys()) {
            if (std::strcmp(key.section, section.name) != 0) continue;
            out << "  " << key.key << "   " << type_word(key.type) << (*key.unit ? ", " + std::string(key.unit) : "");
            if (*key.initial) out << "; default " << key.initial;
            if (!range(key).empty()) out << "; " << range(key);
            if (*key.shapes) out << "; only " << key.shapes;
            if (*key.alias) out << "; also called " << key.alias;
            out << "\n      " << key.help << "\n";
        }
        for (const ParameterInfo& info : parameter_table()) {
            if (std::strcmp(section_of(info), section.name) != 0) continue;
            out << "  " << info.token << "   " << type_word(info.type)
                << (*info.unit ? ", " + std::string(info.unit) : "") << "; default " << initial(info);
            if (!range(info).empty()) out << "; " << range(info);
            out << "\n      " << info.help << "\n";
        }
        out << "\n";
    }
    return out.str();
}

std::string keys_json() {
    Json all = Json::array();
    for (const SceneSection& section : scene_sections()) {
        Json keys = Json::array();
        for (const SceneKey& key : scene_keys()) {
            if (std::strcmp(key.section, section.name) != 0) continue;
            Json row = {{"key", key.key}, {"type", type_word(key.type)}, {"unit", key.unit}, {"default", key.initial}};
            if (has_range(key)) row["range"] = {key.low, key.high};
            if (!key.choices.empty()) row["choices"] = key.choices;
            if (*key.shapes) row["shapes"] = key.shapes;
            if (*key.alias) row["alias"] = key.alias;
            row["help"] = key.help;
            keys.push_back(row);
        }
        for (const ParameterInfo& info : parameter_table())
            if (std::strcmp(section_of(info), section.name) == 0) keys.push_back(json_of(info));
        all.push_back(
            {{"section", section.name}, {"heading", section.heading}, {"help", section.help}, {"keys", keys}});
    }
    return all.dump(2) + "\n";
}

std::string keys_markdown() {
    std::ostringstream out;
    out << page_opening;
    for (const SceneSection& section : scene_sections()) {
        out << "## " << section.heading << "\n\n" << section.help << "\n\n";
        markdown_rows(out, section);
        if (std::strcmp(section.name, "material") != 0) continue;
        out << "| preset | what it looks like in motion |";
        for (const MaterialQuantity& q : material_table()) {
            const std::string unit = find_parameter(q.token)->unit;
            out << " " << q.symbol << (unit.empty() ? "" : ", " + unit) << " |";
        }
        out << "\n|---|---|";
        for (size_t k = 0; k < material_table().size(); ++k) out << "---|";
        out << "\n";
        for (const MaterialPreset& preset : material_presets()) {
            out << "| `" << preset.token << "` | " << preset.sentence << " |";
            for (const MaterialQuantity& q : material_table()) out << " " << number(preset.material.*q.value) << " |";
            out << "\n";
        }
        out << "\n";
    }
    std::string page = out.str();
    while (page.size() > 1 && page[page.size() - 2] == '\n') page.pop_back();
    return page;
}

}  // namespace firn
