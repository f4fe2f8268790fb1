#pragma once
// Fake of <UT/UT_HDKVersion.h>: https://www.sidefx.com/docs/hdk/_u_t___h_d_k_version_8h.html

#include <UT/UT_API.h>

#ifndef HDK_API_VERSION
#define HDK_API_VERSION 21000000
#endif

/// Of the program that runs, which need not be the one compiled for. FIRN_HDK_FAKE_API_VERSION in the environment
/// makes the fake claim another one.
UT_API unsigned UTgetHDKAPIVersion();
