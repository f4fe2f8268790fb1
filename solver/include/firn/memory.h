#pragma once

#include <cstdint>

#include "firn/parameters.h"

namespace firn {

/// Bytes that the machine can still give without swapping.
uint64_t memory_available();

/// What `memory_limit` allows, in bytes; 0 = what the machine has free.
inline double allowed_bytes(const Parameters& parameters) {
    return double(parameters.memory_limit) * 1e9;
}

}  // namespace firn
