#pragma once
// Fake of <GU/GU_PrimVolume.h>: https://www.sidefx.com/docs/hdk/class_g_u___prim_volume.html

#include <GEO/GEO_PrimVolume.h>
#include <GU/GU_Detail.h>

class GU_API GU_PrimVolume : public GEO_PrimVolume {
public:
    static GEO_PrimVolume* build(GU_Detail* gdp);
    std::unique_ptr<GA_Primitive> duplicate() const override;
};
