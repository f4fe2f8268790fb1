#pragma once

// What is allowed but is hardly ever meant: for `firn check`, and for `firn sim` before it begins.

#include <string>
#include <vector>

#include "scene.h"
#include "scene_counts.h"

namespace firn {

/// No collider, snow in snow, snow in a collider or through the ground, moving colliders that are too thin, files of a
/// sequence that end before the shot, volumes whose settings don't suit the spacing.
/// Places some ten thousand particles to see, and reads at most 10 MB of files: half a second and 50 MB whatever the
/// scene. What is larger, and .vdb files, are not looked at.
std::vector<std::string> likely_slips(const Scene&, const SceneCounts&);

/// How long the simulation will take on the CPU, s: a rough guess.
double estimated_seconds(const Scene&, double particles, int threads);

}  // namespace firn
