#pragma once
// Fake of <UT/UT_StringArray.h>: https://www.sidefx.com/docs/hdk/class_u_t___string_array.html

#include <UT/UT_Array.h>
#include <UT/UT_StringHolder.h>

class UT_StringArray : public UT_Array<UT_StringHolder> {
public:
    using UT_Array<UT_StringHolder>::UT_Array;
};
