#pragma once
// Fake of <GU/GU_API.h>: https://www.sidefx.com/docs/hdk/_g_u___a_p_i_8h.html

#include <SYS/SYS_Visibility.h>

#define GU_API SYS_VISIBILITY_EXPORT
