#include "files/blosc_block.h"

#include "firn/error.h"

#ifdef FIRN_HAS_BLOSC
#include <blosc.h>
#endif

namespace firn {

#ifdef FIRN_HAS_BLOSC

bool has_blosc() {
    return true;
}

bool blosc_header(const uint8_t* bytes, size_t size, BloscHeader& header) {
    if (size < BLOSC_MIN_HEADER_LENGTH || bytes[0] != BLOSC_VERSION_FORMAT) return false;
    size_t unpacked = 0, packed = 0, block = 0;
    blosc_cbuffer_sizes(bytes, &unpacked, &packed, &block);
    header = {unpacked, packed};
    return packed >= BLOSC_MIN_HEADER_LENGTH;
}

std::vector<uint8_t> blosc_pack(const uint8_t* bytes, size_t size) {
    std::vector<uint8_t> block(size + BLOSC_MAX_OVERHEAD);
    // The form with a context, as below.
    const int packed =
        blosc_compress_ctx(5, BLOSC_SHUFFLE, 4, size, bytes, block.data(), block.size(), BLOSC_LZ4_COMPNAME, 0, 1);
    if (packed <= 0) throw Error("Blosc can't compress: this build of it has no LZ4; write .bgeo.gz or .bgeo");
    block.resize(static_cast<size_t>(packed));
    return block;
}

bool blosc_unpack(const uint8_t* bytes, size_t size, std::vector<uint8_t>& result) {
    BloscHeader header;
    if (!blosc_header(bytes, size, header) || header.packed > size) return false;
    size_t checked = 0;
    if (blosc_cbuffer_validate(bytes, header.packed, &checked) < 0 || checked != header.unpacked) return false;
    // The best that its compressors do on zeros; a header that claims more is not believed.
    if (header.unpacked > 4096 * header.packed) return false;
    const size_t start = result.size();
    result.resize(start + header.unpacked);
    // The form with a context uses no state of the process: safe beside other users of Blosc.
    const int done = blosc_decompress_ctx(bytes, result.data() + start, header.unpacked, 1);
    return done >= 0 && static_cast<uint64_t>(done) == header.unpacked;
}

#else

bool has_blosc() {
    return false;
}

bool blosc_header(const uint8_t*, size_t, BloscHeader&) {
    return false;
}

std::vector<uint8_t> blosc_pack(const uint8_t*, size_t) {
    throw Error(".bgeo.sc needs Blosc, and this Firn was built without it; write .bgeo.gz or .bgeo");
}

bool blosc_unpack(const uint8_t*, size_t, std::vector<uint8_t>&) {
    return false;
}

#endif

}  // namespace firn
