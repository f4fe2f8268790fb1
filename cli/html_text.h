#pragma once

#include <string>

namespace firn {

/// Any bytes as text that HTML and XML show as they are: signs that mean something there are escaped, and what is no
/// UTF-8, or no character at all, becomes U+FFFD.
std::string html_text(const std::string&);

}  // namespace firn
