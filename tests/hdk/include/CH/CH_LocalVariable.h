#pragma once
// Fake of <CH/CH_LocalVariable.h>: https://www.sidefx.com/docs/hdk/struct_c_h___local_variable.html

#include <CH/CH_API.h>

struct CH_LocalVariable {
    const char* name;
    int id;
    int flag;
};
