#pragma once

// A node as a table: what it is called, what goes in, and its parameters. Dialogs, help pages and the assets are made
// from these rows. Nothing here needs Houdini: `firn_node_tables` prints them all as JSON.

#include <string>
#include <vector>

#include "firn/parameters.h"

namespace firn {

enum class NodeParameterType { real, integer, toggle, choice, vector, string, button };

/// A row like those of parameter_table(), and what only a dialog needs.
struct NodeParameter {
    const char* token;
    const char* label;
    const char* unit;    ///< "" = none; shown behind the label
    const char* folder;  ///< the tab that shows it
    NodeParameterType type;
    double initial[3];
    const char* initial_text;  ///< of a string; or the expression that a number starts with ("$F"); "" = `initial`
    double low, high;          ///< hard limits
    double slider_low, slider_high;
    const char* help;
    const char* symbol;
    const char* source;
    std::vector<ParameterChoice> choices;
    const char* disable_when;  ///< Houdini's condition: "{ preset != custom }"
};

struct NodeInput {
    const char* label;
    const char* help;
    bool required;
};

struct NodeTable {
    const char* name;   ///< the operator's type: "firn::snow_step"
    const char* label;  ///< in the Tab menu
    const char* table;  ///< "Sop" or "Dop"
    const char* icon;
    const char* help;  ///< one sentence
    std::vector<NodeInput> inputs;
    std::vector<NodeParameter> parameters;
};

const NodeTable& snow_source_table();
const NodeTable& snow_collider_table();
const NodeTable& snow_step_table();
const NodeTable& snow_rasterize_table();
const NodeTable& snow_surface_table();
const NodeTable& snow_grains_table();
const NodeTable& snow_solver_table();
/// Parameters of the DOP's guide geometry; not a node of its own.
const NodeTable& snow_solver_guide_table();

/// Every node of the plugin, in the order of the Tab menu.
std::vector<const NodeTable*> node_tables();

/// The parameter of a token. Throws Error where there is none.
const NodeParameter& parameter_of(const NodeTable&, const char* token);
/// Houdini keeps these as integers: toggles and menus too.
bool is_integer(const NodeParameter&);

// ---- to write the tables with

/// A row of the engine's table as a node's.
NodeParameter engine_row(const std::string& token, const char* disable_when = "");
/// All rows of one folder of the engine's table.
std::vector<NodeParameter> engine_rows(const std::string& folder, const char* disable_when = "");
NodeParameter real_row(const char* token, const char* label, const char* unit, const char* folder, double initial,
                       double low, double high, double slider_low, double slider_high, const char* help,
                       const char* disable_when = "");
NodeParameter integer_row(const char* token, const char* label, const char* unit, const char* folder, double initial,
                          double low, double high, double slider_high, const char* help, const char* disable_when = "");
NodeParameter toggle_row(const char* token, const char* label, const char* folder, bool initial, const char* help,
                         const char* disable_when = "");
NodeParameter choice_row(const char* token, const char* label, const char* folder, std::vector<ParameterChoice> choices,
                         const char* help, const char* disable_when = "");
NodeParameter vector_row(const char* token, const char* label, const char* unit, const char* folder, double limit,
                         const char* help, const char* disable_when = "");
NodeParameter string_row(const char* token, const char* label, const char* folder, const char* initial,
                         const char* help, const char* disable_when = "");
/// The same row, starting with an expression.
NodeParameter with_expression(NodeParameter, const char* expression);

void add(std::vector<NodeParameter>& to, std::vector<NodeParameter> rows);

/// How a collider's surface treats snow: a row for each of surface_table().
std::vector<NodeParameter> contact_rows(const char* folder);
/// Wind and drag, of every node that advances snow.
std::vector<NodeParameter> air_rows();
/// The engine's parameters and the device, of every node that advances snow.
std::vector<NodeParameter> solving_rows();

}  // namespace firn
