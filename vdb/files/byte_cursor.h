#pragma once

#include <cstdint>

#include "files/file_error.h"

namespace firn {

/// A place in a file in memory, which it doesn't own. Asking for more than there is throws Error.
class ByteCursor {
public:
    ByteCursor(const uint8_t* bytes, size_t size, const std::string& name) : bytes_(bytes), size_(size), name_(name) {}

    [[noreturn]] void fail(size_t offset, const std::string& what) const { fail_at(name_, offset, what); }
    const uint8_t* take(uint64_t count) {
        if (count > size_ - offset_)
            fail(offset_, "the file is cut short: " + std::to_string(count) + " bytes should follow, there are " +
                              std::to_string(size_ - offset_));
        const uint8_t* begin = bytes_ + offset_;
        offset_ += static_cast<size_t>(count);
        return begin;
    }

protected:
    const uint8_t* bytes_;
    size_t size_, offset_ = 0;
    std::string name_;
};

}  // namespace firn
