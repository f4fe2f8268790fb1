#pragma once

namespace firn {

/// Whether this DSO was compiled for the HDK of the Houdini that loads it; if not, says so once on stderr. Whoever
/// registers anything asks first.
bool fits_this_houdini();

}  // namespace firn
