#pragma once

#include <cstdint>

namespace firn {

/// Bytes that the machine can still give without swapping.
uint64_t memory_available();

}  // namespace firn
