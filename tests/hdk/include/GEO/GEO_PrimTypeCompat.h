#pragma once
// Fake of <GEO/GEO_PrimTypeCompat.h>: https://www.sidefx.com/docs/hdk/_g_e_o___prim_type_compat_8h.html
// Sets of types, for conversions.

#include <GEO/GEO_API.h>

namespace GA_PrimCompat {
typedef unsigned TypeMask;
}
namespace GEO_PrimTypeCompat {
constexpr GA_PrimCompat::TypeMask GEOPRIMPOLY = 0x01, GEOPRIMPOLYSOUP = 0x02, GEOPRIMALL = 0xffffffff;
}
