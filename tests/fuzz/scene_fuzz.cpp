// A scene file of any bytes is read, or refused with an Error.
#include <cstdint>
#include <string>

#include "firn/error.h"
#include "scene.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    // What stands before the first zero byte is the file, what comes after it a --set.
    std::string text(reinterpret_cast<const char*>(data), size);
    std::vector<std::string> overrides;
    const size_t zero = text.find('\0');
    if (zero != std::string::npos) {
        overrides.push_back(text.substr(zero + 1));
        text.resize(zero);
    }
    try {
        firn::parse_scene(text, "fuzz.toml", overrides);
    } catch (const firn::Error&) {
    }
    return 0;
}
