#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace firn {

/// A file's bytes through a window that moves on, so that a large file is never in memory as a whole; or bytes that
/// are in memory already. What was read before `at` is forgotten when the window moves: pointers and views into it
/// hold until the next call of has().
class ByteWindow {
public:
    explicit ByteWindow(std::string_view bytes);
    /// Throws Error for what can't be opened, and later for what can't be read to its end.
    static ByteWindow of_file(const std::string& path);

    const char* at;   ///< the next byte; moved by the reader
    const char* end;  ///< of the window

    /// Whether there are so many bytes from `at` on; they are then in the window.
    bool has(size_t count) { return static_cast<size_t>(end - at) >= count || moved_on(count); }
    uint64_t size() const { return size_; }
    uint64_t consumed() const { return size_ - unread_ - static_cast<uint64_t>(end - at); }

private:
    bool moved_on(size_t count);

    uint64_t size_;        ///< of all
    uint64_t unread_ = 0;  ///< bytes of the file behind the window
    std::string path_;
    std::ifstream file_;
    std::string buffer_;
};

}  // namespace firn
