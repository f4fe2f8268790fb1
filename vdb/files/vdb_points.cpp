#include <cstring>

#include "files/formats.h"
#include "firn/error.h"

namespace firn {

bool is_vdb(const uint8_t* bytes, size_t size) {
    const uint8_t magic[] = {0x20, 0x42, 0x44, 0x56};
    return size >= 4 && std::memcmp(bytes, magic, 4) == 0;
}

ParticleFile read_vdb_points(const std::string& name, const uint8_t*, size_t) {
    throw Error(name + ": point grids are not read yet");
}

void write_vdb_points(const std::string&, const std::string& path, const ParticleFile&) {
    throw Error(path + ": point grids are not written yet");
}

}  // namespace firn
