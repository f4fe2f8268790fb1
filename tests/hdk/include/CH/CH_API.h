#pragma once
// Fake of <CH/CH_API.h>: https://www.sidefx.com/docs/hdk/_c_h___a_p_i_8h.html

#include <SYS/SYS_Visibility.h>

#define CH_API SYS_VISIBILITY_EXPORT
