#pragma once
// Double of <PRM/PRM_Shared.h>: https://www.sidefx.com/docs/hdk/_p_r_m___shared_8h.html
// Defaults that many nodes share.

#include <PRM/PRM_Default.h>

inline PRM_Default PRMzeroDefaults[4];
inline PRM_Default PRMoneDefaults[4] = {1, 1, 1, 1};
