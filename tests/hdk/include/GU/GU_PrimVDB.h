#pragma once
// Fake of <GU/GU_PrimVDB.h>: https://www.sidefx.com/docs/hdk/class_g_u___prim_v_d_b.html

#include <GEO/GEO_PrimVDB.h>
#include <GU/GU_Detail.h>

class GU_API GU_PrimVDB : public GEO_PrimVDB {
public:
    /// A primitive with a point of its own that shares the grid's tree; its `name` attribute is the grid's name, or
    /// `name`.
    static GEO_PrimVDB* buildFromGrid(GU_Detail& gdp, openvdb::GridBase::Ptr grid, const GEO_PrimVDB* src = nullptr,
                                      const char* name = nullptr);
    std::unique_ptr<GA_Primitive> duplicate() const override;

private:
    using GEO_PrimVDB::GEO_PrimVDB;
};
