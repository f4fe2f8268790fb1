#pragma once
// Fake of <GEO/GEO_PrimType.h>: https://www.sidefx.com/docs/hdk/_g_e_o___prim_type_8h.html
// The numbers are the fake's own. Packed primitives have one for each kind: GU_PackedGeometry::typeId() and the like.

#include <GEO/GEO_API.h>

enum GEO_PrimType {
    GEO_PRIMPOLY = 1,
    GEO_PRIMVOLUME,
    GEO_PRIMVDB,
    GEO_PRIMPOLYSOUP,
    GEO_PRIMSPHERE,
    GEO_PRIMMETABALL,
    GEO_PRIMNURBCURVE,
    GEO_PRIMPART
};
#define GA_PRIMPOLY GEO_PRIMPOLY
#define GA_PRIMPOLYSOUP GEO_PRIMPOLYSOUP
