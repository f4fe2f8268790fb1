#include "dso_version.h"

#include <SYS/SYS_Version.h>
#include <UT/UT_HDKVersion.h>

#include <cstdio>

namespace firn {

bool fits_this_houdini() {
    const unsigned here = UTgetHDKAPIVersion();
    if (here == HDK_API_VERSION) return true;
    static const bool reported =
        (std::fprintf(stderr,
                      "Firn was built for Houdini %s (HDK API %u), and this Houdini has HDK API %u: its nodes "
                      "are left out. Install the Firn build for this Houdini, or build it against this HFS.\n",
                      SYS_VERSION_RELEASE, static_cast<unsigned>(HDK_API_VERSION), here),
         true);
    (void)reported;
    return false;
}

}  // namespace firn
