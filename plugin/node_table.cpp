#include "node_table.h"

#include <cstring>
#include <stdexcept>

#include "firn/error.h"

namespace firn {

namespace {

constexpr double widest = 1e9;

NodeParameter from_engine(const ParameterInfo& info, const char* disable_when) {
    // The first five types have the same order.
    return {info.token,
            info.label,
            info.unit,
            info.folder,
            static_cast<NodeParameterType>(info.type),
            {info.initial[0], info.initial[1], info.initial[2]},
            "",
            info.low,
            info.high,
            info.slider_low,
            info.slider_high,
            info.help,
            info.symbol,
            info.source,
            info.choices,
            disable_when};
}

}  // namespace

const NodeParameter& parameter_of(const NodeTable& table, const char* token) {
    for (const NodeParameter& row : table.parameters)
        if (std::strcmp(row.token, token) == 0) return row;
    throw Error(std::string(table.label) + " has no parameter " + token);
}

bool is_integer(const NodeParameter& row) {
    return row.type == NodeParameterType::integer || row.type == NodeParameterType::toggle ||
           row.type == NodeParameterType::choice;
}

std::vector<const NodeTable*> node_tables() {
    return {&snow_source_table(),  &snow_collider_table(), &snow_step_table(),  &snow_rasterize_table(),
            &snow_surface_table(), &snow_grains_table(),   &snow_solver_table()};
}

NodeParameter engine_row(const std::string& token, const char* disable_when) {
    const ParameterInfo* info = find_parameter(token);
    if (!info) throw std::logic_error("the engine has no parameter " + token);
    return from_engine(*info, disable_when);
}

std::vector<NodeParameter> engine_rows(const std::string& folder, const char* disable_when) {
    std::vector<NodeParameter> rows;
    for (const ParameterInfo& info : parameter_table())
        if (folder == info.folder) rows.push_back(from_engine(info, disable_when));
    return rows;
}

NodeParameter real_row(const char* token, const char* label, const char* unit, const char* folder, double initial,
                       double low, double high, double slider_low, double slider_high, const char* help,
                       const char* disable_when) {
    return {token,       label, unit, folder, NodeParameterType::real,
            {initial},   "",    low,  high,   slider_low,
            slider_high, help,  "",   "Firn", {},
            disable_when};
}

NodeParameter integer_row(const char* token, const char* label, const char* unit, const char* folder, double initial,
                          double low, double high, double slider_high, const char* help, const char* disable_when) {
    return {token,       label, unit, folder, NodeParameterType::integer,
            {initial},   "",    low,  high,   low < 0 ? 0 : low,
            slider_high, help,  "",   "Firn", {},
            disable_when};
}

NodeParameter toggle_row(const char* token, const char* label, const char* folder, bool initial, const char* help,
                         const char* disable_when) {
    return {token, label,  "", folder,      NodeParameterType::toggle, {initial ? 1.0 : 0.0}, "", 0, 1, 0, 1, help,
            "",    "Firn", {}, disable_when};
}

NodeParameter choice_row(const char* token, const char* label, const char* folder, std::vector<ParameterChoice> choices,
                         const char* help, const char* disable_when) {
    const double last = static_cast<double>(choices.size()) - 1;
    return {token, label, "", folder, NodeParameterType::choice, {0},         "", 0, last, 0,
            last,  help,  "", "Firn", std::move(choices),        disable_when};
}

NodeParameter vector_row(const char* token, const char* label, const char* unit, const char* folder, double limit,
                         const char* help, const char* disable_when) {
    return {token, label,  unit, folder,      NodeParameterType::vector, {0, 0, 0}, "", -limit, limit, -10, 10, help,
            "",    "Firn", {},   disable_when};
}

NodeParameter string_row(const char* token, const char* label, const char* folder, const char* initial,
                         const char* help, const char* disable_when) {
    return {token, label,  "", folder,      NodeParameterType::string, {0}, initial, -widest, widest, 0, 1, help,
            "",    "Firn", {}, disable_when};
}

NodeParameter with_expression(NodeParameter row, const char* expression) {
    row.initial_text = expression;
    return row;
}

void add(std::vector<NodeParameter>& to, std::vector<NodeParameter> rows) {
    for (NodeParameter& row : rows) to.push_back(std::move(row));
}

std::vector<NodeParameter> contact_rows(const char* folder) {
    return {
        real_row("friction", "Friction", "", folder, 0.5, 0, 1e6, 0, 2,
                 "Higher values stop snow from sliding along the surface: 0 is slippery, 0.5 is wood, above 1 is rough "
                 "ground. The point attribute friction overrides it."),
        real_row(
            "adhesion", "Adhesion", "m/s^2", folder, 0, 0, 1000, 0, 50,
            "Higher values pull snow that comes within two spacings towards the surface, so that it clings to walls "
            "and undersides. The point attribute adhesion overrides it."),
        real_row("bounce", "Bounce", "", folder, 0, 0, 1, 0, 1,
                 "Higher values make single flakes bounce off: 1 keeps all of the impact speed, 0 none. The point "
                 "attribute bounce overrides it."),
        real_row(
            "sticky", "Sticky", "", folder, 0, 0, 1, 0, 1,
            "Higher values hold snow on the surface when it is pulled off: 0 comes off cleanly, 1 is frozen on. The "
            "point attribute sticky overrides it."),
    };
}

std::vector<NodeParameter> air_rows() {
    std::vector<NodeParameter> rows;
    for (const NodeParameter& row : engine_rows("Wind")) {
        const std::string token = row.token;
        const char* disable_when = token == "drag"                 ? "{ drag_law == flakes }"
                                   : token.rfind("flake_", 0) == 0 ? "{ drag_law == linear }"
                                   : token.rfind("gust_", 0) == 0  ? "{ gusts == 0 }"
                                                                   : "";
        rows.push_back(engine_row(token, disable_when));
    }
    return rows;
}

std::vector<NodeParameter> solving_rows() {
    std::vector<NodeParameter> rows;
    add(rows, engine_rows("Snow"));
    add(rows, engine_rows("Time"));
    add(rows, engine_rows("Method"));
    // The remedies are off in published mode.
    add(rows, engine_rows("Remedies", "{ mode == published }"));
    add(rows, engine_rows("Boundaries"));
    rows.push_back(
        string_row("device", "Device", "Machine", "auto",
                   "What computes: auto (a graphics card if there is one and the scene fits), cpu, cuda or cuda:N."));
    add(rows, engine_rows("Machine"));
    return rows;
}

}  // namespace firn
