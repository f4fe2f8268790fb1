#include "vdb_archive.h"

#include <openvdb/io/Archive.h>
#include <openvdb/io/GridDescriptor.h>
#include <openvdb/io/Stream.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <vector>

#include "firn/error.h"
#include "firn/new_file.h"
#include "firn/regular_file.h"
#include "firn/short_token.h"

namespace firn {

namespace {

/// OpenVDB's readers and writers on a stream of ours, which throws when a read is short or a write fails.
class CheckedArchive : public openvdb::io::Archive {
public:
    void write_to(std::ostream& out, const openvdb::GridCPtrVec& grids, const openvdb::MetaMap& metadata) const {
        Archive::write(out, grids, /*seekable=*/true, metadata);
    }

    /// What comes before the grids.
    openvdb::MetaMap read_start(std::istream& in) {
        openvdb::MetaMap metadata;
        // What Stream and File tell the stream before they read.
        openvdb::io::setStreamMetadataPtr(in, tags_, /*transfer=*/false);
        readHeader(in);
        tags_->setFileVersion(fileVersion());
        tags_->setLibraryVersion(libraryVersion());
        tags_->setCompression(compression());
        setFormatVersion(in);
        setLibraryVersion(in);
        setDataCompression(in);
        metadata.readMeta(in);
        return metadata;
    }

    VdbFile read_from(std::istream& in, const std::string& only_type) {
        VdbFile file;
        file.metadata = read_start(in);
        const int32_t count = readGridCount(in);
        if (count < 0) throw Error("a negative number of grids");
        NamedGridMap by_name;
        std::vector<openvdb::io::GridDescriptor> descriptors;
        for (int32_t k = 0; k < count; ++k) {
            openvdb::io::GridDescriptor descriptor;
            const openvdb::GridBase::Ptr grid = descriptor.read(in);
            if (!grid) throw Error("a grid of unknown type " + short_token(descriptor.gridType()));
            if (!only_type.empty() && grid->type() != only_type && inputHasGridOffsets()) {
                grid->setName(descriptor.gridName());
                file.grids.push_back(grid);
                descriptor.seekToEnd(in);
                continue;
            }
            if (inputHasGridOffsets()) descriptor.seekToGrid(in);
            readGrid(grid, descriptor, in);
            if (inputHasGridOffsets()) descriptor.seekToEnd(in);
            file.grids.push_back(grid);
            by_name[descriptor.uniqueName()] = grid;
            descriptors.push_back(descriptor);
        }
        for (const openvdb::io::GridDescriptor& descriptor : descriptors) connectInstance(descriptor, by_name);
        return file;
    }

private:
    /// The stream points to them for as long as grids are read.
    openvdb::io::StreamMetadata::Ptr tags_{new openvdb::io::StreamMetadata};
};

void initialize_openvdb() {
    static std::once_flag once;
    std::call_once(once, [] { openvdb::initialize(); });
}

// OpenVDB stamps each file with a random number, 36 letters behind the versions, by which readers see that a file has
// changed. A number made from the contents does the same, equal volumes are equal files, and a file that was cut or
// changed is found out.
constexpr std::streamoff stamp_at = 8 + 3 * 4 + 1;
constexpr size_t stamp_size = 36;

/// Of all that stands behind the stamp. Throws ios_base::failure for a file that ends before.
std::string stamp_of_contents(std::fstream& file) {
    file.seekg(0, std::ios::end);
    const uint64_t size = static_cast<uint64_t>(file.tellg());
    if (size < static_cast<uint64_t>(stamp_at) + stamp_size) throw std::ios_base::failure("too short");
    file.seekg(stamp_at + static_cast<std::streamoff>(stamp_size));
    uint64_t hash[2] = {0x243F6A8885A308D3ull, 0x13198A2E03707344ull};  // digits of pi
    std::vector<char> buffer(size_t(1) << 20);
    for (uint64_t left = size - static_cast<uint64_t>(file.tellg()); left > 0;) {
        const size_t now = static_cast<size_t>(std::min<uint64_t>(left, buffer.size()));
        file.read(buffer.data(), static_cast<std::streamsize>(now));
        std::memset(buffer.data() + now, 0, buffer.size() - now);
        for (size_t k = 0; k < now; k += 16) {
            for (int half = 0; half < 2; ++half) {
                uint64_t word;
                std::memcpy(&word, buffer.data() + k + 8 * static_cast<size_t>(half), 8);
                uint64_t& h = hash[half];
                h = (h ^ word) * 0x9E3779B97F4A7C15ull;
                h ^= h >> 29;
            }
        }
        left -= now;
    }
    // Version 8 of RFC 9562: bits of the maker's choice.
    char stamp[stamp_size + 1];
    std::snprintf(stamp, sizeof stamp, "%08x-%04x-8%03x-%04x-%012llx", unsigned(hash[0] >> 32),
                  unsigned(hash[0] >> 16) & 0xFFFF, unsigned(hash[0]) & 0xFFF,
                  0x8000 | (unsigned(hash[1] >> 48) & 0x3FFF),
                  static_cast<unsigned long long>(hash[1] & 0xFFFFFFFFFFFFull));
    return stamp;
}

void stamp_with_contents(const std::string& path) {
    std::fstream file;
    file.exceptions(std::ios::failbit | std::ios::badbit);
    file.open(path, std::ios::in | std::ios::out | std::ios::binary);
    const std::string stamp = stamp_of_contents(file);
    file.seekp(stamp_at);
    file.write(stamp.data(), stamp_size);
    file.close();
}

bool stamp_fits(const std::string& path) {
    try {
        std::fstream file;
        file.exceptions(std::ios::failbit | std::ios::badbit);
        file.open(path, std::ios::in | std::ios::binary);
        const std::string expected = stamp_of_contents(file);
        std::string stamp(stamp_size, '\0');
        file.seekg(stamp_at);
        file.read(&stamp[0], stamp_size);
        return stamp == expected;
    } catch (const std::ios_base::failure&) {
        return false;
    }
}

/// What a stream or OpenVDB had to say, in one line.
std::string reason(const std::exception& error) {
    if (dynamic_cast<const std::ios_base::failure*>(&error)) {
        return errno ? std::strerror(errno) : "it could not be written";
    }
    return error.what();
}

}  // namespace

void write_vdb(const std::string& path, const VdbFile& contents, uint32_t compression) {
    initialize_openvdb();
    NewFile file(path);
    CheckedArchive archive;
    archive.setCompression(compression);
    const openvdb::GridCPtrVec grids(contents.grids.begin(), contents.grids.end());
    errno = 0;
    try {
        std::ofstream out;
        out.exceptions(std::ios::failbit | std::ios::badbit);
        out.open(file.temporary(), std::ios::binary);
        archive.write_to(out, grids, contents.metadata);
        out.close();
        stamp_with_contents(file.temporary());
    } catch (const Error&) {
        throw;
    } catch (const std::exception& error) {
        throw Error(path + ": can't be written: " + reason(error));
    }
    file.commit();
}

std::optional<openvdb::MetaMap> metadata_of_whole_vdb(const std::string& path) {
    initialize_openvdb();
    // Only what Firn wrote itself is handed to OpenVDB, which trusts the lengths that it finds.
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored) || !stamp_fits(path)) return std::nullopt;
    try {
        std::ifstream in(path, std::ios::binary);
        in.exceptions(std::ios::failbit | std::ios::badbit);
        return CheckedArchive().read_start(in);
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

VdbFile read_vdb(const std::string& path) {
    initialize_openvdb();
    require_regular_file(path);
    std::ifstream in(path, std::ios::binary);
    if (!in) throw Error(path + ": can't be opened: " + std::strerror(errno));
    return read_vdb(in, path);
}

VdbFile read_vdb(std::istream& in, const std::string& name, const std::string& only_type) {
    initialize_openvdb();
    int32_t magic[2] = {};
    in.read(reinterpret_cast<char*>(magic), sizeof magic);
    if (!in || magic[0] != openvdb::OPENVDB_MAGIC) throw Error(name + ": is not a .vdb file");
    in.seekg(0);
    try {
        in.exceptions(std::ios::failbit | std::ios::badbit);
        return CheckedArchive().read_from(in, only_type);
    } catch (const std::ios_base::failure&) {
        throw Error(name + ": ends too early or is damaged; write it again");
    } catch (const std::bad_alloc&) {
        throw Error(name + ": asks for more memory than there is; it is damaged or too large for this machine");
    } catch (const std::exception& problem) {
        throw Error(name + ": can't be read: " + library_words(problem.what()));
    }
}

}  // namespace firn
