#pragma once
// Fake of <PRM/PRM_Range.h>: https://www.sidefx.com/docs/hdk/class_p_r_m___range.html

#include <PRM/PRM_API.h>
#include <SYS/SYS_Types.h>

enum PRM_RangeFlag { PRM_RANGE_FREE, PRM_RANGE_UI, PRM_RANGE_RESTRICTED, PRM_RANGE_PRM };

class PRM_Range {
public:
    PRM_Range(PRM_RangeFlag min_flag = PRM_RANGE_FREE, fpreal low = 0, PRM_RangeFlag max_flag = PRM_RANGE_FREE,
              fpreal high = 1)
        : myFlags{min_flag, max_flag}, myEnds{low, high} {}
    PRM_RangeFlag getMinFlag() const { return myFlags[0]; }
    PRM_RangeFlag getMaxFlag() const { return myFlags[1]; }
    fpreal getUIMin() const { return myEnds[0]; }
    fpreal getUIMax() const { return myEnds[1]; }

private:
    PRM_RangeFlag myFlags[2];
    fpreal myEnds[2];
};
