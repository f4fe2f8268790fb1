#pragma once
// Fake of <UT/UT_IStream.h>: https://www.sidefx.com/docs/hdk/class_u_t___i_stream.html
// Over bytes in memory.

#include <SYS/SYS_Types.h>
#include <UT/UT_API.h>
#include <UT/UT_WorkBuffer.h>

#include <string>

enum UT_ISTREAM_READTYPE { UT_ISTREAM_ASCII, UT_ISTREAM_BINARY };

class UT_API UT_IStream {
public:
    UT_IStream(const char* buffer, size_t bufsize, UT_ISTREAM_READTYPE) : bytes_(buffer, bufsize) {}
    UT_IStream(const UT_IStream&) = delete;
    UT_IStream& operator=(const UT_IStream&) = delete;
    virtual ~UT_IStream() = default;

    /// How many could be read.
    exint bread(char* buffer, exint asize = 1);
    /// Without its end; false after the last.
    bool getLine(UT_WorkBuffer& line) {
        line.clear();
        if (isEof()) return false;
        for (char c; at_ < bytes_.size() && (c = bytes_[at_++]) != '\n';) line.append(c);
        return true;
    }
    exint tellg() const { return static_cast<exint>(at_); }
    bool isEof() const { return at_ == bytes_.size(); }
    bool isError() const { return error_; }

private:
    std::string bytes_;
    size_t at_ = 0;
    bool error_ = false;
};
