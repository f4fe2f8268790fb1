#pragma once

#include "../cli/temporary_folder.h"

/// A file in a folder that no other program has, gone when this one ends: tests run side by side.
inline std::string own_file(const std::string& name) {
    static const TemporaryFolder folder;
    return folder.file(name);
}
