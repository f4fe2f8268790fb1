// .bgeo.gz: gzip around a .bgeo, which Houdini reads and writes as it is. RFC 1952.

#include <algorithm>
#include <cstring>

#include "files/file_error.h"
#include "files/formats.h"
#include "files/output.h"
#include "firn/error.h"

#ifdef FIRN_HAS_ZLIB
#include <zlib.h>
#endif

namespace firn {

bool is_gzip(const uint8_t* bytes, size_t size) {
    return size > 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

#ifdef FIRN_HAS_ZLIB

namespace {

constexpr int gzip_window = 15 + 16;  ///< zlib's word for a gzip header
/// What deflate can do at its best; a file that unpacks to more than so many times its size is damaged or hostile.
constexpr size_t most_unpacked = 1032;

}  // namespace

void write_gzip(Output& output, const std::string& bytes) {
    z_stream stream{};
    // Level 1: three times as fast as the usual one, and a few per cent larger.
    if (deflateInit2(&stream, 1, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw Error("not enough memory to compress");
    std::string packed(1 << 18, '\0');
    size_t done = 0;
    for (int state = Z_OK; state != Z_STREAM_END;) {
        // zlib counts in 32 bits.
        const size_t piece = std::min<size_t>(bytes.size() - done, size_t{1} << 30);
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + done));
        stream.avail_in = static_cast<uInt>(piece);
        const bool last = done + piece == bytes.size();
        do {
            stream.next_out = reinterpret_cast<Bytef*>(packed.data());
            stream.avail_out = static_cast<uInt>(packed.size());
            state = deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
            output.write(packed.data(), packed.size() - stream.avail_out);
        } while (stream.avail_out == 0 && state != Z_STREAM_END);
        done += piece;
    }
    deflateEnd(&stream);
}

std::vector<uint8_t> unpack_gzip(const std::string& name, const uint8_t* bytes, size_t size, size_t most) {
    z_stream stream{};
    if (inflateInit2(&stream, gzip_window) != Z_OK) throw Error(name + ": not enough memory to unpack it");
    std::vector<uint8_t> result;
    size_t done = 0;
    int state = Z_OK;
    while (state != Z_STREAM_END && result.size() < most) {
        const size_t piece = std::min<size_t>(size - done, size_t{1} << 20);
        stream.next_in = const_cast<Bytef*>(bytes + done);
        stream.avail_in = static_cast<uInt>(piece);
        const size_t before = result.size(), more = std::max<size_t>(1 << 16, 4 * piece);
        if (before + more > most_unpacked * size + (size_t{1} << 20)) {
            inflateEnd(&stream);
            fail_at(name, done, "unpacks to more than gzip can");
        }
        result.resize(before + more);
        stream.next_out = result.data() + before;
        stream.avail_out = static_cast<uInt>(more);
        state = inflate(&stream, Z_NO_FLUSH);
        result.resize(before + more - stream.avail_out);
        done += piece - stream.avail_in;
        const bool stuck = piece == 0 && stream.avail_out == more;
        if ((state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) || stuck) {
            inflateEnd(&stream);
            fail_at(name, done, stuck ? "the file is cut short" : "damaged gzip");
        }
    }
    inflateEnd(&stream);
    return result;
}

#else

void write_gzip(Output&, const std::string&) {
    throw Error(".bgeo.gz needs zlib, and this Firn was built without it; write .bgeo");
}

std::vector<uint8_t> unpack_gzip(const std::string& name, const uint8_t*, size_t, size_t) {
    throw Error(name + ": .bgeo.gz needs zlib, and this Firn was built without it; unpack it first (gunzip)");
}

#endif

}  // namespace firn
