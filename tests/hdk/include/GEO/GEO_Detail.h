#pragma once
// Double of <GEO/GEO_Detail.h>: https://www.sidefx.com/docs/hdk/class_g_e_o___detail.html

#include <GA/GA_Detail.h>
#include <GEO/GEO_Primitive.h>

class GEO_API GEO_Detail : public GA_Detail {
public:
    const GEO_Primitive* getGEOPrimitive(GA_Offset offset) const {
        return static_cast<const GEO_Primitive*>(getPrimitive(offset));
    }
    GEO_Primitive* getGEOPrimitive(GA_Offset offset) { return static_cast<GEO_Primitive*>(getPrimitive(offset)); }
};
