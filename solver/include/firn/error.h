#pragma once

#include <stdexcept>

namespace firn {

/// A user's mistake, a bad value or a run that can't go on. what() says what, where and what to do, in one line.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace firn
