#pragma once
// Fake of <OP/OP_API.h>: https://www.sidefx.com/docs/hdk/_o_p___a_p_i_8h.html

#include <SYS/SYS_Visibility.h>

#define OP_API SYS_VISIBILITY_EXPORT
