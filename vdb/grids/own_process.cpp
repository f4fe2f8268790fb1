#include "own_process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "firn/error.h"
#include "firn/short_token.h"

namespace firn {

namespace {

constexpr char answer_follows = 'a', error_follows = 'e';
constexpr unsigned seconds_allowed = 600;
// What a file may unfold to. A leaf costs 130 bytes in the file at the very least (two masks and a flag), and 12,300 as
// 512 vectors of doubles, the largest there are: 95 times that.
constexpr double unfolds_to = 128, bytes_besides = 512e6;

/// Bytes of address space that this process has taken so far. Little of it need be memory: sanitizers reserve
/// terabytes.
double address_space() {
    double pages = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%lf", &pages) != 1) pages = 0;
        std::fclose(file);
    }
    return pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

/// Lengths in a hostile file can ask for all the memory of the machine; then others would be killed for it.
void limit_memory(uint64_t file_bytes) {
    const double taken = address_space();
    if (taken == 0) return;
    const rlim_t most = static_cast<rlim_t>(taken + bytes_besides + unfolds_to * static_cast<double>(file_bytes));
    rlimit space{};
    if (::getrlimit(RLIMIT_AS, &space) != 0) return;
    space.rlim_cur = std::min({most, space.rlim_cur, space.rlim_max});
    ::setrlimit(RLIMIT_AS, &space);
}

void write_all(int pipe, const std::string& text) {
    for (size_t done = 0; done < text.size();) {
        const ssize_t now = ::write(pipe, text.data() + done, text.size() - done);
        if (now < 0 && errno == EINTR) continue;
        if (now <= 0) return;
        done += static_cast<size_t>(now);
    }
}

[[noreturn]] void do_alone(uint64_t file_bytes, const std::function<std::string()>& work, int pipe) {
    // A file that sends the reader into a loop, or asks for more memory than it can need, ends this process only.
    ::alarm(seconds_allowed);
    rlimit core{0, 0};
    ::setrlimit(RLIMIT_CORE, &core);
    limit_memory(file_bytes);
    std::string answer;
    try {
        // Threads don't survive a fork: one arena without any.
        tbb::task_arena alone(1);
        alone.execute([&] { answer = answer_follows + work(); });
    } catch (const std::exception& error) {
        answer = error_follows + std::string(error.what());
    }
    write_all(pipe, answer);
    ::_exit(0);
}

}  // namespace

uint64_t bytes_of_file(const std::string& path) {
    struct stat facts {};
    return ::stat(path.c_str(), &facts) == 0 ? static_cast<uint64_t>(facts.st_size) : 0;
}

std::string in_own_process(const std::string& file, uint64_t file_bytes, const std::function<std::string()>& work) {
    int ends[2];
    if (::pipe(ends) != 0) throw Error(file + ": can't be read in a process of its own: " + std::strerror(errno));
    const pid_t child = ::fork();
    if (child < 0) {
        const int reason = errno;
        ::close(ends[0]);
        ::close(ends[1]);
        throw Error(file + ": can't be read in a process of its own: " + std::strerror(reason));
    }
    if (child == 0) {
        ::close(ends[0]);
        // What OpenVDB and the C library print about a damaged file is of no use to anyone. The buffers of this process
        // are copies of the caller's, and must not reach its output a second time either.
        const int nowhere = ::open("/dev/null", O_WRONLY);
        if (nowhere < 0 || ::dup2(nowhere, STDOUT_FILENO) < 0 || ::dup2(nowhere, STDERR_FILENO) < 0) ::_exit(1);
        do_alone(file_bytes, work, ends[1]);
    }
    ::close(ends[1]);
    std::string answer;
    char buffer[65536];
    for (;;) {
        const ssize_t now = ::read(ends[0], buffer, sizeof buffer);
        if (now < 0 && errno == EINTR) continue;
        if (now <= 0) break;
        answer.append(buffer, static_cast<size_t>(now));
    }
    ::close(ends[0]);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const bool ended_well = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !answer.empty();
    if (!ended_well) throw Error(file + ": is damaged: OpenVDB can't read it; write it again");
    const bool is_error = answer[0] == error_follows;
    answer.erase(0, 1);
    if (!is_error) return answer;
    // Errors of ours begin with the file's name; what else it is, a library said.
    if (answer.compare(0, file.size(), file) == 0) throw Error(answer);
    throw Error(file + ": can't be read: " + library_words(answer));
}

}  // namespace firn
