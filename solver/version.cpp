#include "firn/version.h"

#define FIRN_TEXT_OF(a) #a
#define FIRN_DOTTED(a, b, c) FIRN_TEXT_OF(a) "." FIRN_TEXT_OF(b) "." FIRN_TEXT_OF(c)

namespace firn {

const char* version() {
    return FIRN_DOTTED(FIRN_VERSION_MAJOR, FIRN_VERSION_MINOR, FIRN_VERSION_PATCH);
}

}  // namespace firn
