#pragma once
// Fake of <CH/CH_Types.h>: https://www.sidefx.com/docs/hdk/_c_h___types_8h.html

#include <CH/CH_API.h>

enum CH_StringMeaning { CH_STRING_LITERAL, CH_OLD_EXPRESSION, CH_HSCRIPT_EXPRESSION };
