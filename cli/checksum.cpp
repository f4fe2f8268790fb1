#include "checksum.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

namespace firn {

void Checksum::add(const char* bytes, size_t size) {
    length_ += size;
    for (; filled_ == 0 && size >= 8; bytes += 8, size -= 8) {
        std::memcpy(word_, bytes, 8);
        take();
    }
    while (size > 0) {
        const size_t part = std::min(size, 8 - filled_);
        std::memcpy(word_ + filled_, bytes, part);
        filled_ += part;
        bytes += part;
        size -= part;
        if (filled_ == 8) take();
    }
}

uint64_t Checksum::value() {
    if (filled_ > 0) {
        std::memset(word_ + filled_, 0, 8 - filled_);
        take();
    }
    return (sum_ ^ length_) * 0x9e3779b97f4a7c15ull;
}

void Checksum::take() {
    uint64_t word;
    std::memcpy(&word, word_, 8);
    sum_ = (sum_ ^ (word * 0xbf58476d1ce4e5b9ull));
    sum_ = ((sum_ << 27) | (sum_ >> 37)) * 0x94d049bb133111ebull + 0x52dce729;
    filled_ = 0;
}

std::string Checksum::text() {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value()));
    return digits;
}

FileSum sum_of_file(const std::string& path) {
    FileSum found;
    // To open a pipe would wait for a writer.
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) return found;
    std::ifstream file(path, std::ios::binary);
    Checksum checksum;
    std::vector<char> block(1 << 18);
    while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
        checksum.add(block.data(), static_cast<size_t>(file.gcount()));
        found.size += static_cast<uint64_t>(file.gcount());
    }
    found.readable = file.is_open() && file.eof() && !file.bad();
    found.sum = checksum.text();
    return found;
}

}  // namespace firn
