#pragma once
// Fake of <SYS/SYS_Visibility.h>: https://www.sidefx.com/docs/hdk/_s_y_s___visibility_8h.html

#define SYS_VISIBILITY_EXPORT __attribute__((visibility("default")))
