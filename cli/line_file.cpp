#include "line_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "checksum.h"
#include "firn/error.h"

namespace firn {

namespace {

constexpr char sum_key[] = ",\"line_sum\":\"";
constexpr size_t digits = 16;

std::string sum_of(const std::string& object) {
    Checksum sum;
    sum.add(object.data(), object.size());
    return sum.text();
}

class OpenFile {
public:
    OpenFile(const std::string& path, int flags)
        : path_(path), file_(::open(path.c_str(), flags | O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666)) {
        if (file_ < 0) throw Error(path + ": can't be opened: " + std::strerror(errno));
        // A pipe that nobody reads takes some lines, and then no more.
        struct stat facts {};
        if (::fstat(file_, &facts) != 0 || !S_ISREG(facts.st_mode)) {
            ::close(file_);
            throw Error(path + ": is a pipe or a device, not a file; move it away");
        }
        // A file system that knows no locks has nobody to wait for.
        while (::flock(file_, LOCK_EX) != 0 && errno == EINTR) {
        }
    }
    ~OpenFile() {
        if (file_ >= 0) ::close(file_);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    off_t size() const { return ::lseek(file_, 0, SEEK_END); }
    bool ends_whole() const {
        const off_t end = size();
        char last = '\n';
        if (end > 0 && ::pread(file_, &last, 1, end - 1) != 1) return false;
        return last == '\n';
    }
    void empty() const { check(::ftruncate(file_, 0) == 0); }
    void write(const std::string& text) const {
        for (size_t done = 0; done < text.size();) {
            const ssize_t count = ::write(file_, text.data() + done, text.size() - done);
            if (count < 0 && errno == EINTR) continue;
            check(count > 0);
            done += static_cast<size_t>(count);
        }
    }
    void reach_the_disk() const { check(::fdatasync(file_) == 0 || errno == EINVAL || errno == ENOTSUP); }
    void close() {
        const int file = file_;
        file_ = -1;
        check(::close(file) == 0);
    }

private:
    void check(bool good) const {
        if (!good) throw Error(path_ + ": can't be written: " + std::strerror(errno));
    }

    const std::string& path_;
    int file_;
};

}  // namespace

void append_lines(const std::string& path, const std::string& lines, const std::string& first_line, bool durable) {
    OpenFile file(path, first_line.empty() ? 0 : O_CREAT);
    const bool whole = file.ends_whole();
    // A first line that was torn is the only one.
    if (!whole && file.size() < static_cast<off_t>(first_line.size())) file.empty();
    const char* gap = whole || file.size() == 0 ? "" : "\n";
    file.write((file.size() == 0 ? first_line : gap) + lines);
    if (durable) file.reach_the_disk();
    file.close();
}

std::string with_sum(const std::string& object) {
    return object.substr(0, object.size() - 1) + sum_key + sum_of(object) + "\"}";
}

LineSum check_sum(const std::string& line) {
    if (line.rfind("line_sum") == std::string::npos) return LineSum::none;
    const size_t tail = sizeof sum_key - 1 + digits + 2;
    if (line.size() <= tail || line.compare(line.size() - tail, sizeof sum_key - 1, sum_key) != 0)
        return LineSum::wrong;
    const std::string object = line.substr(0, line.size() - tail) + "}";
    const bool same = line.compare(line.size() - digits - 2, std::string::npos, sum_of(object) + "\"}") == 0;
    return same ? LineSum::right : LineSum::wrong;
}

}  // namespace firn
