#pragma once
// Fake of <PRM/PRM_Shared.h>: https://www.sidefx.com/docs/hdk/_p_r_m___shared_8h.html
// Defaults and ranges that many nodes share.

#include <PRM/PRM_ChoiceList.h>
#include <PRM/PRM_Default.h>
#include <PRM/PRM_Name.h>
#include <PRM/PRM_Range.h>

inline PRM_Default PRMzeroDefaults[4];
inline PRM_Default PRMoneDefaults[4] = {1, 1, 1, 1};
inline PRM_Default PRMpointOneDefaults[4] = {0.1, 0.1, 0.1, 0.1};
inline PRM_Default PRMfourDefaults[4] = {4, 4, 4, 4};
inline PRM_Default PRMtenDefaults[4] = {10, 10, 10, 10};
inline PRM_Name PRMgroupName("group", "Group");
inline PRM_Name PRMdivName("divs", "Divisions"), PRMradiusName("rad", "Radius"), PRMcenterName("t", "Center"),
    PRMuscaleName("scale", "Uniform Scale"), PRMorientName("orient", "Orientation");
inline PRM_ChoiceList PRMplaneMenu(PRM_CHOICELIST_SINGLE, nullptr);
inline PRM_Range PRMdivision1Range(PRM_RANGE_RESTRICTED, 1, PRM_RANGE_UI, 50);
inline PRM_Range PRMdivision2Range(PRM_RANGE_RESTRICTED, 2, PRM_RANGE_UI, 50);
inline PRM_Range PRMscaleRange(PRM_RANGE_UI, 0, PRM_RANGE_UI, 10);
inline PRM_Range PRMunitRange(PRM_RANGE_UI, 0, PRM_RANGE_UI, 1);
