#pragma once
// Fake of <SYS/SYS_Types.h>: https://www.sidefx.com/docs/hdk/_s_y_s___types_8h.html

#include <cstddef>
#include <cstdint>

typedef int8_t int8;
typedef int16_t int16;
typedef int32_t int32;
typedef int64_t int64;
typedef uint8_t uint8;
typedef uint16_t uint16;
typedef uint32_t uint32;
typedef uint64_t uint64;
typedef float fpreal32;
typedef double fpreal64;
typedef double fpreal;
typedef int64 exint;
