#pragma once
// Fake of <PRM/PRM_API.h>: https://www.sidefx.com/docs/hdk/_p_r_m___a_p_i_8h.html

#include <SYS/SYS_Visibility.h>

#define PRM_API SYS_VISIBILITY_EXPORT
