#pragma once
// Fake of <SOP/SOP_API.h>: https://www.sidefx.com/docs/hdk/_s_o_p___a_p_i_8h.html

#include <SYS/SYS_Visibility.h>

#define SOP_API SYS_VISIBILITY_EXPORT
