// Classic .bgeo from any bytes.

#include <cstddef>
#include <cstdint>

#include "firn/error.h"
#include "firn/particle_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        firn::read_particles(data, size, "fuzz");
    } catch (const firn::Error&) {
        // What a damaged file deserves.
    }
    return 0;
}
