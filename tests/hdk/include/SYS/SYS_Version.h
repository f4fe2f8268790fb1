#pragma once
// Fake of <SYS/SYS_Version.h>: https://www.sidefx.com/docs/hdk/_s_y_s___version_8h.html
// The version that the fake says it is; a build may ask for another one.

#ifndef FIRN_HDK_FAKE_MAJOR
#define FIRN_HDK_FAKE_MAJOR 21
#define FIRN_HDK_FAKE_MINOR 0
#define FIRN_HDK_FAKE_RELEASE "21.0.0"
#endif

#define SYS_VERSION_MAJOR_INT FIRN_HDK_FAKE_MAJOR
#define SYS_VERSION_MINOR_INT FIRN_HDK_FAKE_MINOR
#define SYS_VERSION_BUILD_INT 0
#define SYS_VERSION_RELEASE FIRN_HDK_FAKE_RELEASE
#define SYS_VERSION_FULL_INT ((SYS_VERSION_MAJOR_INT << 24) | (SYS_VERSION_MINOR_INT << 16))
