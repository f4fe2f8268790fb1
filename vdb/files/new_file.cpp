#include "firn/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "firn/error.h"

namespace firn {

namespace {

[[noreturn]] void fail(const std::string& path, const char* what, const std::string& reason) {
    throw Error(path + ": " + what + ": " + reason);
}

/// 64 random bits. Whoever could tell a temporary name in advance could plant a link there, in a folder that all may
/// write to.
std::string random_name(const std::string& path) {
    uint64_t bits = 0;
    if (::getentropy(&bits, sizeof bits) != 0) fail(path, "no random name for it", std::strerror(errno));
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(bits));
    return text;
}

}  // namespace

std::string process_home() {
    char host[64] = "";
    ::gethostname(host, sizeof(host) - 1);
    constexpr ino_t outermost = 0xEFFFFFFCu;  // Linux: PROC_PID_INIT_INO
    struct stat space {};
    if (::stat("/proc/self/ns/pid", &space) != 0 || space.st_ino == outermost) return host;
    return std::string(host) + "-" + std::to_string(space.st_ino);
}

NewFile::NewFile(std::string path) : path_(std::move(path)) {
    const std::filesystem::path target(path_);
    if (!target.has_filename()) fail(path_, "can't be written", "it names a folder, not a file");
    const std::filesystem::path folder = target.parent_path();
    if (!folder.empty()) {
        std::error_code error;
        std::filesystem::create_directories(folder, error);
        if (error) fail(folder.string(), "can't make this folder", error.message());
    }
    // Farm machines share a folder, and their process numbers may be equal.
    const std::string process = std::to_string(::getpid());
    name_ = (folder / ("." + target.filename().string() + "." + process_home() + "." + process + "." +
                       random_name(path_) + ".part"))
                .string();
    file_ = ::open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file_ < 0) fail(path_, "can't be written", std::strerror(errno));
    // Libraries open files by name. This one is the open file itself, whatever becomes of the name in the folder.
    temporary_ = "/proc/" + process + "/fd/" + std::to_string(file_);
    if (::access(temporary_.c_str(), W_OK) != 0) temporary_ = name_;
}

NewFile::~NewFile() {
    ::close(file_);
    if (!committed_) ::unlink(name_.c_str());
}

void NewFile::commit() {
    // So that a crash of the machine can't leave an empty file under the final name. Some network file systems don't
    // know fsync; the write itself was checked by whoever wrote.
    if (::fsync(file_) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
        fail(path_, "can't be written", std::strerror(errno));
    if (std::rename(name_.c_str(), path_.c_str()) != 0) fail(path_, "can't be written", std::strerror(errno));
    committed_ = true;
}

}  // namespace firn
