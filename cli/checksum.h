#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace firn {

/// Of eight bytes at a time; finds damage, does not keep out forgers.
class Checksum {
public:
    void add(const char* bytes, size_t size);
    /// Of all that was added; the last word.
    uint64_t value();
    /// The same in sixteen hexadecimal digits.
    std::string text();

private:
    void take();

    uint64_t sum_ = 0x243f6a8885a308d3ull, length_ = 0;
    char word_[8] = {};
    size_t filled_ = 0;
};

struct FileSum {
    bool readable = false;  ///< to its end
    uint64_t size = 0;      ///< bytes
    std::string sum;
};

/// Of what is in a file.
FileSum sum_of_file(const std::string& path);

}  // namespace firn
