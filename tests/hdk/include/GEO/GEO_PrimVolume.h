#pragma once
// Fake of <GEO/GEO_PrimVolume.h>: https://www.sidefx.com/docs/hdk/class_g_e_o___prim_volume.html
// Without rotation of its own: a height field lies along x and z, its voxels' first index along x.

#include <GEO/GEO_Primitive.h>
#include <GEO/GEO_VolumeOptions.h>
#include <UT/UT_VoxelArray.h>

class GEO_API GEO_PrimVolume : public GEO_Primitive {
public:
    UT_VoxelArrayReadHandleF getVoxelHandle() const { return UT_VoxelArrayReadHandleF(myVoxels); }
    UT_VoxelArrayWriteHandleF getVoxelWriteHandle() { return UT_VoxelArrayWriteHandleF(myVoxels); }
    void getRes(int& rx, int& ry, int& rz) const;
    /// The centre of a voxel, m.
    bool indexToPos(int x, int y, int z, UT_Vector3& position) const;
    GEO_VolumeVis getVisualization() const { return myHeightField ? GEO_VOLUMEVIS_HEIGHTFIELD : GEO_VOLUMEVIS_SMOKE; }

    // For tests: the centre of the first voxel, and the distance between two.
    void setLattice(const UT_Vector3& first, float cell, bool heightfield) {
        myFirst = first;
        myCell = cell;
        myHeightField = heightfield;
    }

protected:
    GEO_PrimVolume() : GEO_Primitive(GEO_PRIMVOLUME), myVoxels(std::make_shared<UT_VoxelArrayF>()) {}
    GEO_PrimVolume(const GEO_PrimVolume&) = default;

private:
    std::shared_ptr<UT_VoxelArrayF> myVoxels;
    UT_Vector3 myFirst{0, 0, 0};
    float myCell = 1;
    bool myHeightField = false;
};
