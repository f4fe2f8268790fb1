#pragma once

// The version of these headers. CMakeLists.txt has the same number; a test compares the two.

#define FIRN_VERSION_MAJOR 0
#define FIRN_VERSION_MINOR 2
#define FIRN_VERSION_PATCH 0

namespace firn {

/// "0.2.0": the version of the library that the program is linked with.
const char* version();

}  // namespace firn
