#pragma once

// Grids in .vdb files that have a surface: which one is meant, and the process of its own in which OpenVDB reads it.

#include <openvdb/io/File.h>
#include <openvdb/openvdb.h>

#include <functional>
#include <string>

namespace firn {

/// OpenVDB's name for the grid of this name; or for the first level set, or else the first grid of numbers. Files may
/// hold several grids of one name, or of none: OpenVDB tells them apart by "name[1]".
std::string surface_grid_name(openvdb::io::File& open, const std::string& name);

/// What `work` makes of a file, in a process of its own. OpenVDB's errors become Errors that name the file.
std::string made_of_vdb(const std::string& path, const std::function<std::string()>& work);

/// Begins messages.
std::string grid_in(const std::string& path, const openvdb::GridBase&);

}  // namespace firn
