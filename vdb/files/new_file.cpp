#include "firn/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
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

/// So that a crash of the machine can't leave an empty file under the final name.
void flush_to_disk(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) fail(path, "can't be opened again", std::strerror(errno));
    const int result = ::fsync(file);
    const int reason = errno;
    ::close(file);
    // Some network file systems don't know fsync; the write itself was checked by whoever wrote.
    if (result != 0 && reason != EINVAL && reason != EROFS && reason != ENOTSUP) {
        fail(path, "can't be written", std::strerror(reason));
    }
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
    static std::atomic<unsigned> counter{0};
    const std::filesystem::path target(path_);
    if (!target.has_filename()) fail(path_, "can't be written", "it names a folder, not a file");
    const std::filesystem::path folder = target.parent_path();
    if (!folder.empty()) {
        std::error_code error;
        std::filesystem::create_directories(folder, error);
        if (error) fail(folder.string(), "can't make this folder", error.message());
    }
    // Farm machines share a folder, and their process numbers may be equal.
    temporary_ = (folder / ("." + target.filename().string() + "." + process_home() + "." + std::to_string(::getpid()) +
                            "." + std::to_string(counter++) + ".part"))
                     .string();
}

NewFile::~NewFile() {
    if (!committed_) ::unlink(temporary_.c_str());
}

void NewFile::commit() {
    flush_to_disk(temporary_);
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, "can't be written", std::strerror(errno));
    committed_ = true;
}

}  // namespace firn
