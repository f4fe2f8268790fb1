#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace firn {

/// Whether this Firn was built with Blosc.
bool has_blosc();

struct BloscHeader {
    uint64_t unpacked = 0, packed = 0;  ///< bytes, the header included
};
/// False when these bytes don't begin with a Blosc header.
bool blosc_header(const uint8_t* bytes, size_t size, BloscHeader& header);

/// Bytes as one block: LZ4 behind a shuffle of four bytes, which suits 32-bit numbers. Equal bytes give equal blocks.
std::vector<uint8_t> blosc_pack(const uint8_t* bytes, size_t size);

/// Appends what a block unpacks to; false when it is damaged. Takes no more memory than such a block can need.
bool blosc_unpack(const uint8_t* bytes, size_t size, std::vector<uint8_t>& result);

}  // namespace firn
