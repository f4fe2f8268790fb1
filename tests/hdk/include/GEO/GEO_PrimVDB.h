#pragma once
// Fake of <GEO/GEO_PrimVDB.h>: https://www.sidefx.com/docs/hdk/class_g_e_o___prim_v_d_b.html

#include <GEO/GEO_Primitive.h>
#include <openvdb/openvdb.h>

class GEO_API GEO_PrimVDB : public GEO_Primitive {
public:
    bool hasGrid() const { return myGrid != nullptr; }
    const openvdb::GridBase& getConstGrid() const { return *myGrid; }
    openvdb::GridBase::ConstPtr getConstGridPtr() const { return myGrid; }
    openvdb::GridBase::Ptr getGridPtr() { return myGrid; }
    void setGrid(const openvdb::GridBase& grid) { myGrid = grid.deepCopyGrid(); }
    /// The `name` attribute of the primitive.
    const char* getGridName() const;

protected:
    explicit GEO_PrimVDB(openvdb::GridBase::Ptr grid = {}) : GEO_Primitive(GEO_PRIMVDB), myGrid(std::move(grid)) {}
    GEO_PrimVDB(const GEO_PrimVDB&) = default;
    openvdb::GridBase::Ptr myGrid;

private:
    mutable std::string myName;
};
