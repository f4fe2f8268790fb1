#pragma once
// Fake of <UT/UT_Assert.h>: https://www.sidefx.com/docs/hdk/_u_t___assert_8h.html

#include <cassert>

#define UT_ASSERT(Condition) assert(Condition)
