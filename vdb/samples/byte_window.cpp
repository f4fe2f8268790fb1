#include "samples/byte_window.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "firn/error.h"

namespace firn {

namespace {

constexpr size_t window_bytes = size_t(1) << 20;

}  // namespace

ByteWindow::ByteWindow(std::string_view bytes)
    : at(bytes.data()), end(bytes.data() + bytes.size()), size_(bytes.size()) {}

ByteWindow ByteWindow::of_file(const std::string& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) throw Error(path + ": there is no such file");
    if (!std::filesystem::is_regular_file(status)) throw Error(path + ": not a file");
    ByteWindow window{std::string_view()};
    window.size_ = window.unread_ = std::filesystem::file_size(path, error);
    window.file_.open(path, std::ios::binary);
    if (error || !window.file_) throw Error(path + ": can't be opened for reading");
    window.path_ = path;
    return window;
}

bool ByteWindow::moved_on(size_t count) {
    const size_t kept = static_cast<size_t>(end - at);
    const size_t more = static_cast<size_t>(std::min<uint64_t>(unread_, std::max(window_bytes, 2 * count) - kept));
    if (more == 0) return false;
    // A word may be longer than a window: twice as long, so that it is not copied for each of its characters.
    if (kept + more > buffer_.size()) {
        std::string larger(kept + more, '\0');
        std::copy(at, end, larger.begin());
        buffer_ = std::move(larger);
    } else {
        std::memmove(buffer_.data(), at, kept);
    }
    file_.read(buffer_.data() + kept, static_cast<std::streamsize>(more));
    if (static_cast<size_t>(file_.gcount()) != more) throw Error(path_ + ": can't be read to its end");
    unread_ -= more;
    at = buffer_.data();
    end = at + kept + more;
    return kept + more >= count;
}

}  // namespace firn
