#pragma once
// Fake of <UT/UT_SharedPtr.h>: https://www.sidefx.com/docs/hdk/_u_t___shared_ptr_8h.html

#include <memory>

template <typename T>
using UT_SharedPtr = std::shared_ptr<T>;
