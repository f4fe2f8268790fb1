#pragma once

#include <string>

namespace firn {

/// The parameters of the engine: as a table for a terminal, as JSON, as Markdown.
std::string parameters_text();
std::string parameters_json();
std::string parameters_markdown();

/// Every key of a scene file, section by section, parameters included: for a terminal, as JSON, and as the page
/// docs/scene.md.
std::string keys_text();
std::string keys_json();
std::string keys_markdown();

}  // namespace firn
