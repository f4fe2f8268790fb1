#include "files/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "firn/error.h"

namespace firn {

Output::Output(const std::string& temporary, std::string path) : path_(std::move(path)), buffer_(size_t{1} << 20) {
    file_ = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) fail();
}

Output::Output(std::string& text) : text_(&text), buffer_(size_t{1} << 20) {}

Output::~Output() {
    if (file_ >= 0) ::close(file_);
}

void Output::write(const void* data, size_t bytes) {
    if (bytes == 0) return;
    const char* from = static_cast<const char*>(data);
    while (bytes > 0) {
        const size_t part = std::min(bytes, buffer_.size() - used_);
        std::memcpy(buffer_.data() + used_, from, part);
        used_ += part;
        from += part;
        bytes -= part;
        if (used_ == buffer_.size()) flush();
    }
}

void Output::flush() {
    if (text_) {
        text_->append(buffer_.data(), used_);
        used_ = 0;
        return;
    }
    for (size_t done = 0; done < used_;) {
        const ssize_t written = ::write(file_, buffer_.data() + done, used_ - done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail();
        done += static_cast<size_t>(written);
    }
    used_ = 0;
}

void Output::close() {
    flush();
    if (text_) return;
    const int file = file_;
    file_ = -1;
    if (::close(file) != 0) fail();
}

void Output::fail() const {
    throw Error(path_ + ": can't be written: " + std::strerror(errno));
}

}  // namespace firn
