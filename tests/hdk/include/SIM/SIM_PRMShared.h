#pragma once
// Fake of <SIM/SIM_PRMShared.h>: https://www.sidefx.com/docs/hdk/_s_i_m___p_r_m_shared_8h.html
// Names and defaults of parameters that data types share; the fake has those of SIM_Names.h.

#include <PRM/PRM_Include.h>
#include <SIM/SIM_Names.h>

inline PRM_Name SIMshowguideName(SIM_NAME_SHOWGUIDE, "Show Guide Geometry");
inline PRM_Name SIMcolorName(SIM_NAME_COLOR, "Color");
