#include "physics_text.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "checksum.h"
#include "firn/parameters.h"

namespace firn {

namespace {

/// Length and checksum of what is in a file; a sequence counts by its name only.
std::string file_text(const std::string& path) {
    if (path.empty() || path.find('%') != std::string::npos) return path;
    const FileSum file = sum_of_file(path);
    return std::to_string(file.size) + " bytes, " + file.sum;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// The line with the name of this one, or "nothing".
std::string same_name(const std::string& line, const std::vector<std::string>& in) {
    const std::string name = line.substr(0, line.find(" = ") + 3);
    const auto found =
        std::find_if(in.begin(), in.end(), [&](const std::string& other) { return other.rfind(name, 0) == 0; });
    return found == in.end() ? "nothing" : *found;
}

std::string change(const std::string& was, const std::string& is) {
    return "it was '" + was + "' and is '" + is + "'";
}

}  // namespace

std::string physics_text(const Scene& scene) {
    std::ostringstream out;
    const Parameters acting = effective(scene.parameters);
    for (const ParameterInfo& info : parameter_table())
        if (std::string(info.folder) != "Machine") out << info.token << " = " << parameter_text(acting, info) << "\n";
    for (const MotionValue& value : scene.motion)
        out << value.name << " = " << (value.is_file ? file_text(value.value) : value.value) << "\n";
    return out.str();
}

std::string physics_difference(const std::string& before, const std::string& now) {
    if (before == now) return "";
    const std::vector<std::string> a = lines_of(before), b = lines_of(now);
    for (const std::string& line : a)
        if (const std::string is = same_name(line, b); is != line) return change(line, is);
    for (const std::string& line : b)
        if (const std::string was = same_name(line, a); was != line) return change(was, line);
    // The same lines in another order: bodies have changed places.
    const auto [was, is] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    return change(was == a.end() ? "nothing" : *was, is == b.end() ? "nothing" : *is);
}

}  // namespace firn
