// Houdini's seekable container, the ".sc" of .bgeo.sc: "scf1", the length of a note and the note, Blosc blocks one
// after the other, an index of them, "1fcs". Blosc's own headers tell where each block ends, so the index is not
// needed.

#include <algorithm>
#include <cstring>

#include "files/formats.h"
#include "firn/error.h"

#ifdef FIRN_HAS_BLOSC
#include <blosc.h>
#endif

namespace firn {

bool is_blosc_container(const uint8_t* bytes, size_t size) {
    return size >= 4 && std::memcmp(bytes, "scf1", 4) == 0;
}

#ifndef FIRN_HAS_BLOSC

std::vector<uint8_t> unpack_blosc_container(const std::string& name, const uint8_t*, size_t) {
    throw Error(name + ": .bgeo.sc needs Blosc, and this Firn was built without it; save the file as .bgeo");
}

#else

std::vector<uint8_t> unpack_blosc_container(const std::string& name, const uint8_t* bytes, size_t size) {
    const auto fail = [&](size_t offset, const std::string& what) {
        throw Error(name + ": byte " + std::to_string(offset) + ": " + what);
    };
    if (size < 12) fail(size, "the file is cut short");
    uint64_t note;
    std::memcpy(&note, bytes + 4, 8);
    if (note > size - 12) fail(4, "the file is cut short: a note of " + std::to_string(note) + " bytes should follow");
    size_t offset = 12 + static_cast<size_t>(note);

    std::vector<uint8_t> result;
    while (size - offset >= BLOSC_MIN_HEADER_LENGTH) {
        size_t unpacked = 0, packed = 0, block = 0;
        if (bytes[offset] != BLOSC_VERSION_FORMAT) break;  // the index begins
        blosc_cbuffer_sizes(bytes + offset, &unpacked, &packed, &block);
        if (packed < BLOSC_MIN_HEADER_LENGTH) break;
        if (packed > size - offset)
            fail(offset, "the file is cut short: a block of " + std::to_string(packed) + " bytes should follow");
        // Blosc's checks, before memory is taken for what a header only claims.
        size_t checked = 0;
        if (blosc_cbuffer_validate(bytes + offset, packed, &checked) < 0 || unpacked > 4096 * packed)
            fail(offset, "a damaged Blosc block");
        const size_t start = result.size();
        result.resize(start + unpacked);
        // The _ctx form uses no state of the process: safe beside other users of Blosc.
        const int done = blosc_decompress_ctx(bytes + offset, result.data() + start, unpacked, 1);
        if (done < 0 || static_cast<size_t>(done) != unpacked) fail(offset, "a damaged Blosc block");
        offset += packed;
    }
    if (result.empty()) fail(offset, "no Blosc block where the first should be");
    return result;
}

#endif

}  // namespace firn
