#pragma once
// Fake of <GU/GU_PackedGeometry.h>: https://www.sidefx.com/docs/hdk/class_g_u___packed_geometry.html

#include <GU/GU_PrimPacked.h>

class GU_API GU_PackedGeometry {
public:
    static GU_PrimPacked* packGeometry(GU_Detail& gdp, const GU_ConstDetailHandle& detail);
    static GA_PrimitiveTypeId typeId() { return GA_PrimitiveTypeId(101); }
};
