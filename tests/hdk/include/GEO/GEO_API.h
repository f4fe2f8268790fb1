#pragma once
// Fake of <GEO/GEO_API.h>: https://www.sidefx.com/docs/hdk/_g_e_o___a_p_i_8h.html

#include <SYS/SYS_Visibility.h>

#define GEO_API SYS_VISIBILITY_EXPORT
