#pragma once
// Fake of <SIM/SIM_API.h>: https://www.sidefx.com/docs/hdk/_s_i_m___a_p_i_8h.html
// Everything is visible here.

#define SIM_API
