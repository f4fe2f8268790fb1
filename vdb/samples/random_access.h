#pragma once

// A file's bytes at any place, for those who look at a huge file here and there.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace firn {

class RandomAccessFile {
public:
    /// Throws Error for what can't be opened.
    explicit RandomAccessFile(const std::string& path);
    ~RandomAccessFile();
    RandomAccessFile(const RandomAccessFile&) = delete;
    RandomAccessFile& operator=(const RandomAccessFile&) = delete;

    uint64_t size() const { return size_; }
    /// As many of the bytes from `at` on as there are; fewer at the end of the file only. Many threads may read at
    /// once. Throws Error for what can't be read.
    size_t read(uint64_t at, char* bytes, size_t count) const;

private:
    std::string path_;
    int file_;
    uint64_t size_;
};

/// What was read last stays in memory, in small blocks: places that are looked at one after the other are often near
/// each other, and where they are not, little is read for each. For one thread.
class CachedBytes {
public:
    static constexpr size_t longest = 256;  ///< bytes, that can be asked for

    explicit CachedBytes(const RandomAccessFile& file) : file_(file), blocks_(block_count) {}
    /// The bytes from `at` on, fewer at the end of the file only; they hold until the next call.
    std::string_view bytes(uint64_t at, size_t count);

private:
    static constexpr size_t block_bytes = 1024, block_count = 1024;
    struct Block {
        uint64_t number = ~uint64_t(0);
        size_t count = 0;
        std::vector<char> bytes;  ///< those of the block, and `longest` behind it
    };
    const RandomAccessFile& file_;
    std::vector<Block> blocks_;
};

}  // namespace firn
