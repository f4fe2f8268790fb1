#pragma once

#include <string>

#include "scene.h"

namespace firn {

/// The scene as a file that reads by itself, for the run's folder: paths start where they did, and what --set changed
/// stays changed.
std::string scene_copy(const Scene&);

}  // namespace firn
