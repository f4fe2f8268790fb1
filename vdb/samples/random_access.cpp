#include "samples/random_access.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "firn/error.h"

namespace firn {

RandomAccessFile::RandomAccessFile(const std::string& path)
    : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), size_(0) {
    struct stat facts;
    if (file_ < 0 || ::fstat(file_, &facts) != 0) {
        if (file_ >= 0) ::close(file_);
        throw Error(path + ": can't be opened for reading");
    }
    size_ = static_cast<uint64_t>(facts.st_size);
}

RandomAccessFile::~RandomAccessFile() {
    ::close(file_);
}

size_t RandomAccessFile::read(uint64_t at, char* bytes, size_t count) const {
    const size_t wanted = static_cast<size_t>(std::min<uint64_t>(count, at < size_ ? size_ - at : 0));
    for (size_t got = 0; got < wanted;) {
        const ssize_t more = ::pread(file_, bytes + got, wanted - got, static_cast<off_t>(at + got));
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) throw Error(path_ + ": can't be read to its end");
        got += static_cast<size_t>(more);
    }
    return wanted;
}

std::string_view CachedBytes::bytes(uint64_t at, size_t count) {
    const uint64_t number = at / block_bytes;
    Block& block = blocks_[number % block_count];
    if (block.number != number) {
        block.number = ~uint64_t(0);
        block.bytes.resize(block_bytes + longest);
        block.count = file_.read(number * block_bytes, block.bytes.data(), block.bytes.size());
        block.number = number;
    }
    const size_t within = static_cast<size_t>(at % block_bytes);
    if (within >= block.count) return {};
    return {block.bytes.data() + within, std::min(count, block.count - within)};
}

}  // namespace firn
