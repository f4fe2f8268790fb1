#pragma once

#include <string>

#include "scene.h"

namespace firn {

/// Everything of a scene that the motion depends on, as lines "snow.ball.velocity = 0 -3 0": runs with the same text
/// give the same bits. It holds the engine's parameters as they act, and every key whose row in the table of keys says
/// KeyEffect::motion; files count by what is in them. The last frame, output, camera and number of threads are not in
/// it.
std::string physics_text(const Scene&);
/// The first line that two such texts don't share, for a message; "" when they are the same.
std::string physics_difference(const std::string& before, const std::string& now);

}  // namespace firn
