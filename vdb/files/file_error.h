#pragma once

#include <cstddef>
#include <string>

#include "firn/error.h"

namespace firn {

/// Errors are one line, also when they quote a damaged file.
[[noreturn]] inline void fail_at(const std::string& name, size_t offset, const std::string& what) {
    constexpr size_t longest = 300;
    std::string line = what.size() > longest ? what.substr(0, longest) + " ..." : what;
    for (char& c : line)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    throw Error(name + ": byte " + std::to_string(offset) + ": " + line);
}

/// Does what writes a file; errors that don't begin with its name get it.
template <typename Write>
void with_file_name(const std::string& path, const Write& write) {
    try {
        write();
    } catch (const Error& error) {
        const std::string what = error.what();
        if (what.compare(0, path.size(), path) == 0) throw;
        throw Error(path + ": " + what);
    }
}

}  // namespace firn
