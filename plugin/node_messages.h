#pragma once

// Messages of a node to its user: errors, warnings, and lines in its info window.

#include <functional>
#include <string>

namespace firn {

struct NodeMessages {
    std::function<void(const std::string&)> error;
    std::function<void(const std::string&)> warning;
};

/// Runs a cook. Whatever it throws ends here, as the node's error; true = it threw nothing.
bool cook_reporting_errors(const NodeMessages&, const std::function<void()>& cook);

}  // namespace firn
