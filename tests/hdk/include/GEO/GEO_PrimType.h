#pragma once
// Fake of <GEO/GEO_PrimType.h>: https://www.sidefx.com/docs/hdk/_g_e_o___prim_type_8h.html
// The numbers are the fake's own.

#include <GEO/GEO_API.h>

enum GEO_PrimTypeCompat { GEO_PRIMPOLY = 1, GEO_PRIMVOLUME = 2, GEO_PRIMVDB = 3, GEO_PRIMPACKED_DOUBLE = 4 };
#define GA_PRIMPOLY GEO_PRIMPOLY
