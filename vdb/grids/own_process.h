#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace firn {

/// Runs `work` in a process of its own, without other threads, and returns what it returned. OpenVDB trusts the lengths
/// that it finds in a file, even where they lead out of its buffers; a crash there does not harm this process. Time and
/// memory are limited, memory in proportion to `file_bytes`, the size of the file that is read. Throws Error with the
/// file's name when that process crashes or exceeds a limit, and for what `work` throws.
std::string in_own_process(const std::string& file, uint64_t file_bytes, const std::function<std::string()>& work);
/// The size of the file at that path, 0 when there is none.
uint64_t bytes_of_file(const std::string& path);

}  // namespace firn
