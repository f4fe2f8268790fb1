#pragma once
// Fake of <UT/UT_API.h>: https://www.sidefx.com/docs/hdk/_u_t___a_p_i_8h.html

#include <SYS/SYS_Visibility.h>

#define UT_API SYS_VISIBILITY_EXPORT
