#pragma once

// .vdb files in and out, with every read and write checked. OpenVDB's own io::File takes what a short read leaves
// behind for data, and a full disk for success.

#include <openvdb/openvdb.h>

#include <functional>
#include <string>

namespace firn {

struct VdbFile {
    openvdb::GridPtrVec grids;
    openvdb::MetaMap metadata;
};

/// Whole or not at all; throws Error. The same grids and metadata give the same bytes. `compression`: OpenVDB's flags.
void write_vdb(const std::string& path, const VdbFile&, uint32_t compression);

/// Throws Error for a file that is truncated or no .vdb. OpenVDB trusts lengths in it: hostile ones may still crash.
VdbFile read_vdb(const std::string& path);

}  // namespace firn
