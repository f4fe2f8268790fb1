#include "firn/regular_file.h"

#include <filesystem>

#include "firn/error.h"

namespace firn {

namespace {

const char* kind_of(std::filesystem::file_type type) {
    switch (type) {
        case std::filesystem::file_type::directory:
            return "a folder";
        case std::filesystem::file_type::fifo:
            return "a pipe";
        case std::filesystem::file_type::socket:
            return "a socket";
        default:
            return "a device";
    }
}

}  // namespace

void require_regular_file(const std::string& path) {
    std::error_code unknown;
    const std::filesystem::file_status status = std::filesystem::status(path, unknown);
    if (!std::filesystem::status_known(status) || !std::filesystem::exists(status) ||
        std::filesystem::is_regular_file(status))
        return;
    throw Error(path + ": is " + kind_of(status.type()) + ", not a file; move it away, or name another");
}

}  // namespace firn
