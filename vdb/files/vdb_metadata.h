#pragma once

#include <string>
#include <vector>

namespace firn {

/// Before the names of metadata that only Firn understands.
const std::string own_vdb_prefix = "firn:";

/// What OpenVDB itself writes beside a grid.
inline bool reserved_vdb_key(const std::string& key) {
    return key == "name" || key == "class" || key == "creator" || key == "value_type" || key == "vector_type" ||
           key == "is_local_space" || key == "is_saved_as_half_float" || key.compare(0, 5, "file_") == 0 ||
           key.compare(0, 5, "stat_") == 0 || key.compare(0, 5, "firn:") == 0;
}

/// Texts as one, a line for each; a line's own breaks and backslashes are written \n and \\.
inline std::string joined_lines(const std::vector<std::string>& texts) {
    std::string result;
    for (const std::string& text : texts) {
        for (const char c : text) {
            if (c == '\\')
                result += "\\\\";
            else if (c == '\n')
                result += "\\n";
            else
                result += c;
        }
        result += '\n';
    }
    return result;
}
inline std::vector<std::string> split_lines(const std::string& joined) {
    std::vector<std::string> result;
    std::string text;
    for (size_t i = 0; i < joined.size(); ++i) {
        if (joined[i] == '\n') {
            result.push_back(text);
            text.clear();
        } else if (joined[i] == '\\' && i + 1 < joined.size()) {
            ++i;
            text += joined[i] == 'n' ? '\n' : joined[i];
        } else {
            text += joined[i];
        }
    }
    return result;
}

}  // namespace firn
