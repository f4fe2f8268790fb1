#pragma once
// Fake of <OP/OP_DataTypes.h>: https://www.sidefx.com/docs/hdk/_o_p___data_types_8h.html

#include <OP/OP_API.h>
#include <SYS/SYS_Version.h>

#if SYS_VERSION_MAJOR_INT >= 21
/// Since Houdini 21 inputs are counted with a type of their own.
typedef unsigned OP_InputIdx;
typedef unsigned OP_OutputIdx;
#endif
