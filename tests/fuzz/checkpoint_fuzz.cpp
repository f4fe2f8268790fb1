// A checkpoint of any bytes is read, or refused with an Error. The checksum would hide everything behind it, so the
// first byte says whether it is put right before the reader sees it.
#include <cstdint>
#include <cstring>
#include <string>

#include "checkpoint.h"
#include "firn/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < 1) return 0;
    std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (data[0] & 1) firn::seal_checkpoint(bytes);
    try {
        firn::parse_checkpoint(bytes.data(), bytes.size(), "fuzz.firn");
    } catch (const firn::Error&) {
    }
    return 0;
}
