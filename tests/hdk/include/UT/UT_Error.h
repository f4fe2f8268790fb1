#pragma once
// Fake of <UT/UT_Error.h>: https://www.sidefx.com/docs/hdk/_u_t___error_8h.html

#include <UT/UT_API.h>

enum UT_ErrorSeverity {
    UT_ERROR_NONE,
    UT_ERROR_MESSAGE,
    UT_ERROR_PROMPT,
    UT_ERROR_WARNING,
    UT_ERROR_ABORT,
    UT_ERROR_FATAL,
    NUM_UT_ERRORS
};
