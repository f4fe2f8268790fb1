#pragma once
// Fake of <GA/GA_API.h>: https://www.sidefx.com/docs/hdk/_g_a___a_p_i_8h.html

#include <SYS/SYS_Visibility.h>

#define GA_API SYS_VISIBILITY_EXPORT
