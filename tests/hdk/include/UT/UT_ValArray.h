#pragma once
// Fake of <UT/UT_ValArray.h>: https://www.sidefx.com/docs/hdk/_u_t___val_array_8h.html

#include <UT/UT_Array.h>

template <typename T>
using UT_ValArray = UT_Array<T>;
typedef UT_Array<fpreal64> UT_Fpreal64Array;
typedef UT_Array<int64> UT_Int64Array;
