#pragma once
// Fake of <GAS/GAS_Utils.h>: https://www.sidefx.com/docs/hdk/_g_a_s___utils_8h.html

#include <GAS/GAS_SubSolver.h>
