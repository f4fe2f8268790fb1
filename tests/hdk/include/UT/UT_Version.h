#pragma once
// Fake of <UT/UT_Version.h>: https://www.sidefx.com/docs/hdk/_u_t___version_8h.html

#include <SYS/SYS_Version.h>

#define UT_MAJOR_VERSION_INT SYS_VERSION_MAJOR_INT
#define UT_MINOR_VERSION_INT SYS_VERSION_MINOR_INT
#define UT_VERSION_INT SYS_VERSION_FULL_INT
