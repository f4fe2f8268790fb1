#pragma once
// Fake of <SYS/SYS_Math.h>: https://www.sidefx.com/docs/hdk/_s_y_s___math_8h.html

#include <SYS/SYS_Types.h>

#include <cmath>

template <typename T>
inline T SYSmin(T a, T b) {
    return b < a ? b : a;
}
template <typename T>
inline T SYSmax(T a, T b) {
    return a < b ? b : a;
}
template <typename T>
inline T SYSsin(T radians) {
    return std::sin(radians);
}
template <typename T>
inline T SYScos(T radians) {
    return std::cos(radians);
}

/// Between 0 and 1; the seed moves on.
inline fpreal32 SYSrandom(unsigned& seed) {
    seed = seed * 1664525u + 1013904223u;
    return static_cast<fpreal32>(seed >> 8) / 16777216.0f;
}

inline bool SYSequalZero(fpreal64 value, fpreal64 tolerance = 1e-6) {
    return std::fabs(value) <= tolerance;
}
