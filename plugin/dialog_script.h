#pragma once

#include <string>

#include "node_table.h"

namespace firn {

/// The node's parameters in Houdini's DialogScript, one tab for each folder: what PRM_TemplateBuilder reads.
std::string dialog_script(const NodeTable&);

}  // namespace firn
