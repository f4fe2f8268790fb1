// TOML -> Scene. Every value is checked against the table of keys before it is used.

// toml++ asserts that the name of a table begins with a letter or a quote before it has checked that, and so a file
// with
// "[=]" would end the program, or with clang and NDEBUG be undefined behaviour. Without the assertions it finds the
// mistake itself a few lines later.
#undef NDEBUG
#define TOML_ASSERT(promise) static_cast<void>(0)
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "firn/error.h"
#include "firn/particles.h"
#include "scene.h"
#include "scene_keys.h"
#include "spelling.h"

namespace firn {

namespace fs = std::filesystem;

namespace {

constexpr float pi = 3.14159265358979f;
const std::string set_mark = "--set ";  ///< begins the source of a value that came from the command line

std::string plain(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

/// "file:line:column", or the --set that it came from.
std::string place(const std::string& file, const toml::source_region& source) {
    if (source.path && source.path->rfind(set_mark, 0) == 0) return *source.path;
    if (source.begin.line == 0) return file;
    return file + ":" + std::to_string(source.begin.line) + ":" + std::to_string(source.begin.column);
}

[[noreturn]] void fail(const std::string& where, const std::string& what) {
    throw Error(where + ": " + what);
}

const char* type_name(const toml::node& node) {
    if (node.is_string()) return "text";
    if (node.is_boolean()) return "true or false";
    if (node.is_array()) return "a list";
    if (node.is_table()) return "a table";
    if (node.is_number()) return "a number";
    return "a date or time";
}

std::string with_unit(const char* unit) {
    return *unit ? std::string(" ") + unit : "";
}

std::vector<std::string> split(const std::string& text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
}

std::string join(const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
    return all;
}

std::string article(const std::string& noun) {
    return (std::string("aeiou").find(noun[0]) != std::string::npos ? "an " : "a ") + noun;
}

/// One table of the file with the rows of the key table that it may hold.
class Section {
public:
    Section(std::string file, const toml::table& table, std::string section, std::string title)
        : file_(std::move(file)), table_(&table), section_(std::move(section)), title_(std::move(title)) {
        for (auto&& [key, node] : table) check_known(key, node);
    }

    const std::string& title() const { return title_; }
    std::string where() const { return place(file_, table_->source()); }
    const toml::node* get(const char* key) const { return table_->get(key); }
    bool has(const char* key) const { return get(key) != nullptr; }
    std::string where(const char* key) const {
        const toml::node* node = get(key);
        return node ? place(file_, node->source()) : where();
    }
    [[noreturn]] void fail_at(const char* key, const std::string& what) const { fail(where(key), what); }

    double number(const char* key) const {
        const SceneKey& known = row(key);
        const toml::node* node = get(key);
        return node ? number(known, *node, key) : std::strtod(known.initial, nullptr);
    }
    float real(const char* key) const { return static_cast<float>(number(key)); }
    /// A number whose default is not one: 0 stands for "not given".
    float real_or_zero(const char* key) const { return has(key) ? real(key) : 0.0f; }
    int integer(const char* key) const { return static_cast<int>(whole(key)); }
    uint32_t seed(const char* key) const { return static_cast<uint32_t>(whole(key)); }
    std::optional<int> optional_integer(const char* key) const {
        return has(key) ? std::optional<int>(integer(key)) : std::nullopt;
    }

    bool toggle(const char* key) const {
        const SceneKey& known = row(key);
        const toml::node* node = get(key);
        if (!node) return std::string(known.initial) == "true";
        if (const auto value = node->value_exact<bool>()) return *value;
        if (const auto value = node->value_exact<std::string>()) {
            if (*value == "on") return true;
            if (*value == "off") return false;
        }
        fail_at(key, std::string(key) + " must be true or false, not " + type_name(*node));
    }

    std::string text(const char* key) const {
        const SceneKey& known = row(key);
        const toml::node* node = get(key);
        if (!node) return known.initial;
        const auto value = node->value_exact<std::string>();
        if (!value) fail_at(key, std::string(key) + " must be text in quotes, not " + type_name(*node));
        if (known.type == KeyType::choice) {
            const std::vector<std::string> words(known.choices.begin(), known.choices.end());
            if (std::find(words.begin(), words.end(), *value) == words.end())
                fail_at(key, std::string(key) + " = \"" + *value + "\" is none of: " + join(words) +
                                 did_you_mean(*value, words));
        }
        if (value->find('\0') != std::string::npos) fail_at(key, std::string(key) + " must not hold a zero byte");
        return *value;
    }

    std::vector<std::string> words(const char* key) const {
        const toml::node* node = get(key);
        if (!node) return split(row(key).initial);
        const toml::array* list = node->as_array();
        if (!list) fail_at(key, std::string(key) + " must be a list of words, [\"a\", \"b\"], not " + type_name(*node));
        std::vector<std::string> all;
        for (const toml::node& word : *list) {
            const auto value = word.value_exact<std::string>();
            if (!value)
                fail(place(file_, word.source()),
                     std::string(key) + " is a list of words in quotes, and holds " + type_name(word));
            all.push_back(*value);
        }
        return all;
    }

    Float3 vector(const char* key) const {
        double value[3];
        numbers(key, value, 3, "[x, y, z]");
        return {static_cast<float>(value[0]), static_cast<float>(value[1]), static_cast<float>(value[2])};
    }
    std::pair<int, int> whole_pair(const char* key) const {
        double value[2];
        numbers(key, value, 2, "[width, height]");
        return {static_cast<int>(value[0]), static_cast<int>(value[1])};
    }

    /// A table within this one.
    std::optional<Section> section(const char* key, const char* kind, const std::string& title) const {
        const toml::node* node = get(key);
        if (!node) return std::nullopt;
        const toml::table* inner = node->as_table();
        if (!inner) fail_at(key, std::string(key) + " must be a table, " + title + ", not " + type_name(*node));
        return Section(file_, *inner, kind, title);
    }

    /// The tables of a list; one table alone counts as a list of one.
    std::vector<Section> list(const char* key, const char* kind, const std::string& title) const {
        std::vector<Section> all;
        const toml::node* node = get(key);
        if (!node) return all;
        if (const toml::table* one = node->as_table()) return {Section(file_, *one, kind, title)};
        const toml::array* tables = node->as_array();
        if (!tables)
            fail_at(key, std::string(key) + " must be a list of tables, " + title + ", not " + type_name(*node));
        for (const toml::node& element : *tables) {
            const toml::table* inner = element.as_table();
            if (!inner)
                fail(place(file_, element.source()),
                     std::string(key) + " must be a list of tables, " + title + ", and holds " + type_name(element));
            all.emplace_back(file_, *inner, kind, title);
        }
        return all;
    }

    /// Sets the engine's parameters that stand in this section.
    void set_parameters(Parameters& parameters) const {
        std::map<std::string, std::string> given;
        for (auto&& [key, node] : *table_) {
            const std::string token(key.str());
            const ParameterInfo* info = find_parameter_in(section_, token);
            if (!info) continue;
            const std::string at = place(file_, node.source());
            const auto [first, fresh] = given.emplace(info->token, token);
            if (!fresh)
                fail(at, "'" + first->second + "' and '" + token + "' are the same parameter; give one of them");
            const std::string value = parameter_value(*info, token, node);
            try {
                set_parameter(parameters, token, value);
            } catch (const Error& error) {
                fail(at, error.what());
            }
        }
    }

    /// Throws when a key was given that this shape does not have.
    void check_shape(const std::string& shape) const {
        for (auto&& [key, node] : *table_) {
            const SceneKey* known = find_key(section_, std::string(key.str()));
            if (!known || !*known->shapes) continue;
            const std::vector<std::string> shapes = split(known->shapes);
            if (std::find(shapes.begin(), shapes.end(), shape) != shapes.end()) continue;
            std::vector<std::string> has;
            for (const SceneKey& other : scene_keys()) {
                const std::vector<std::string> of = split(other.shapes);
                if (section_ == other.section && std::find(of.begin(), of.end(), shape) != of.end())
                    has.push_back(other.key);
            }
            fail(key_place(key, node), article(shape) + " has no '" + std::string(key.str()) + "' (" + join(shapes) +
                                           " do); it has " + join(has));
        }
    }

private:
    std::string key_place(const toml::key& key, const toml::node& node) const {
        return place(file_, key.source().begin.line ? key.source() : node.source());
    }

    void check_known(const toml::key& key, const toml::node& node) const {
        const std::string word(key.str());
        if (find_key(section_, word) || find_parameter_in(section_, word)) return;
        // Each [materials.NAME] is named by the user; the reader of the root opens it.
        if (section_.empty() && (word == "materials" || is_section(word))) return;
        const std::string at = key_place(key, node);
        std::string home;
        if (const ParameterInfo* info = find_parameter(word)) home = section_of(*info);
        for (const SceneKey& other : scene_keys())
            if (home.empty() && word == other.key && std::string(other.section) != "keys") home = other.section;
        std::vector<std::string> known = words_of(section_);
        if (section_.empty()) {
            for (const SceneSection& other : scene_sections())
                if (is_section(other.name)) known.push_back(other.name);
            known.push_back("materials");
        }
        const std::string guess = did_you_mean(word, known);
        if (!guess.empty()) fail(at, "there is no key '" + word + "' in " + title_ + guess);
        if (!home.empty() && home != section_)
            fail(at, "'" + word + "' does not belong in " + title_ + ", but in " + heading(home));
        fail(at, "there is no key '" + word + "' in " + title_ + "; it may hold " + join(known));
    }

    static std::string heading(const std::string& section) {
        for (const SceneSection& known : scene_sections())
            if (section == known.name) return known.heading;
        return section;
    }

    static bool is_section(const std::string& word) {
        if (word.empty() || word == "noise" || word == "keys") return false;
        return std::any_of(scene_sections().begin(), scene_sections().end(),
                           [&](const SceneSection& section) { return word == section.name; });
    }

    const SceneKey& row(const char* key) const {
        const SceneKey* known = find_key(section_, key);
        if (!known) throw Error("the reader asks for '" + std::string(key) + "', which the table of keys lacks");
        return *known;
    }

    double number(const SceneKey& known, const toml::node& node, const std::string& name) const {
        const std::string at = place(file_, node.source());
        const bool whole = known.type == KeyType::integer || known.type == KeyType::pair;
        const std::string wanted =
            (whole ? "a whole number" : "a number") + (*known.unit ? " (" + std::string(known.unit) + ")" : "");
        const auto value = node.value<double>();
        if (!node.is_number() || !value) fail(at, name + " must be " + wanted + ", not " + type_name(node));
        if (!std::isfinite(*value)) fail(at, name + " must be a finite number");
        if (whole && *value != std::floor(*value)) fail(at, name + " must be " + wanted + ", not " + plain(*value));
        if (*value < known.low || *value > known.high)
            fail(at, name + " = " + plain(*value) + " is out of range: give " + plain(known.low) + " to " +
                         plain(known.high) + with_unit(known.unit));
        return *value;
    }

    double whole(const char* key) const {
        const toml::node* node = get(key);
        return node ? number(row(key), *node, key) : std::strtod(row(key).initial, nullptr);
    }

    void numbers(const char* key, double* value, size_t count, const char* form) const {
        const SceneKey& known = row(key);
        const toml::node* node = get(key);
        if (!node) {
            std::istringstream in(known.initial);
            for (size_t k = 0; k < count; ++k)
                if (!(in >> value[k])) value[k] = 0;
            return;
        }
        const toml::array* list = node->as_array();
        if (!list || list->size() != count)
            fail_at(key, std::string(key) + " must be " + std::to_string(count) + " numbers, " + form +
                             (*known.unit ? " in " + std::string(known.unit) : "") + ", not " +
                             (list ? std::to_string(list->size()) + " values" : std::string(type_name(*node))));
        for (size_t k = 0; k < count; ++k) value[k] = number(known, (*list)[k], key);
    }

    std::string parameter_value(const ParameterInfo& info, const std::string& token, const toml::node& node) const {
        const std::string at = place(file_, node.source());
        const std::string unit = *info.unit ? " (" + std::string(info.unit) + ")" : "";
        const auto exact = [](double value) {
            char text[40];
            std::snprintf(text, sizeof text, "%.17g", value);
            return std::string(text);
        };
        switch (info.type) {
            case ParameterType::real:
            case ParameterType::integer:
                if (!node.is_number()) fail(at, token + " must be a number" + unit + ", not " + type_name(node));
                return exact(*node.value<double>());
            case ParameterType::toggle:
                if (const auto value = node.value_exact<bool>()) return *value ? "on" : "off";
                if (const auto value = node.value_exact<std::string>()) return *value;
                fail(at, token + " must be true or false, not " + type_name(node));
            case ParameterType::choice:
                if (const auto value = node.value_exact<std::string>()) return *value;
                fail(at, token + " must be a word in quotes, not " + type_name(node));
            case ParameterType::vector:
                break;
        }
        const toml::array* list = node.as_array();
        if (!list || list->size() != 3) fail(at, token + " must be three numbers, [x, y, z]" + unit);
        std::string text;
        for (const toml::node& element : *list) {
            if (!element.is_number()) fail(place(file_, element.source()), token + " must be three numbers" + unit);
            text += exact(*element.value<double>()) + " ";
        }
        return text;
    }

    std::string file_;
    const toml::table* table_;
    std::string section_, title_;
};

// ---- --set

/// The value of KEY=VALUE: TOML, or a word without quotes.
toml::table parse_value(const std::string& assignment, const std::string& value) {
    const std::string source = set_mark + assignment;
    try {
        return toml::parse("value = " + value + "\n", source);
    } catch (const toml::parse_error&) {
        // Not TOML: a word, a path or a file name, which the shell has robbed of its quotes.
        const bool word = !value.empty() && value.find_first_of("\"'[]{}\n\r=,#") == std::string::npos;
        if (!word) throw Error(source + ": '" + value + "' is no value; write numbers, [x, y, z], true or a word");
        std::string quoted;
        for (const char c : value) quoted += (c == '\\' ? "\\\\" : std::string(1, c));
        try {
            return toml::parse("value = \"" + quoted + "\"\n", source);
        } catch (const toml::parse_error&) {
            throw Error(source + ": '" + value + "' is no value; write numbers, [x, y, z], true or a word");
        }
    }
}

/// The table that one step of a --set path leads to: by key, or in a list by name or number from 0.
toml::table* step_into(toml::table& from, const std::string& step, const std::string& element, bool& takes_element,
                       const std::string& source) {
    takes_element = false;
    toml::node* node = from.get(step);
    if (!node) {
        from.insert(step, toml::table{});
        node = from.get(step);
    }
    if (toml::table* table = node->as_table()) return table;
    toml::array* list = node->as_array();
    if (!list) throw Error(source + ": '" + step + "' is " + type_name(*node) + ", and has no keys in it");
    takes_element = true;
    std::vector<std::string> names;
    for (size_t k = 0; k < list->size(); ++k) {
        toml::table* table = (*list)[k].as_table();
        if (!table) continue;
        const std::string name = (*table)["name"].value_or(std::string());
        if (name == element || std::to_string(k) == element) return table;
        names.push_back(name.empty() ? std::to_string(k) : name);
    }
    throw Error(source + ": there is no '" + element + "' in " + step + "; there are " +
                (names.empty() ? "none" : join(names)));
}

void apply_override(toml::table& root, const std::string& assignment) {
    const std::string source = set_mark + assignment;
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
        throw Error(source + ": write it as KEY=VALUE, for example material.E=2e5");
    std::string path = assignment.substr(0, equals);
    // A parameter's token alone is enough: each stands in one section only.
    if (path.find('.') == std::string::npos) {
        if (const ParameterInfo* info = find_parameter(path)) path = std::string(section_of(*info)) + "." + path;
    }
    std::vector<std::string> steps;
    std::istringstream in(path);
    for (std::string step; std::getline(in, step, '.');) {
        if (step.empty()) throw Error(source + ": '" + path + "' has an empty part");
        steps.push_back(step);
    }
    if (steps.size() < 2 || steps.size() > 8) {
        std::vector<std::string> homes;
        for (const SceneKey& key : scene_keys())
            if (path == key.key && *key.section) homes.push_back(std::string(key.section) + "." + key.key);
        throw Error(source + ": name the section too, SECTION.KEY=VALUE" + (homes.empty() ? "" : ": " + join(homes)));
    }

    toml::table* table = &root;
    for (size_t k = 0; k + 1 < steps.size(); ++k) {
        bool takes_element = false;
        table = step_into(*table, steps[k], steps[k + 1], takes_element, source);
        if (takes_element && ++k + 1 >= steps.size())
            throw Error(source + ": say which key of '" + steps[k] + "' to set");
    }
    // One parameter has several names; the new value takes the place of all.
    if (const ParameterInfo* info = find_parameter(steps.back())) {
        std::vector<std::string> same;
        for (auto&& [key, node] : *table)
            if (find_parameter(std::string(key.str())) == info) same.emplace_back(key.str());
        for (const std::string& key : same) table->erase(key);
    }
    toml::table value = parse_value(assignment, assignment.substr(equals + 1));
    value.get("value")->visit([&](auto& node) { table->insert_or_assign(steps.back(), std::move(node)); });
}

// ---- sections -> Scene

Material material_of(const Parameters& p) {
    return {p.young_modulus, p.poisson_ratio, p.hardening, p.theta_c, p.theta_s, p.rest_density};
}

Noise read_noise(const Section& section) {
    static const std::vector<std::string> possible = {"young_modulus", "theta_c", "theta_s", "hardening",
                                                      "rest_density"};
    Noise noise;
    noise.amplitude = section.real("amplitude");
    noise.scale = section.real("scale");
    noise.seed = section.seed("seed");
    for (const std::string& word : section.words("of")) {
        const ParameterInfo* info = find_parameter(word);
        if (!info || std::find(possible.begin(), possible.end(), info->token) == possible.end())
            section.fail_at(
                "of", "'" + word + "' can't vary" + did_you_mean(word, possible) + "; what can: " + join(possible));
        noise.of.push_back(info->token);
    }
    return noise;
}

/// `otherwise`: what holds where neither a preset nor a value is given.
SnowMaterial read_material(const Section& section, const SnowMaterial& otherwise) {
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
    if (const auto noise = section.section("noise", "noise", "noise = { amplitude = 0.3 }"))
        result.noise = read_noise(*noise);
    return result;
}

using Materials = std::map<std::string, SnowMaterial>;

SnowMaterial read_body_material(const Section& body, const Materials& materials, const SnowMaterial& otherwise) {
    const toml::node* node = body.get("material");
    if (!node) return otherwise;
    if (node->is_table())
        return read_material(*body.section("material", "material", "material = { preset = \"wet\" }"), otherwise);
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
    body.fail_at("material",
                 "there is no material '" + *name + "'" + did_you_mean(*name, known) + "; there are " + join(known));
}

Shape shape_named(const std::string& token) {
    if (token == "layer") return Shape::heightfield;
    for (const Shape shape : {Shape::box, Shape::sphere, Shape::cylinder, Shape::plane, Shape::mesh, Shape::vdb,
                              Shape::heightfield, Shape::particles})
        if (token == shape_token(shape)) return shape;
    throw Error("there is no shape '" + token + "'");
}

std::string resolved(const std::string& folder, const std::string& file) {
    const fs::path path(file);
    if (path.is_absolute() || folder.empty()) return file;
    return (fs::path(folder) / path).lexically_normal().string();
}

/// How many '%04d' (or %d, %4d) stand in a file name. Throws when another % does.
int frame_patterns(const Section& section, const std::string& file) {
    int count = 0;
    for (size_t at = file.find('%'); at != std::string::npos; at = file.find('%', at + 1)) {
        size_t end = at + 1;
        while (end < file.size() && std::isdigit(static_cast<unsigned char>(file[end]))) ++end;
        if (end == file.size() || file[end] != 'd' || end > at + 3 || ++count > 1)
            section.fail_at("file",
                            "file = \"" + file + "\": one %d or %04d may stand in it for the frame, and no other %");
    }
    return count;
}

Geometry read_geometry(const Section& section, const std::string& folder) {
    Geometry geometry;
    const std::string token = section.text("shape");
    section.check_shape(token);
    geometry.shape = shape_named(token);
    geometry.size = section.vector("size");
    geometry.radius = section.real("radius");
    geometry.height = section.real("height");
    geometry.grid = section.text("grid") == find_key("snow", "grid")->initial ? "" : section.text("grid");
    geometry.cell = section.real("cell");
    geometry.relief = section.real("relief");
    geometry.placed.position = section.vector("position");
    geometry.placed.rotation = section.vector("rotation");
    geometry.placed.scale = section.real("scale");
    if (section.has("file")) {
        const std::string file = section.text("file");
        if (file.empty()) section.fail_at("file", "file is empty");
        geometry.file = resolved(folder, file);
    }
    const bool needs_file = geometry.shape == Shape::mesh || geometry.shape == Shape::vdb ||
                            geometry.shape == Shape::heightfield || geometry.shape == Shape::particles;
    if (needs_file && geometry.file.empty())
        fail(section.where(), section.title() + " with shape = \"" + token + "\" needs a 'file'");
    return geometry;
}

Snow read_snow(const Section& section, const std::string& folder, const Materials& materials,
               const SnowMaterial& otherwise, size_t number) {
    Snow snow;
    snow.where = section.where();
    snow.name = section.has("name") ? section.text("name") : "snow" + std::to_string(number);
    snow.geometry = read_geometry(section, folder);
    if (frame_patterns(section, snow.geometry.file))
        section.fail_at("file", "snow is placed once: give one file, without %d");
    snow.material = read_body_material(section, materials, otherwise);
    if (section.has("density")) snow.material.material.rest_density = section.real("density");
    snow.thickness = section.real("thickness");
    snow.velocity = section.vector("velocity");
    snow.spin = section.vector("spin");
    snow.relaxed = section.text("filling") == "relaxed";
    snow.jitter = section.real("jitter");
    snow.seed = section.seed("seed");
    snow.start = section.optional_integer("start");
    snow.end = section.optional_integer("end");
    snow.rate = section.real("rate");
    if (snow.end && snow.rate == 0) section.fail_at("end", "'end' closes a source; give it a 'rate' too");
    if (snow.start && snow.end && *snow.end < *snow.start) section.fail_at("end", "the source ends before it starts");
    return snow;
}

std::vector<Key> read_keys(const Section& collider) {
    std::vector<Key> keys;
    for (const Section& section : collider.list("keys", "keys", "keys = [{ frame = 1, position = [0, 0, 0] }]")) {
        Key key = keys.empty() ? Key{} : keys.back();
        if (!section.has("frame")) fail(section.where(), "a key needs its 'frame'");
        key.frame = section.number("frame");
        if (!keys.empty() && key.frame <= keys.back().frame)
            section.fail_at("frame", "the keys must be in the order of their frames");
        if (section.has("position")) key.position = section.vector("position");
        if (section.has("rotation")) key.rotation = section.vector("rotation");
        keys.push_back(key);
    }
    return keys;
}

Collider read_collider(const Section& section, const std::string& folder, size_t number) {
    Collider collider;
    collider.where = section.where();
    collider.name = section.has("name") ? section.text("name") : "collider" + std::to_string(number);
    collider.geometry = read_geometry(section, folder);
    const bool sequence = frame_patterns(section, collider.geometry.file) > 0;
    if (sequence && collider.geometry.shape != Shape::mesh)
        section.fail_at("file", "only meshes may come as one file for each frame");
    collider.keys = read_keys(section);
    if (sequence && !collider.keys.empty())
        section.fail_at("keys", "a collider moves by its keys or by a file for each frame, not by both");
    for (const char* key : {"position", "rotation"})
        if (!collider.keys.empty() && section.has(key))
            section.fail_at(key,
                            std::string("the keys say where it is; take this '") + key + "' out, or put it into them");
    if (!collider.keys.empty()) {
        collider.geometry.placed.position = collider.keys.front().position;
        collider.geometry.placed.rotation = collider.keys.front().rotation;
    }
    if (collider.geometry.shape == Shape::heightfield && !collider.keys.empty())
        section.fail_at("keys", "a heightfield can't move; use a mesh");
    collider.smooth = section.text("interpolation") == "smooth";
    collider.inverted = section.toggle("inverted");
    collider.two_sided = section.toggle("two_sided");
    collider.friction = section.real("friction");
    collider.adhesion = section.real("adhesion");
    collider.bounce = section.real("bounce");
    collider.stickiness = section.real("sticky");
    collider.visible = section.toggle("visible");
    collider.colour = section.vector("colour");
    return collider;
}

SceneCamera read_camera(const Section& section) {
    SceneCamera camera;
    camera.given = section.has("eye");
    if (camera.given) camera.eye = section.vector("eye");
    camera.target = section.vector("target");
    camera.angle = section.real("angle") * pi / 180;
    std::tie(camera.width, camera.height) = section.whole_pair("size");
    const Float3 &e = camera.eye, &t = camera.target;
    if (camera.given && e.x == t.x && e.y == t.y && e.z == t.z)
        section.fail_at("eye", "the camera's eye and target are the same point");
    return camera;
}

SceneOutput read_output(const Section& section, const std::string& folder) {
    SceneOutput output;
    if (section.has("folder")) output.folder = resolved(folder, section.text("folder"));
    output.particles = section.text("particles");
    output.volumes = section.words("volumes");
    std::vector<std::string> grids = {"density", "vel", "surface", "density_masked"};
    for (const ParticleArray& array : particle_arrays())
        if ((array.components == 1 || array.components == 3) && std::string(array.name) != "P")
            grids.push_back(array.name);
    for (const std::string& grid : output.volumes)
        if (std::find(grids.begin(), grids.end(), grid) == grids.end())
            section.fail_at("volumes", "there is no grid '" + grid + "'" + did_you_mean(grid, grids) + "; there are " +
                                           join(grids));
    output.every = section.integer("every");
    output.voxel = section.real_or_zero("voxel");
    output.half_float = section.toggle("half_float");
    output.compression = section.text("compression");
    output.staggered = section.toggle("staggered");
    output.velocity_extension = section.real_or_zero("velocity_extension");
    output.surface_radius = section.real_or_zero("surface_radius");
    output.surface_dilate = section.real("surface_dilate");
    output.surface_smooth = section.integer("surface_smooth");
    output.surface_erode = section.real("surface_erode");
    output.usd = section.toggle("usd");
    output.checkpoint_every = section.integer("checkpoint_every");
    output.checkpoint_keep = section.integer("checkpoint_keep");
    return output;
}

Materials read_materials(const std::string& file, const toml::table& root, const SnowMaterial& otherwise) {
    Materials materials;
    const toml::node* node = root.get("materials");
    if (!node) return materials;
    const toml::table* table = node->as_table();
    if (!table) fail(place(file, node->source()), "materials must hold tables: write [materials.NAME]");
    for (auto&& [key, inner] : *table) {
        const std::string name(key.str());
        const toml::table* values = inner.as_table();
        if (!values)
            fail(place(file, key.source()),
                 "materials." + name + " must be a table: write [materials.NAME], or use [material]");
        materials[name] = read_material(Section(file, *values, "material", "[materials." + name + "]"), otherwise);
    }
    return materials;
}

template <class Body>
void require_own_names(const std::vector<Body>& bodies) {
    std::set<std::string> names;
    for (const Body& body : bodies) {
        if (body.name.empty()) fail(body.where, "a name is empty");
        if (!names.insert(body.name).second) fail(body.where, "the name '" + body.name + "' is taken twice");
    }
}

void require_file_name(const std::string& name, const std::string& where) {
    const bool fine = !name.empty() && name.size() <= 100 && name[0] != '.' && name[0] != '-' &&
                      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") ==
                          std::string::npos;
    if (!fine)
        fail(where, "the scene's name '" + name +
                        "' becomes part of file names: use up to 100 letters, digits, '_', '-' and '.'");
}

void collect_hints(Scene& scene) {
    const auto hint = [&](const std::string& where, const std::string& what) {
        scene.warnings.push_back(where + ": " + what);
    };
    for (const Snow& snow : scene.snow) {
        if (snow.material.material.young_modulus < 1000)
            hint(snow.where, "'" + snow.name + "' has E = " + plain(snow.material.material.young_modulus) +
                                 " Pa, softer than any snow; E is in Pa, 140 kPa is 140e3");
        const bool late = snow.start && *snow.start > scene.last_frame;
        if (late) hint(snow.where, "'" + snow.name + "' starts after the last frame");
    }
    for (const Collider& collider : scene.colliders) {
        if (!collider.keys.empty() && collider.keys.front().frame > scene.last_frame)
            hint(collider.where, "'" + collider.name + "' has its first key after the last frame");
    }
}

/// The lines that a run put above its copy of the scene, `folder` and `set`, taken out of the text again.
std::string without_top(const std::string& text, const toml::table& root) {
    std::set<size_t> drop;
    for (const char* key : {"folder", "set"}) {
        const toml::node* node = root.get(key);
        if (!node) continue;
        for (auto line = node->source().begin.line; line <= node->source().end.line; ++line) drop.insert(line);
    }
    if (drop.empty()) return text;
    std::istringstream in(text);
    std::string kept;
    size_t number = 0;
    for (std::string line; std::getline(in, line);)
        if (!drop.count(++number)) kept += line + "\n";
    return kept;
}

Scene scene_of(const toml::table& root, const std::string& path, const std::string& text) {
    Scene scene;
    scene.path = path;
    scene.text = without_top(text, root);
    const Section top(path, root, "", "the file's top level");
    const toml::table nothing;
    // A section that is not there is an empty one: the defaults stand in the table of keys.
    const auto section = [&](const char* name) {
        const std::string title = "[" + std::string(name) + "]";
        auto found = top.section(name, name, title);
        return found ? *found : Section(path, nothing, name, title);
    };

    scene.folder = fs::path(path).parent_path().string();
    if (top.has("folder")) scene.folder = resolved(scene.folder, top.text("folder"));

    const Section about = section("scene");
    scene.name = about.has("name") ? about.text("name") : fs::path(path).stem().string();
    require_file_name(scene.name, about.where("name"));
    scene.resolution = about.real("resolution");
    about.set_parameters(scene.parameters);

    const Section time = section("time");
    time.set_parameters(scene.parameters);
    scene.fps = time.number("fps");
    scene.first_frame = time.integer("start");
    scene.last_frame = time.has("end") ? time.integer("end") : scene.first_frame + 47;
    if (scene.last_frame < scene.first_frame) time.fail_at("end", "the last frame comes before the first");

    const Section machine = section("machine");
    machine.set_parameters(scene.parameters);
    scene.device = machine.text("device");
    section("solver").set_parameters(scene.parameters);

    const SnowMaterial common = read_material(section("material"), {material_of(Parameters()), {}});
    apply(common.material, scene.parameters);
    const Materials materials = read_materials(path, root, common);

    scene.parameters.spacing /= scene.resolution;
    try {
        validate(scene.parameters);
    } catch (const Error& error) {
        fail(about.where("resolution"), std::string(error.what()) + " (spacing is divided by the resolution)");
    }

    for (const Section& body : top.list("snow", "snow", "[[snow]]"))
        scene.snow.push_back(read_snow(body, scene.folder, materials, common, scene.snow.size() + 1));
    require_own_names(scene.snow);
    for (const Section& body : top.list("collider", "collider", "[[collider]]"))
        scene.colliders.push_back(read_collider(body, scene.folder, scene.colliders.size() + 1));
    require_own_names(scene.colliders);

    const Section wind = section("wind");
    scene.wind.velocity = wind.vector("velocity");
    scene.wind.drag = root.contains("wind") ? wind.real("drag") : 0.0f;

    const Section camera = section("camera");
    scene.camera = read_camera(camera);
    scene.has_ground = camera.toggle("ground");
    scene.ground = camera.real("ground_height");
    scene.output = read_output(section("output"), scene.folder);
    collect_hints(scene);
    return scene;
}

}  // namespace

const char* shape_token(Shape shape) {
    switch (shape) {
        case Shape::box:
            return "box";
        case Shape::sphere:
            return "sphere";
        case Shape::cylinder:
            return "cylinder";
        case Shape::plane:
            return "plane";
        case Shape::mesh:
            return "mesh";
        case Shape::vdb:
            return "vdb";
        case Shape::heightfield:
            return "heightfield";
        case Shape::particles:
            return "particles";
    }
    return "";
}

Scene parse_scene(const std::string& text, const std::string& path, const std::vector<std::string>& overrides) {
    toml::table root;
    try {
        root = toml::parse(text, path);
    } catch (const toml::parse_error& error) {
        fail(place(path, error.source()), std::string(error.description()));
    }
    std::vector<std::string> applied;
    if (root.contains("set")) applied = Section(path, root, "", "the file's top level").words("set");
    applied.insert(applied.end(), overrides.begin(), overrides.end());
    for (const std::string& assignment : applied) apply_override(root, assignment);
    Scene scene = scene_of(root, path, text);
    scene.overrides = std::move(applied);
    return scene;
}

Scene read_scene(const std::string& path, const std::vector<std::string>& overrides) {
    std::error_code error;
    if (fs::is_directory(path, error)) throw Error(path + ": this is a folder; give a scene file");
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error(path + ": can't read this scene file; is the name right?");
    constexpr std::streamsize limit = 64 << 20;
    std::string text;
    std::vector<char> block(1 << 16);
    while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
        text.append(block.data(), static_cast<size_t>(file.gcount()));
        if (text.size() > static_cast<size_t>(limit))
            throw Error(path + ": is larger than 64 MB; that is no scene file");
    }
    return parse_scene(text, path, overrides);
}

}  // namespace firn
