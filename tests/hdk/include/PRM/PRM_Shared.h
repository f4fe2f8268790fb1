#pragma once
// Fake of <PRM/PRM_Shared.h>: https://www.sidefx.com/docs/hdk/_p_r_m___shared_8h.html
// Defaults and ranges that many nodes share.

#include <PRM/PRM_Default.h>
#include <PRM/PRM_Range.h>

inline PRM_Default PRMzeroDefaults[4];
inline PRM_Default PRMoneDefaults[4] = {1, 1, 1, 1};
inline PRM_Default PRMpointOneDefaults[4] = {0.1, 0.1, 0.1, 0.1};
inline PRM_Default PRMtenDefaults[4] = {10, 10, 10, 10};
inline PRM_Range PRMunitRange(PRM_RANGE_UI, 0, PRM_RANGE_UI, 1);
