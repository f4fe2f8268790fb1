// The two files of a run that are read line by line, its manifest and its log: any bytes are read, or refused with an
// Error.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "firn/error.h"
#include "manifest.h"
#include "run_log.h"

namespace {

/// Both are read from a folder.
struct Folder {
    std::filesystem::path path = std::filesystem::temp_directory_path() / ("firn_fuzz_" + std::to_string(::getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const Folder folder;
    const std::string file = (folder.path / "manifest.jsonl").string();
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    try {
        const firn::Manifest manifest(folder.path.string());
        for (const std::string& named : manifest.files())
            if (std::filesystem::path(named).lexically_normal().string().rfind(folder.path.string(), 0) != 0)
                std::abort();
    } catch (const firn::Error&) {
    }
    try {
        firn::read_run_log(file);
    } catch (const firn::Error&) {
    }
    return 0;
}
