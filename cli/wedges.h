#pragma once

// Wedges: one scene run many times, each time with other values. The [[wedge]] tables of a scene are its axes; a wedge
// is one value of each, and its number counts through all combinations from 0, the last axis fastest.

#include <string>
#include <vector>

#include "scene.h"

namespace firn {

/// How many wedges the scene has; 0 = it has no [[wedge]].
int wedge_count(const Scene&);

/// What the wedge changes, each as in --set. Throws Error for a number that there is not.
std::vector<std::string> wedge_settings(const Scene&, int number);

/// Where a wedge's run goes: OUT/wedge_0003.
std::string wedge_folder(const std::string& out, int number);

/// The scene as this wedge has it; `overrides` come after what the wedge changes.
Scene read_wedge(const std::string& path, int number, const std::vector<std::string>& overrides);

}  // namespace firn
