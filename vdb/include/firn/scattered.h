#pragma once

#include <cstdint>

namespace firn {

/// A number that depends on all of these and looks like chance: the same on every machine.
uint64_t scattered(uint64_t a, uint64_t b = 0, uint64_t c = 0, uint64_t d = 0);
/// The same as 0 <= x < 1.
double scattered_unit(uint64_t a, uint64_t b = 0, uint64_t c = 0, uint64_t d = 0);

}  // namespace firn
