// A checkpoint of any bytes is read, or refused with an Error. Everything is read before the checksum is compared, so
// that it hides nothing.
#include <cstdint>

#include "checkpoint.h"
#include "firn/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        firn::parse_checkpoint(reinterpret_cast<const char*>(data), size, "fuzz.bgeo");
    } catch (const firn::Error&) {
    }
    return 0;
}
