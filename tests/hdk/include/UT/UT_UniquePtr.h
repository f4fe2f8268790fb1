#pragma once
// Fake of <UT/UT_UniquePtr.h>: https://www.sidefx.com/docs/hdk/_u_t___unique_ptr_8h.html

#include <memory>
#include <utility>

template <typename T, typename D = std::default_delete<T>>
using UT_UniquePtr = std::unique_ptr<T, D>;

template <typename T, typename... A>
UT_UniquePtr<T> UTmakeUnique(A&&... a) {
    return std::make_unique<T>(std::forward<A>(a)...);
}
