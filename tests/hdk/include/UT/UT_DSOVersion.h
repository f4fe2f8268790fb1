#pragma once
// Fake of <UT/UT_DSOVersion.h>: https://www.sidefx.com/docs/hdk/_u_t___d_s_o_version_8h.html
// Included by exactly one file of a DSO, which then exports its version.

#include <SYS/SYS_Types.h>
#include <SYS/SYS_Version.h>
#include <SYS/SYS_Visibility.h>

#define UT_DSO_VERSION SYS_VERSION_RELEASE

extern "C" {
SYS_VISIBILITY_EXPORT void HoudiniDSOVersion(const char** version_string) {
    *version_string = UT_DSO_VERSION;
}
}
