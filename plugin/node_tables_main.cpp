// firn_node_tables: every node of the plugin as JSON, for whoever makes dialogs and help pages outside of Houdini.

#include <cstdio>
#include <nlohmann/json.hpp>

#include "dialog_script.h"
#include "node_table.h"

namespace {

using Json = nlohmann::ordered_json;

const char* type_word(firn::NodeParameterType type) {
    static const char* const words[] = {"real", "integer", "toggle", "choice", "vector", "string", "button"};
    return words[static_cast<int>(type)];
}

Json initial(const firn::NodeParameter& p) {
    using Type = firn::NodeParameterType;
    if (p.type == Type::string) return p.initial_text;
    if (p.type == Type::vector) return {p.initial[0], p.initial[1], p.initial[2]};
    if (p.type == Type::toggle) return p.initial[0] != 0;
    if (p.type == Type::choice) return p.choices.at(static_cast<size_t>(p.initial[0])).token;
    if (p.type == Type::integer) return static_cast<int64_t>(p.initial[0]);
    return p.initial[0];
}

Json row(const firn::NodeParameter& p) {
    Json choices = Json::array();
    for (const firn::ParameterChoice& choice : p.choices)
        choices.push_back({{"token", choice.token}, {"label", choice.label}, {"help", choice.help}});
    return {{"token", p.token},
            {"label", p.label},
            {"unit", p.unit},
            {"folder", p.folder},
            {"type", type_word(p.type)},
            {"default", initial(p)},
            {"expression", p.type == firn::NodeParameterType::string ? "" : p.initial_text},
            {"low", p.low},
            {"high", p.high},
            {"slider_low", p.slider_low},
            {"slider_high", p.slider_high},
            {"help", p.help},
            {"symbol", p.symbol},
            {"source", p.source},
            {"choices", choices},
            {"disable_when", p.disable_when}};
}

}  // namespace

int main() {
    Json nodes = Json::array();
    for (const firn::NodeTable* table : firn::node_tables()) {
        Json inputs = Json::array(), parameters = Json::array();
        for (const firn::NodeInput& input : table->inputs)
            inputs.push_back({{"label", input.label}, {"help", input.help}, {"required", input.required}});
        for (const firn::NodeParameter& p : table->parameters) parameters.push_back(row(p));
        nodes.push_back({{"name", table->name},
                         {"label", table->label},
                         {"table", table->table},
                         {"icon", table->icon},
                         {"help", table->help},
                         {"inputs", inputs},
                         {"parameters", parameters},
                         {"dialog_script", firn::dialog_script(*table)}});
    }
    std::puts(Json({{"nodes", nodes}}).dump(2).c_str());
    return 0;
}
