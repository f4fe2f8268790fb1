#pragma once

#include <string>

#include "picture.h"

namespace firn {

/// Writes one line of text into the lower left corner, with a font of its own, as large as suits the picture. ASCII
/// letters, digits and the usual signs; others show as '?'. What does not fit is cut off.
void draw_caption(Picture&, const std::string& text);

}  // namespace firn
