// LD_PRELOAD: lets one of a program's system calls that change files fail, or kills the program there. A write that
// fails has written half of its bytes.
//   FIRN_ATTACK_AT=N        which call, counted from 1; 0 = none
//   FIRN_ATTACK_HOW=KILL    or ENOSPC, EIO
//   FIRN_ATTACK_STAYS=1     every later call fails too, as on a disk that stays full
//   FIRN_ATTACK_COUNT=FILE  gets the number of calls when the program ends
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Plan {
    long at = 0;
    bool kills = false, stays = false;
    int reason = 0;

    Plan() {
        const char* given_at = std::getenv("FIRN_ATTACK_AT");
        const char* how = std::getenv("FIRN_ATTACK_HOW");
        at = given_at ? std::atol(given_at) : 0;
        stays = std::getenv("FIRN_ATTACK_STAYS") != nullptr;
        kills = how && std::strcmp(how, "KILL") == 0;
        reason = how && std::strcmp(how, "EIO") == 0 ? EIO : ENOSPC;
    }
};

const Plan& plan() {
    static const Plan the_plan;
    return the_plan;
}

std::atomic<long> calls{0};

bool is_next() {
    const long number = ++calls;
    return plan().at > 0 && (number == plan().at || (plan().stays && number > plan().at));
}

int fail() {
    if (plan().kills) ::kill(::getpid(), SIGKILL);
    errno = plan().reason;
    return -1;
}

bool is_file(int file) {
    struct stat about {};
    return file > 2 && ::fstat(file, &about) == 0 && S_ISREG(about.st_mode);
}

template <class Function>
Function real(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

struct Counter {
    ~Counter() {
        const char* path = std::getenv("FIRN_ATTACK_COUNT");
        if (!path) return;
        if (std::FILE* file = std::fopen(path, "w")) {
            std::fprintf(file, "%ld\n", calls.load());
            std::fclose(file);
        }
    }
} counter;

int opened(const char* name, const char* path, int flags, mode_t mode) {
    if ((flags & O_ACCMODE) != O_RDONLY && is_next()) return fail();
    return real<int (*)(const char*, int, ...)>(name)(path, flags, mode);
}

mode_t mode_of(int flags, va_list arguments) {
    return (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return opened("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return opened("open64", path, flags, mode);
}

ssize_t write(int file, const void* bytes, size_t size) {
    const auto really = real<ssize_t (*)(int, const void*, size_t)>("write");
    if (!is_file(file) || !is_next()) return really(file, bytes, size);
    if (really(file, bytes, size / 2) < 0) return -1;
    return fail();
}

ssize_t writev(int file, const struct iovec* parts, int count) {
    const auto really = real<ssize_t (*)(int, const struct iovec*, int)>("writev");
    if (!is_file(file) || !is_next()) return really(file, parts, count);
    if (really(file, parts, count / 2) < 0) return -1;
    return fail();
}

int fsync(int file) {
    return is_next() ? fail() : real<int (*)(int)>("fsync")(file);
}

int fdatasync(int file) {
    return is_next() ? fail() : real<int (*)(int)>("fdatasync")(file);
}

int ftruncate(int file, off_t size) noexcept {
    return is_next() ? fail() : real<int (*)(int, off_t)>("ftruncate")(file, size);
}

int rename(const char* from, const char* to) noexcept {
    return is_next() ? fail() : real<int (*)(const char*, const char*)>("rename")(from, to);
}

int mkdir(const char* path, mode_t mode) noexcept {
    return is_next() ? fail() : real<int (*)(const char*, mode_t)>("mkdir")(path, mode);
}

int remove(const char* path) noexcept {
    return is_next() ? fail() : real<int (*)(const char*)>("remove")(path);
}

}  // extern "C"
