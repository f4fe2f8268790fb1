#include <openvdb/points/PointCount.h>
#include <openvdb/points/PointDataGrid.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "firn/volume_file.h"
#include "own_process.h"
#include "vdb_archive.h"

namespace firn {

namespace {

using openvdb::GridBase;

template <typename... Values>
std::string text(const char* format, Values... values) {
    char line[512];
    std::snprintf(line, sizeof line, format, values...);
    return line;
}

/// 12,345,678
std::string counted(uint64_t number) {
    std::string digits = std::to_string(number);
    for (size_t k = digits.size(); k > 3; k -= 3) digits.insert(k - 3, ",");
    return digits;
}

std::string size(uint64_t bytes) {
    if (bytes < 10'000) return std::to_string(bytes) + " bytes";
    if (bytes < 10'000'000) return text("%.1f kB", static_cast<double>(bytes) / 1e3);
    return text("%.1f MB", static_cast<double>(bytes) / 1e6);
}

std::string vector(const openvdb::Vec3d& v) {
    return text("(%g, %g, %g)", v[0], v[1], v[2]);
}

/// Names from files go to terminals: what is no printable letter becomes a question mark.
std::string printable(const std::string& name) {
    std::string clean = name.substr(0, 200);
    for (char& letter : clean) {
        if (static_cast<unsigned char>(letter) < 32 || letter == 127) letter = '?';
    }
    return clean;
}

struct Range {
    double least = std::numeric_limits<double>::infinity(), most = -std::numeric_limits<double>::infinity(), sum = 0;
    void add(double value, double count) {
        least = std::min(least, value);
        most = std::max(most, value);
        sum += value * count;
    }
};

template <typename Grid, typename Number>
Range range(const Grid& grid, const Number& number) {
    Range r;
    for (auto leaf = grid.tree().cbeginLeaf(); leaf; ++leaf) {
        for (auto value = leaf->cbeginValueOn(); value; ++value) r.add(number(*value), 1);
    }
    // Tiles: one value for many voxels.
    auto tile = grid.tree().cbeginValueOn();
    tile.setMaxDepth(decltype(tile)::LEAF_DEPTH - 1);
    for (; tile; ++tile) r.add(number(*tile), static_cast<double>(tile.getVoxelCount()));
    return r;
}

template <typename Grid>
void describe_numbers(const Grid& grid, bool is_density, std::string& out) {
    const Range r = range(grid, [](auto value) { return static_cast<double>(value); });
    if (!(r.least <= r.most)) return;
    out += text("    values %g to %g", r.least, r.most);
    const openvdb::Vec3d voxel = grid.voxelSize();
    if (is_density) out += text(", mass %.6g kg", r.sum * voxel[0] * voxel[1] * voxel[2]);
    out += "\n";
}

void describe_values(const GridBase& grid, std::string& out) {
    // Files of others have densities without a unit; kg/m^3 is only said by ours.
    const auto unit = grid.getMetadata<openvdb::StringMetadata>("unit");
    const bool density = unit && unit->value() == "kg/m^3" && grid.getName().rfind("density", 0) == 0;
    if (grid.isType<openvdb::FloatGrid>()) {
        describe_numbers(static_cast<const openvdb::FloatGrid&>(grid), density, out);
    } else if (grid.isType<openvdb::DoubleGrid>()) {
        describe_numbers(static_cast<const openvdb::DoubleGrid&>(grid), density, out);
    } else if (grid.isType<openvdb::Int32Grid>()) {
        describe_numbers(static_cast<const openvdb::Int32Grid&>(grid), false, out);
    } else if (grid.isType<openvdb::Vec3SGrid>()) {
        const Range r = range(static_cast<const openvdb::Vec3SGrid&>(grid),
                              [](const openvdb::Vec3s& value) { return static_cast<double>(value.length()); });
        if (r.least <= r.most) out += text("    lengths %g to %g\n", r.least, r.most);
    } else if (grid.isType<openvdb::points::PointDataGrid>()) {
        const auto& points = static_cast<const openvdb::points::PointDataGrid&>(grid);
        out += "    " + counted(openvdb::points::pointCount(points.tree())) + " points";
        if (const auto leaf = points.tree().cbeginLeaf()) {
            std::string names;
            for (const auto& entry : leaf->attributeSet().descriptor().map()) {
                names += (names.empty() ? "" : ", ") + printable(entry.first);
            }
            out += ", attributes " + names;
        }
        out += "\n";
    }
}

void describe(const GridBase& grid, std::string& out) {
    out += (grid.getName().empty() ? "(no name)" : printable(grid.getName())) + ": " + printable(grid.valueType());
    if (grid.isType<openvdb::points::PointDataGrid>()) {
        out += " (points)";
    } else {
        out += ", " + GridBase::gridClassToString(grid.getGridClass());
    }
    if (grid.saveFloatAsHalf()) out += ", half floats";
    out += "\n";
    const openvdb::Vec3d voxel = grid.voxelSize();
    const bool cubes = voxel[0] == voxel[1] && voxel[0] == voxel[2];
    out += "    voxels of " + (cubes ? text("%g", voxel[0]) : vector(voxel)) + " m, " +
           counted(grid.activeVoxelCount()) + " active, " + size(grid.memUsage()) + " in memory\n";
    const openvdb::CoordBBox box = grid.evalActiveVoxelBoundingBox();
    if (!box.empty()) {
        // From face to face: voxels have their values in the middle.
        const openvdb::Vec3d half(0.5);
        out += "    bounds " + vector(grid.indexToWorld(box.min().asVec3d() - half)) + " to " +
               vector(grid.indexToWorld(box.max().asVec3d() + half)) + " m\n";
    }
    describe_values(grid, out);
    std::string metadata;
    for (auto meta = grid.beginMeta(); meta != grid.endMeta(); ++meta) {
        const std::string& key = meta->first;
        // Said above, or of interest to OpenVDB alone.
        if (key == "name" || key == "class" || key.rfind("file_", 0) == 0 || key == "is_saved_as_half_float") continue;
        if (!meta->second) continue;
        metadata += (metadata.empty() ? "" : ", ") + printable(key) + " " + printable(meta->second->str());
    }
    if (!metadata.empty()) out += "    " + metadata + "\n";
}

std::string describe_unguarded(const std::string& path) {
    const VdbFile file = read_vdb(path);
    std::error_code error;
    const uint64_t bytes = std::filesystem::file_size(path, error);
    std::string out = path + ": OpenVDB, " + std::to_string(file.grids.size()) +
                      (file.grids.size() == 1 ? " grid, " : " grids, ") + (error ? "?" : size(bytes)) + "\n";
    std::string metadata;
    for (auto meta = file.metadata.beginMeta(); meta != file.metadata.endMeta(); ++meta) {
        if (meta->second) {
            metadata += (metadata.empty() ? "" : ", ") + printable(meta->first) + " " + printable(meta->second->str());
        }
    }
    if (!metadata.empty()) out += metadata + "\n";
    for (const GridBase::Ptr& grid : file.grids) describe(*grid, out);
    return out;
}

}  // namespace

std::string describe_vdb(const std::string& path) {
    return in_own_process(path, bytes_of_file(path), [&] { return describe_unguarded(path); });
}

}  // namespace firn
