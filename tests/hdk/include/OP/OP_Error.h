#pragma once
// Fake of <OP/OP_Error.h>: https://www.sidefx.com/docs/hdk/_o_p___error_8h.html

#include <UT/UT_ErrorManager.h>

typedef UT_ErrorSeverity OP_ERROR;
