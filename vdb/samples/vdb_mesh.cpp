// One of two files here that know OpenVDB: each such file takes a minute to compile.

#include <openvdb/openvdb.h>
#include <openvdb/tools/Statistics.h>
#include <openvdb/tools/VolumeToMesh.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "firn/error.h"
#include "firn/grid_mesh.h"
#include "firn/samples.h"
#include "firn/short_token.h"
#include "grids/own_process.h"
#include "samples/vdb_grid.h"

namespace firn {

namespace {

/// Where the surface of a grid is: at 0 of a distance, at half the largest value of a fog.
struct Surface {
    openvdb::FloatGrid::ConstPtr grid;
    double value;
};

Surface surface_of(const openvdb::FloatGrid& grid, const std::string& what) {
    if (grid.activeVoxelCount() == 0) throw Error(what + " is empty");
    const auto extrema = openvdb::tools::minMax(grid.tree());
    if (!std::isfinite(extrema.min()) || !std::isfinite(extrema.max()))
        throw Error(what + " holds values that are not finite");
    const bool distance = grid.getGridClass() == openvdb::GRID_LEVEL_SET || extrema.min() < 0;
    // OpenVDB turns what it takes for a fog volume the other way round; files often lack the class. The copy shares the
    // voxels.
    openvdb::MetaMap metadata(grid);
    metadata.removeMeta(openvdb::GridBase::META_GRID_CLASS);
    metadata.insertMeta(openvdb::GridBase::META_GRID_CLASS,
                        openvdb::StringMetadata(openvdb::GridBase::gridClassToString(
                            distance ? openvdb::GRID_LEVEL_SET : openvdb::GRID_FOG_VOLUME)));
    const openvdb::FloatGrid::ConstPtr classed =
        openvdb::gridConstPtrCast<openvdb::FloatGrid>(grid.copyGridReplacingMetadata(metadata));
    return {classed, distance ? 0.0 : 0.5 * double(extrema.max())};
}

template <typename Value>
void append(std::string& bytes, const std::vector<Value>& values) {
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value));
}

/// A mesh on its way from one process to the other.
std::string bytes_of(const Mesh& mesh) {
    const uint64_t points = mesh.points.size();
    std::string bytes(reinterpret_cast<const char*>(&points), sizeof points);
    append(bytes, mesh.points);
    append(bytes, mesh.triangles);
    return bytes;
}
/// `path`: for the error, when what arrives is no mesh.
Mesh mesh_of(const std::string& bytes, const std::string& path) {
    Mesh mesh;
    constexpr size_t point_bytes = sizeof mesh.points[0], triangle_bytes = sizeof mesh.triangles[0];
    uint64_t points = 0;
    bool is_mesh = bytes.size() >= sizeof points;
    if (is_mesh) std::memcpy(&points, bytes.data(), sizeof points);
    is_mesh = is_mesh && points <= (bytes.size() - sizeof points) / point_bytes;
    if (is_mesh) {
        const size_t triangles_at = sizeof points + points * point_bytes;
        mesh.points.resize(points);
        mesh.triangles.resize((bytes.size() - triangles_at) / triangle_bytes);
        std::memcpy(mesh.points.data(), bytes.data() + sizeof points, points * point_bytes);
        std::memcpy(mesh.triangles.data(), bytes.data() + triangles_at, mesh.triangles.size() * triangle_bytes);
        for (const std::array<uint32_t, 3>& triangle : mesh.triangles) {
            for (const uint32_t corner : triangle) is_mesh = is_mesh && corner < points;
        }
    }
    if (!is_mesh) throw Error(path + ": is damaged: OpenVDB made no mesh of it; write it again");
    return mesh;
}

}  // namespace

Mesh grid_mesh(const openvdb::GridBase& any, const std::string& what) {
    if (const auto* precise = dynamic_cast<const openvdb::DoubleGrid*>(&any))
        return grid_mesh(openvdb::FloatGrid(*precise), what);
    const auto* grid = dynamic_cast<const openvdb::FloatGrid*>(&any);
    if (!grid) throw Error(what + " is a grid of " + any.valueType() + ", which has no surface; use one of floats");
    const Surface surface = surface_of(*grid, what);
    std::vector<openvdb::Vec3s> points;
    std::vector<openvdb::Vec3I> triangles;
    std::vector<openvdb::Vec4I> quads;
    openvdb::tools::volumeToMesh(*surface.grid, points, triangles, quads, surface.value);
    Mesh mesh;
    mesh.points.reserve(points.size());
    for (const openvdb::Vec3s& p : points) mesh.points.push_back({p.x(), p.y(), p.z()});
    // Its polygons are clockwise, seen from outside. Where a voxel holds the very value of the surface, corners meet.
    const auto add = [&](uint32_t a, uint32_t b, uint32_t c) {
        if (points[a] != points[b] && points[b] != points[c] && points[c] != points[a])
            mesh.triangles.push_back({a, c, b});
    };
    for (const openvdb::Vec3I& t : triangles) add(t[0], t[1], t[2]);
    for (const openvdb::Vec4I& q : quads) {
        add(q[0], q[1], q[2]);
        add(q[0], q[2], q[3]);
    }
    if (mesh.triangles.empty()) throw Error(what + " has no surface");
    return mesh;
}

PolygonMesh grid_polygons(const openvdb::FloatGrid& grid, double adaptivity) {
    PolygonMesh mesh;
    if (grid.activeVoxelCount() == 0) return mesh;
    std::vector<openvdb::Vec3s> points;
    std::vector<openvdb::Vec3I> triangles;
    std::vector<openvdb::Vec4I> quads;
    openvdb::tools::volumeToMesh(grid, points, triangles, quads, 0.0, adaptivity);
    mesh.points.reserve(points.size());
    for (const openvdb::Vec3s& p : points) mesh.points.push_back({p.x(), p.y(), p.z()});
    const auto corners = [&](auto... corner) { (mesh.corners.push_back(static_cast<int>(corner)), ...); };
    for (const openvdb::Vec3I& t : triangles) corners(t[0], t[1], t[2]);
    for (const openvdb::Vec4I& q : quads) corners(q[0], q[1], q[2], q[3]);
    mesh.triangles = triangles.size();
    mesh.quads = quads.size();
    return mesh;
}

namespace {

/// Numbers of either precision can have a surface.
bool is_scalar(const openvdb::GridBase& grid) {
    return grid.isType<openvdb::FloatGrid>() || grid.isType<openvdb::DoubleGrid>();
}

}  // namespace

std::string surface_grid_name(openvdb::io::File& file, const std::string& name) {
    std::string chosen, known;
    size_t listed = 0;
    bool found = false, found_level_set = false;
    for (auto at = file.beginName(); at != file.endName(); ++at) {
        const openvdb::GridBase::Ptr grid = file.readGridMetadata(*at);
        constexpr size_t most_listed = 8;
        if (++listed <= most_listed)
            known += (known.empty() ? "" : ", ") + short_token(grid->getName()) + " (" + grid->valueType() + ")";
        else if (listed == most_listed + 1)
            known += ", ...";
        if (!is_scalar(*grid) || (!name.empty() && grid->getName() != name)) continue;
        const bool level_set = grid->getGridClass() == openvdb::GRID_LEVEL_SET;
        if (found && (found_level_set || !level_set)) continue;
        chosen = *at;
        found = true;
        found_level_set = level_set;
    }
    const std::string path = file.filename();
    if (known.empty()) throw Error(path + ": this .vdb holds no grids");
    if (!found)
        throw Error(path + ": no grid of floats" + (name.empty() ? "" : " named '" + name + "'") + "; it holds " +
                    known);
    return chosen;
}

std::string made_of_vdb(const std::string& path, const std::function<std::string()>& work) {
    static const bool initialised = (openvdb::initialize(), true);
    (void)initialised;
    if (!std::filesystem::exists(path)) throw Error(path + ": there is no such file");
    const auto read = [&] {
        try {
            return work();
        } catch (const openvdb::Exception& error) {
            throw Error(path + ": can't be read: " + library_words(error.what()));
        } catch (const std::bad_alloc&) {
            throw Error(path + ": more memory than there is; the file may be damaged");
        }
    };
    return in_own_process(path, bytes_of_file(path), read);
}

std::string grid_in(const std::string& path, const openvdb::GridBase& grid) {
    return path + ": grid '" + short_token(grid.getName()) + "'";
}

Mesh vdb_mesh(const std::string& path, const std::string& name) {
    const auto meshed = [&] {
        openvdb::io::File file(path);
        file.open();
        const openvdb::GridBase::Ptr grid = file.readGrid(surface_grid_name(file, name));
        return bytes_of(grid_mesh(*grid, grid_in(path, *grid)));
    };
    return mesh_of(made_of_vdb(path, meshed), path);
}

SurfaceSamples sample_vdb_surface(const std::string& path, const std::string& grid, const SurfaceSettings& settings) {
    SurfaceSamples samples = sample_surface(vdb_mesh(path, grid), settings);
    samples.triangle.clear();
    samples.barycentric.clear();
    samples.offset.clear();
    return samples;
}

Filling fill_vdb(const std::string& path, const std::string& grid, const FillSettings& settings) {
    return fill_mesh(vdb_mesh(path, grid), settings);
}

}  // namespace firn
