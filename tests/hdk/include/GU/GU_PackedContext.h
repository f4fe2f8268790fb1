#pragma once
// Fake of <GU/GU_PackedContext.h>: https://www.sidefx.com/docs/hdk/class_g_u___packed_context.html

#include <GU/GU_API.h>

class GU_API GU_PackedContext {};
