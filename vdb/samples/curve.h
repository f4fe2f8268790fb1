#pragma once

#include <cstdint>

namespace firn {

/// 21 bits of x with two zeros after each: three of these, shifted by one, are a place along the Z curve.
inline uint64_t spread_bits(uint64_t x) {
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffffull;
    x = (x | x << 16) & 0x1f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    return (x | x << 2) & 0x1249249249249249ull;
}

}  // namespace firn
