#include "scene_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>

#include "firn/error.h"
#include "firn/short_token.h"
#include "firn/spelling.h"
#include "wording.h"

namespace firn {

namespace {

std::string vector_text(const Float3& v) {
    return shortest_text(v.x) + " " + shortest_text(v.y) + " " + shortest_text(v.z);
}

std::string with_unit(const char* unit) {
    return *unit ? std::string(" ") + unit : "";
}

std::vector<std::string> split(const std::string& text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
}

std::string heading(const std::string& section) {
    for (const SceneSection& known : scene_sections())
        if (section == known.name) return known.heading;
    return section;
}

bool is_section(const std::string& word) {
    if (word.empty() || word == "noise" || word == "keys") return false;
    return std::any_of(scene_sections().begin(), scene_sections().end(),
                       [&](const SceneSection& section) { return word == section.name; });
}

}  // namespace

std::string place_of(const std::string& file, const toml::source_region& source) {
    if (source.path && source.path->rfind(set_mark, 0) == 0) return *source.path;
    if (source.begin.line == 0) return file;
    return file + ":" + std::to_string(source.begin.line) + ":" + std::to_string(source.begin.column);
}

void fail(const std::string& where, const std::string& what) {
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

SceneTable::SceneTable(std::string file, const toml::table& table, std::string section, std::string title)
    : file_(std::move(file)), table_(&table), section_(std::move(section)), title_(std::move(title)) {
    for (auto&& [key, node] : table) check_known(key, node);
}

const char* SceneTable::given_name(const char* key) const {
    if (table_->contains(key)) return key;
    const SceneKey* known = find_key(section_, key);
    return known && *known->alias && table_->contains(known->alias) ? known->alias : key;
}

std::string SceneTable::where(const char* key) const {
    const toml::node* node = get(key);
    return node ? place_of(file_, node->source()) : where();
}

void SceneTable::record(std::vector<MotionValue>& to, std::string name) {
    recorder_ = &to;
    name_ = std::move(name);
}

void SceneTable::note(const std::string& name, const std::string& value, bool is_file) const {
    if (recorder_) recorder_->push_back({name_ + "." + name, value, is_file});
}

void SceneTable::note(const SceneKey& known, const std::string& value) const {
    if (known.effect == KeyEffect::motion) note(known.key, value);
}

double SceneTable::number(const char* key) const {
    const double value = number_of(key);
    note(row(key), shortest_text(value));
    return value;
}

float SceneTable::real(const char* key) const {
    const float value = static_cast<float>(number_of(key));
    note(row(key), shortest_text(value));
    return value;
}

int SceneTable::integer(const char* key) const {
    const int value = static_cast<int>(number_of(key));
    note(row(key), std::to_string(value));
    return value;
}

uint32_t SceneTable::seed(const char* key) const {
    const uint32_t value = static_cast<uint32_t>(number_of(key));
    note(row(key), std::to_string(value));
    return value;
}

std::optional<int> SceneTable::optional_integer(const char* key, std::optional<int> meaning) const {
    if (has(key)) return integer(key);
    if (meaning) note(row(key), std::to_string(*meaning));
    return std::nullopt;
}

bool SceneTable::toggle(const char* key) const {
    const SceneKey& known = row(key);
    const toml::node* node = get(key);
    std::optional<bool> value;
    if (!node) {
        value = std::string(known.initial) == "true";
    } else if (const auto word = node->value_exact<std::string>()) {
        if (*word == "on" || *word == "off") value = *word == "on";
    } else {
        value = node->value_exact<bool>();
    }
    if (!value) fail_at(key, std::string(given_name(key)) + " must be true or false, not " + type_name(*node));
    note(known, *value ? "true" : "false");
    return *value;
}

std::string SceneTable::text(const char* key) const {
    const std::string value = text_of(key);
    note(row(key), value);
    return value;
}

std::string SceneTable::path(const char* key, const std::string& folder) const {
    if (!has(key)) return "";
    const std::string file = text_of(key);
    if (file.empty()) fail_at(key, std::string(key) + " is empty");
    const std::string path = resolved(folder, file);
    if (row(key).effect == KeyEffect::motion) note(key, path, true);
    return path;
}

std::vector<std::string> SceneTable::words(const char* key) const {
    const std::vector<std::string> all = words_of(key);
    note(row(key), comma_list(all));
    return all;
}

Float3 SceneTable::vector(const char* key) const {
    double value[3];
    numbers(key, value, 3, "[x, y, z]");
    const Float3 v{static_cast<float>(value[0]), static_cast<float>(value[1]), static_cast<float>(value[2])};
    note(row(key), vector_text(v));
    return v;
}

Float3 SceneTable::vector(const char* key, const Float3& otherwise) const {
    if (has(key)) return vector(key);
    note(row(key), vector_text(otherwise));
    return otherwise;
}

std::pair<int, int> SceneTable::whole_pair(const char* key) const {
    double value[2];
    numbers(key, value, 2, "[width, height]");
    const std::pair<int, int> both(static_cast<int>(value[0]), static_cast<int>(value[1]));
    note(row(key), std::to_string(both.first) + " " + std::to_string(both.second));
    return both;
}

std::vector<std::string> SceneTable::words_of(const char* key) const {
    const toml::node* node = get(key);
    if (!node) return split(row(key).initial);
    const toml::array* list = node->as_array();
    if (!list)
        fail_at(key,
                std::string(given_name(key)) + " must be a list of words, [\"a\", \"b\"], not " + type_name(*node));
    std::vector<std::string> all;
    for (const toml::node& word : *list) {
        const auto value = word.value_exact<std::string>();
        if (!value)
            fail(place_of(file_, word.source()),
                 std::string(key) + " is a list of words in quotes, and holds " + type_name(word));
        all.push_back(*value);
    }
    return all;
}

std::string SceneTable::text_of(const char* key) const {
    const SceneKey& known = row(key);
    const toml::node* node = get(key);
    if (!node) return known.initial;
    const auto value = node->value_exact<std::string>();
    if (!value) fail_at(key, std::string(given_name(key)) + " must be text in quotes, not " + type_name(*node));
    if (known.type == KeyType::choice) {
        const std::vector<std::string> words(known.choices.begin(), known.choices.end());
        if (std::find(words.begin(), words.end(), *value) == words.end())
            fail_at(key, std::string(key) + " = \"" + short_token(*value) + "\" is none of: " + comma_list(words) +
                             did_you_mean(*value, words));
    }
    if (value->find('\0') != std::string::npos)
        fail_at(key, std::string(given_name(key)) + " must not hold a zero byte");
    return *value;
}

double SceneTable::number_of(const char* key) const {
    const SceneKey& known = row(key);
    const toml::node* node = get(key);
    return node ? number(known, *node, given_name(key)) : std::strtod(known.initial, nullptr);
}

std::optional<SceneTable> SceneTable::table(const char* key, const char* section, const std::string& title) const {
    const toml::node* node = get(key);
    if (!node) return std::nullopt;
    const toml::table* inner = node->as_table();
    if (!inner) fail_at(key, std::string(given_name(key)) + " must be a table, " + title + ", not " + type_name(*node));
    return SceneTable(file_, *inner, section, title);
}

std::vector<SceneTable> SceneTable::list(const char* key, const char* section, const std::string& title) const {
    std::vector<SceneTable> all;
    const toml::node* node = get(key);
    if (!node) return all;
    const auto add = [&](const toml::table& inner) {
        SceneTable child(file_, inner, section, title);
        if (recorder_) child.record(*recorder_, name_ + "." + key + "." + std::to_string(all.size()));
        all.push_back(std::move(child));
    };
    if (const toml::table* one = node->as_table()) {
        add(*one);
        return all;
    }
    const toml::array* tables = node->as_array();
    if (!tables)
        fail_at(key,
                std::string(given_name(key)) + " must be a list of tables, " + title + ", not " + type_name(*node));
    for (const toml::node& element : *tables) {
        const toml::table* inner = element.as_table();
        if (!inner)
            fail(place_of(file_, element.source()), std::string(given_name(key)) + " must be a list of tables, " +
                                                        title + ", and holds " + type_name(element));
        add(*inner);
    }
    return all;
}

void SceneTable::set_parameters(Parameters& parameters) const {
    std::map<std::string, std::string> given;
    for (auto&& [key, node] : *table_) {
        const std::string token(key.str());
        const ParameterInfo* info = find_parameter_in(section_, token);
        if (!info) continue;
        const std::string at = place_of(file_, node.source());
        const auto [first, fresh] = given.emplace(info->token, token);
        if (!fresh) fail(at, "'" + first->second + "' and '" + token + "' are the same parameter; give one of them");
        const std::string value = parameter_value(*info, token, node);
        try {
            set_parameter(parameters, info->token, value);
        } catch (const Error& error) {
            fail(at, with_short_token(error.what(), value));
        }
    }
}

void SceneTable::check_shape(const std::string& shape) const {
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
        fail(key_place(key, node), with_article(shape) + " has no '" + std::string(key.str()) + "' (" +
                                       comma_list(shapes) + " do); it has " + comma_list(has));
    }
}

std::string SceneTable::key_place(const toml::key& key, const toml::node& node) const {
    return place_of(file_, key.source().begin.line ? key.source() : node.source());
}

void SceneTable::check_known(const toml::key& key, const toml::node& node) const {
    const std::string word(key.str());
    const SceneKey* row = find_key(section_, word);
    if (row && word == row->alias && table_->contains(row->key))
        fail(key_place(key, node), "'" + word + "' and '" + row->key + "' are the same key; give one of them");
    if (row || find_parameter_in(section_, word)) return;
    // Each [materials.NAME] is named by the user; the reader of the root opens it.
    if (section_.empty() && (word == "materials" || is_section(word))) return;
    const std::string at = key_place(key, node);
    std::string home;
    if (const ParameterInfo* info = find_parameter(word)) home = section_of(*info);
    for (const SceneKey& other : scene_keys())
        if (home.empty() && word == other.key && std::string(other.section) != "keys") home = other.section;
    std::vector<std::string> known = firn::words_of(section_);
    if (section_.empty()) {
        for (const SceneSection& other : scene_sections())
            if (is_section(other.name)) known.push_back(other.name);
        known.push_back("materials");
    }
    const std::string guess = did_you_mean(word, known);
    if (!guess.empty()) fail(at, "there is no key '" + short_token(word) + "' in " + title_ + guess);
    if (!home.empty() && home != section_)
        fail(at, "'" + word + "' does not belong in " + title_ + ", but in " + heading(home));
    fail(at, "there is no key '" + short_token(word) + "' in " + title_ + "; it may hold " + comma_list(known));
}

const SceneKey& SceneTable::row(const char* key) const {
    const SceneKey* known = find_key(section_, key);
    if (!known) throw Error("the reader asks for '" + std::string(key) + "', which the table of keys lacks");
    return *known;
}

double SceneTable::number(const SceneKey& known, const toml::node& node, const std::string& name) const {
    const std::string at = place_of(file_, node.source());
    const bool whole = known.type == KeyType::integer || known.type == KeyType::pair;
    const std::string wanted =
        (whole ? "a whole number" : "a number") + (*known.unit ? " (" + std::string(known.unit) + ")" : "");
    const auto value = node.value<double>();
    if (!node.is_number() || !value) fail(at, name + " must be " + wanted + ", not " + type_name(node));
    if (!std::isfinite(*value)) fail(at, name + " must be a finite number");
    if (whole && *value != std::floor(*value)) fail(at, name + " must be " + wanted + ", not " + nine_digits(*value));
    if (*value < known.low || *value > known.high)
        fail(at, name + " = " + nine_digits(*value) + " is out of range: give " + nine_digits(known.low) + " to " +
                     nine_digits(known.high) + with_unit(known.unit));
    return *value;
}

void SceneTable::numbers(const char* key, double* value, size_t count, const char* form) const {
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
        fail_at(key, std::string(given_name(key)) + " must be " + std::to_string(count) + " numbers, " + form +
                         (*known.unit ? " in " + std::string(known.unit) : "") + ", not " +
                         (list ? std::to_string(list->size()) + " values" : std::string(type_name(*node))));
    for (size_t k = 0; k < count; ++k) value[k] = number(known, (*list)[k], given_name(key));
}

std::string SceneTable::parameter_value(const ParameterInfo& info, const std::string& token,
                                        const toml::node& node) const {
    const std::string at = place_of(file_, node.source());
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
        if (!element.is_number()) fail(place_of(file_, element.source()), token + " must be three numbers" + unit);
        text += exact(*element.value<double>()) + " ";
    }
    return text;
}

std::string resolved(const std::string& folder, const std::string& file) {
    const std::filesystem::path path(file);
    if (path.is_absolute() || folder.empty()) return file;
    return (std::filesystem::path(folder) / path).lexically_normal().string();
}

}  // namespace firn
