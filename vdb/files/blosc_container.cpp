// Houdini's seekable container, the ".sc" of .bgeo.sc: "scf1", the length of a note and the note, Blosc blocks one
// after the other, an index of them, "1fcs". Blosc's own headers tell where each block ends, so the index is not
// needed.

#include <cstring>

#include "files/blosc_block.h"
#include "files/file_error.h"
#include "files/formats.h"
#include "firn/error.h"

namespace firn {

bool is_blosc_container(const uint8_t* bytes, size_t size) {
    return size >= 4 && std::memcmp(bytes, "scf1", 4) == 0;
}

std::vector<uint8_t> unpack_blosc_container(const std::string& name, const uint8_t* bytes, size_t size, size_t most) {
    const auto fail = [&](size_t offset, const std::string& what) { fail_at(name, offset, what); };
    if (!has_blosc())
        throw Error(name + ": .bgeo.sc needs Blosc, and this Firn was built without it; save the file as .bgeo");
    if (size < 12) fail(size, "the file is cut short");
    uint64_t note;
    std::memcpy(&note, bytes + 4, 8);
    if (note > size - 12) fail(4, "the file is cut short: a note of " + std::to_string(note) + " bytes should follow");
    size_t offset = 12 + static_cast<size_t>(note);

    std::vector<uint8_t> result;
    BloscHeader header;
    // What is no block is the index.
    while (result.size() < most && blosc_header(bytes + offset, size - offset, header)) {
        if (header.packed > size - offset)
            fail(offset, "the file is cut short: a block of " + std::to_string(header.packed) + " bytes should follow");
        if (!blosc_unpack(bytes + offset, static_cast<size_t>(header.packed), result))
            fail(offset, "a damaged Blosc block");
        offset += static_cast<size_t>(header.packed);
    }
    if (result.empty()) fail(offset, "no Blosc block where the first should be");
    return result;
}

}  // namespace firn
