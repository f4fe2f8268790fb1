#pragma once

namespace firn {

/// Whether this DSO was compiled for the HDK of the Houdini that loads it; if not, prints that once to stderr.
/// Call it before registering anything.
bool fits_this_houdini();

}  // namespace firn
