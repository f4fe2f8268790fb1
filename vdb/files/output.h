#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace firn {

/// Bytes on their way into a file (or a text), in large blocks. Every failure (a full disk) is an Error that names the
/// path.
class Output {
public:
    /// Opens `temporary` for writing; errors speak of `path`, the name that the file will have.
    Output(const std::string& temporary, std::string path);
    /// Appends to `text` instead, which must outlive this.
    explicit Output(std::string& text);
    ~Output();
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void write(const void* data, size_t bytes);
    void write(const std::string& text) { write(text.data(), text.size()); }
    template <typename T>
    void value(const T& value) {
        write(&value, sizeof(T));
    }
    /// Everything is handed to the system. Without it the file counts as unfinished.
    void close();

private:
    [[noreturn]] void fail() const;
    void flush();

    std::string path_;
    int file_ = -1;
    std::string* text_ = nullptr;
    std::vector<char> buffer_;
    size_t used_ = 0;
};

}  // namespace firn
