// Houdini's seekable container, the ".sc" of .bgeo.sc:
//
//     "scf1"
//     the length of a note (8 bytes, big-endian; 0 in Houdini's files), and the note
//     Blosc blocks, one after the other, each of them a megabyte of the file inside; the last one is shorter
//     the index, 8 bytes each, big-endian: where each block but the first begins, counted from behind the note;
//     how many bytes a block unpacks to, and how many the last one
//     the length of the index (8 bytes, big-endian), "1fcs"
//
// For reading, Blosc's own headers tell where each block ends, so the index is not needed. The layout of the index is
// that of two public programs which do not share code: a reader of Houdini's files, and a writer whose files Houdini 22
// reads.

#include <algorithm>
#include <cstring>

#include "files/blosc_block.h"
#include "files/file_error.h"
#include "files/formats.h"
#include "files/output.h"
#include "firn/error.h"

namespace firn {

namespace {

constexpr size_t block_size = size_t{1} << 20;

void write_big_endian(Output& output, uint64_t value) {
    for (int shift = 56; shift >= 0; shift -= 8) output.value(static_cast<uint8_t>(value >> shift));
}

}  // namespace

void write_blosc_container(Output& output, const std::string& bytes) {
    output.write("scf1", 4);
    write_big_endian(output, 0);
    const uint8_t* inside = reinterpret_cast<const uint8_t*>(bytes.data());
    std::vector<uint64_t> begins;
    uint64_t written = 0;
    size_t last = 0;
    for (size_t done = 0; done < bytes.size(); done += last) {
        last = std::min(block_size, bytes.size() - done);
        const std::vector<uint8_t> block = blosc_pack(inside + done, last);
        if (done > 0) begins.push_back(written);
        output.write(block.data(), block.size());
        written += block.size();
    }
    for (const uint64_t begin : begins) write_big_endian(output, begin);
    write_big_endian(output, block_size);
    write_big_endian(output, last);
    write_big_endian(output, 8 * (begins.size() + 2));
    output.write("1fcs", 4);
}

bool is_blosc_container(const uint8_t* bytes, size_t size) {
    return size >= 4 && std::memcmp(bytes, "scf1", 4) == 0;
}

std::vector<uint8_t> unpack_blosc_container(const std::string& name, const uint8_t* bytes, size_t size, size_t most) {
    const auto fail = [&](size_t offset, const std::string& what) { fail_at(name, offset, what); };
    if (!has_blosc())
        throw Error(name + ": .bgeo.sc needs Blosc, and this Firn was built without it; save the file as .bgeo");
    if (size < 12) fail(size, "the file is cut short");
    uint64_t note = 0;
    for (size_t k = 4; k < 12; ++k) note = note << 8 | bytes[k];
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
