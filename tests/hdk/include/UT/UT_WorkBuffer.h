#pragma once
// Fake of <UT/UT_WorkBuffer.h>: https://www.sidefx.com/docs/hdk/class_u_t___work_buffer.html
// A text that is put together.

#include <UT/UT_API.h>

#include <cstdarg>
#include <cstdio>
#include <string>

class UT_API UT_WorkBuffer {
public:
    const char* buffer() const { return text_.c_str(); }
    int length() const { return static_cast<int>(text_.size()); }
    void clear() { text_.clear(); }
    void strcpy(const char* text) { text_ = text; }
    void append(const char* text) { text_ += text; }
    void append(char letter) { text_ += letter; }
    int sprintf(const char* format, ...) {
        text_.clear();
        va_list values;
        va_start(values, format);
        const int added = print(format, values);
        va_end(values);
        return added;
    }
    int appendSprintf(const char* format, ...) {
        va_list values;
        va_start(values, format);
        const int added = print(format, values);
        va_end(values);
        return added;
    }

private:
    int print(const char* format, va_list values) {
        char part[1024];
        const int count = std::vsnprintf(part, sizeof part, format, values);
        text_ += part;
        return count;
    }
    std::string text_;
};
