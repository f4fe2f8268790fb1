#include "scene_override.h"

#include <sstream>
#include <vector>

#include "firn/error.h"
#include "scene_keys.h"
#include "scene_table.h"
#include "wording.h"

namespace firn {

namespace {

/// The value of KEY=VALUE: TOML, or a word without quotes.
toml::table parse_value(const std::string& assignment, const std::string& value) {
    const std::string source = set_mark + assignment;
    try {
        return toml::parse("value = " + value + "\n", source);
    } catch (const toml::parse_error&) {
        // Not TOML: a word, a path or a file name, whose quotes the shell has removed.
        const bool word = !value.empty() && value.find_first_of("\"'[]{}\n\r=,#") == std::string::npos;
        if (!word) throw Error(source + ": '" + value + "' is not a value; write numbers, [x, y, z], true or a word");
        std::string quoted;
        for (const char c : value) quoted += (c == '\\' ? "\\\\" : std::string(1, c));
        try {
            return toml::parse("value = \"" + quoted + "\"\n", source);
        } catch (const toml::parse_error&) {
            throw Error(source + ": '" + value + "' is not a value; write numbers, [x, y, z], true or a word");
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
        // The names that the reader gives to bodies without one.
        const std::string name = (*table)["name"].value_or(step + std::to_string(k + 1));
        if (name == element || std::to_string(k) == element) return table;
        names.push_back(name);
    }
    throw Error(source + ": there is no '" + element + "' in " + step + "; there are " +
                (names.empty() ? "none" : comma_list(names)));
}

}  // namespace

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
        throw Error(source + ": name the section too, SECTION.KEY=VALUE" +
                    (homes.empty() ? "" : ": " + comma_list(homes)));
    }

    toml::table* table = &root;
    for (size_t k = 0; k + 1 < steps.size(); ++k) {
        bool takes_element = false;
        table = step_into(*table, steps[k], steps[k + 1], takes_element, source);
        if (takes_element && ++k + 1 >= steps.size())
            throw Error(source + ": say which key of '" + steps[k] + "' to set");
    }
    // Parameters and keys may have several names; the new value takes the place of all.
    const auto parameter = [&](const std::string& name) {
        const ParameterInfo* of_section = find_parameter_in(steps.front(), name);
        return of_section ? of_section : find_parameter(name);
    };
    const ParameterInfo* info = parameter(steps.back());
    const SceneKey* row = find_key(steps.front(), steps.back());
    std::vector<std::string> same;
    for (auto&& [key, node] : *table) {
        const std::string name(key.str());
        if ((info && parameter(name) == info) || (row && find_key(steps.front(), name) == row)) same.push_back(name);
    }
    for (const std::string& name : same) table->erase(name);
    toml::table value = parse_value(assignment, assignment.substr(equals + 1));
    value.get("value")->visit([&](auto& node) { table->insert_or_assign(steps.back(), std::move(node)); });
}

}  // namespace firn
