#pragma once

// .vdb files in and out, with every read and write checked. OpenVDB's own io::File takes what a short read leaves
// behind for data, and a full disk for success.

#include <openvdb/openvdb.h>

#include <functional>
#include <istream>
#include <optional>
#include <string>

namespace firn {

struct VdbFile {
    openvdb::GridPtrVec grids;
    openvdb::MetaMap metadata;
};

/// Whole or not at all; throws Error. The same grids and metadata give the same bytes. `compression`: OpenVDB's flags.
void write_vdb(const std::string& path, const VdbFile&, uint32_t compression);

/// The file's own metadata (not that of its grids), if every byte is as write_vdb() left it; nothing for a file that is
/// not there, was cut or changed, or comes from another program.
std::optional<openvdb::MetaMap> metadata_of_whole_vdb(const std::string& path);

/// Throws Error for a file that is truncated or no .vdb. OpenVDB trusts lengths in it: hostile ones may still crash.
VdbFile read_vdb(const std::string& path);
/// The same from a stream that can be sought in; `name` is for errors. With `only_type`, the data of other types of
/// grids is passed over where the file says where it ends: those grids have a name and nothing else.
VdbFile read_vdb(std::istream&, const std::string& name, const std::string& only_type = "");

}  // namespace firn
