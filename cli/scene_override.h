#pragma once

#include <string>

#include "toml_parser.h"

namespace firn {

/// Changes one value of a scene as --set does. `assignment` is KEY=VALUE: "material.E=2e5", "E=2e5",
/// "snow.ball.velocity=[0,-5,0]". Throws Error "--set KEY=VALUE: what; what to do".
void apply_override(toml::table& root, const std::string& assignment);

}  // namespace firn
