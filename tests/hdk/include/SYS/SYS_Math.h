#pragma once
// Double of <SYS/SYS_Math.h>: https://www.sidefx.com/docs/hdk/_s_y_s___math_8h.html

#include <SYS/SYS_Types.h>

#include <cmath>

inline bool SYSequalZero(fpreal64 value, fpreal64 tolerance = 1e-6) {
    return std::fabs(value) <= tolerance;
}
