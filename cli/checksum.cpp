#include "checksum.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace firn {

void Checksum::add(const char* bytes, size_t size) {
    length_ += size;
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

}  // namespace firn
