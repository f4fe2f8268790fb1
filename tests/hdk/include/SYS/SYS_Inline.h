#pragma once
// Fake of <SYS/SYS_Inline.h>: https://www.sidefx.com/docs/hdk/_s_y_s___inline_8h.html

#define SYS_FORCE_INLINE inline
