#pragma once
// Fake of <SOP/SOP_Error.h>: https://www.sidefx.com/docs/hdk/_s_o_p___error_8h.html

#include <OP/OP_Error.h>

/// The message is the text alone.
enum SOP_ErrorCodes { SOP_MESSAGE = 0 };
