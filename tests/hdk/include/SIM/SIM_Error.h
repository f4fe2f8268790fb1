#pragma once
// Fake of <SIM/SIM_Error.h>: https://www.sidefx.com/docs/hdk/_s_i_m___error_8h.html

#include <UT/UT_Error.h>

enum SIM_ErrorCodes {
    SIM_MESSAGE = 0,
    SIM_INSUFFICIENTCACHE,
    SIM_MISSINGDATA,
    SIM_COLLISIONS,
    SIM_AFFECTORCYCLE,
    SIM_MULTIPLEMUTUAL,
    SIM_BADDATALOCATION,
    SIM_BADSUBDATA,
    SIM_BADSTATEFILE
};
