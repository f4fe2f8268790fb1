#pragma once

#include <functional>
#include <string>

namespace firn {

/// What `work` gives, done in a process of its own, without other threads, within bounds of time and memory that the
/// size of `file` sets. OpenVDB trusts the lengths that it finds in a file, also where they lead out of its buffers:
/// what happens to that process, this one goes on. Throws Error with the file's name when it came to grief, and for
/// what `work` throws.
std::string in_own_process(const std::string& file, const std::function<std::string()>& work);

}  // namespace firn
