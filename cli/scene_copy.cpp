#include "scene_copy.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace firn {

namespace {

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

}  // namespace

std::string scene_copy(const Scene& scene) {
    namespace fs = std::filesystem;
    std::ostringstream out;
    out << "folder = " << quoted(fs::absolute(scene.folder.empty() ? "." : scene.folder).lexically_normal().string())
        << "\n";
    // The copy is called scene.toml, the run is not.
    std::vector<std::string> given = scene.overrides, set;
    given.push_back("scene.name=" + quoted(scene.name));
    // Of several changes of one key the last holds; a copy of a copy must not grow.
    for (size_t k = 0; k < given.size(); ++k) {
        const std::string key = given[k].substr(0, given[k].find('=') + 1);
        const bool again = std::any_of(given.begin() + static_cast<std::ptrdiff_t>(k) + 1, given.end(),
                                       [&](const std::string& later) { return later.rfind(key, 0) == 0; });
        if (!again) set.push_back(given[k]);
    }
    out << "set = [";
    for (size_t k = 0; k < set.size(); ++k) out << (k ? ", " : "") << quoted(set[k]);
    out << "]\n" << scene.text;
    return out.str();
}

}  // namespace firn
