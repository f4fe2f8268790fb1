#include "files/blosc_block.h"

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

bool blosc_unpack(const uint8_t*, size_t, std::vector<uint8_t>&) {
    return false;
}

#endif

}  // namespace firn
