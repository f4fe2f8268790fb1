#pragma once
// Fake of <GEO/GEO_Primitive.h>: https://www.sidefx.com/docs/hdk/class_g_e_o___primitive.html

#include <GA/GA_Primitive.h>
#include <GEO/GEO_API.h>
#include <GEO/GEO_PrimType.h>

class GEO_API GEO_Primitive : public GA_Primitive {
public:
    ~GEO_Primitive() override;

protected:
    explicit GEO_Primitive(GA_PrimitiveTypeId type) : GA_Primitive(type) {}
    GEO_Primitive(const GEO_Primitive&) = default;
};
