#pragma once
// Fake of <SIM/SIM_RawField.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___raw_field.html
// Voxels; what fields can do with them is not here.

#include <SIM/SIM_API.h>
#include <UT/UT_VoxelArray.h>

class SIM_API SIM_RawField {
public:
    const UT_VoxelArrayF* field() const { return &myField; }
    UT_VoxelArrayF* fieldNC() { return &myField; }

private:
    UT_VoxelArrayF myField;
};
