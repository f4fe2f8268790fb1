#include "firn/velocity_file.h"

#include <openvdb/tools/Interpolation.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "firn/error.h"
#include "firn/regular_file.h"
#include "firn/short_token.h"
#include "own_process.h"
#include "vdb_archive.h"

namespace firn {

namespace {

using openvdb::GridBase;

/// Of a type that no grid has: read_vdb() then passes over all voxels.
constexpr const char* no_type = "none";

bool is_vector(const GridBase& grid) {
    return grid.isType<openvdb::Vec3SGrid>() || grid.isType<openvdb::Vec3DGrid>();
}

bool is_number(const GridBase& grid) {
    return grid.isType<openvdb::FloatGrid>() || grid.isType<openvdb::DoubleGrid>();
}

/// "density (float), vel (vec3s)".
std::string list_of(const openvdb::GridPtrVec& grids) {
    constexpr size_t most_listed = 8;
    std::string list;
    for (size_t k = 0; k < std::min(grids.size(), most_listed); ++k)
        list += (k ? ", " : "") + short_token(grids[k]->getName()) + " (" + short_token(grids[k]->valueType()) + ")";
    return grids.size() > most_listed ? list + ", ..." : list;
}

/// Places in the file: of one grid of vectors, or of three of numbers.
using Parts = std::vector<size_t>;

Parts parts_named(const openvdb::GridPtrVec& grids, const std::string& name) {
    Parts parts;
    for (const char* suffix : {".x", ".y", ".z"}) {
        for (size_t k = 0; k < grids.size(); ++k) {
            const bool alike = parts.empty() || grids[k]->type() == grids[parts[0]]->type();
            if (grids[k]->getName() != name + suffix || !is_number(*grids[k]) || !alike) continue;
            parts.push_back(k);
            break;
        }
    }
    return parts.size() == 3 ? parts : Parts();
}

Parts choose(const openvdb::GridPtrVec& grids, const std::string& name, const std::string& path) {
    if (grids.empty()) throw Error(path + ": this .vdb holds no grids");
    for (size_t k = 0; k < grids.size(); ++k)
        if (is_vector(*grids[k]) && (name.empty() || grids[k]->getName() == name)) return {k};
    const Parts parts = parts_named(grids, name.empty() ? "vel" : name);
    if (!parts.empty()) return parts;
    const std::string shown = name.empty() ? "vel" : name;
    throw Error(path + ": no velocities" + (name.empty() ? "" : " named '" + name + "'") + "; it holds " +
                list_of(grids) + ". Wind needs a grid of vectors, or three of floats named " + shown + ".x, " + shown +
                ".y and " + shown + ".z");
}

std::ifstream opened(const std::string& path) {
    require_regular_file(path);
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in)
        throw Error(path + (errno == ENOENT ? ": there is no such file"
                                            : ": can't be opened: " + std::string(std::strerror(errno))));
    return in;
}

/// The grids' names and types, without voxels.
openvdb::GridPtrVec read_names(const std::string& path) {
    std::ifstream in = opened(path);
    VdbFile file = read_vdb(in, path, no_type);
    // It went from grid to grid by the places that the file gives: a file that was cut ends before the last of them.
    if (static_cast<uint64_t>(in.tellg()) > bytes_of_file(path))
        throw Error(path + ": ends too early or is damaged; write it again");
    return std::move(file.grids);
}

/// Calls `take(i, value)` for each place. `Sampler` interpolates.
template <class Sampler, class Grid, class Take>
void sample_with(const Grid& grid, const std::vector<Float3>& positions, const Take& take) {
    const typename Grid::ConstAccessor values = grid.getConstAccessor();
    for (size_t i = 0; i < positions.size(); ++i) {
        const Float3& p = positions[i];
        const openvdb::Vec3d at = grid.transform().worldToIndex({p.x, p.y, p.z});
        // Voxels are numbered by 32-bit integers.
        constexpr double far = 1e9;
        const bool near = std::abs(at[0]) < far && std::abs(at[1]) < far && std::abs(at[2]) < far;
        take(i, near ? Sampler::sample(values, at) : grid.background());
    }
}

template <class Grid>
void take_vectors(const Grid& grid, const std::vector<Float3>& positions, std::vector<Float3>& to) {
    const auto take = [&](size_t i, const typename Grid::ValueType& v) {
        to[i] = {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
    };
    if (grid.getGridClass() == openvdb::GRID_STAGGERED)
        sample_with<openvdb::tools::StaggeredBoxSampler>(grid, positions, take);
    else
        sample_with<openvdb::tools::BoxSampler>(grid, positions, take);
}

template <class Grid>
void take_part(const Grid& grid, const std::vector<Float3>& positions, float Float3::*part, std::vector<Float3>& to) {
    sample_with<openvdb::tools::BoxSampler>(grid, positions,
                                            [&](size_t i, auto value) { to[i].*part = static_cast<float>(value); });
}

std::vector<Float3> sampled(const std::string& path, const std::string& name, const std::vector<Float3>& positions) {
    const openvdb::GridPtrVec names = read_names(path);
    const Parts parts = choose(names, name, path);
    std::ifstream in = opened(path);
    const VdbFile file = read_vdb(in, path, names[parts[0]]->type());
    std::vector<Float3> velocities(positions.size());
    constexpr float Float3::*axes[] = {&Float3::x, &Float3::y, &Float3::z};
    for (size_t c = 0; c < parts.size(); ++c) {
        const GridBase& grid = *file.grids.at(parts[c]);
        if (const auto* vectors = dynamic_cast<const openvdb::Vec3SGrid*>(&grid))
            take_vectors(*vectors, positions, velocities);
        else if (const auto* precise_vectors = dynamic_cast<const openvdb::Vec3DGrid*>(&grid))
            take_vectors(*precise_vectors, positions, velocities);
        else if (const auto* numbers = dynamic_cast<const openvdb::FloatGrid*>(&grid))
            take_part(*numbers, positions, axes[c], velocities);
        else if (const auto* precise = dynamic_cast<const openvdb::DoubleGrid*>(&grid))
            take_part(*precise, positions, axes[c], velocities);
    }
    for (size_t i = 0; i < velocities.size(); ++i) {
        const Float3 &v = velocities[i], &p = positions[i];
        if (std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z)) continue;
        char place[80];
        std::snprintf(place, sizeof place, "(%g, %g, %g)", double(p.x), double(p.y), double(p.z));
        throw Error(path + ": grid '" + short_token(names[parts[0]]->getName()) +
                    "' holds values that are not finite near " + place + "; repair the file");
    }
    return velocities;
}

}  // namespace

void require_velocities(const std::string& path, const std::string& grid) {
    opened(path);
    in_own_process(path, bytes_of_file(path), [&] {
        choose(read_names(path), grid, path);
        return std::string();
    });
}

std::vector<Float3> velocities_at(const std::string& path, const std::string& grid,
                                  const std::vector<Float3>& positions) {
    opened(path);
    // The answer takes memory besides the file's.
    const uint64_t size = bytes_of_file(path) + positions.size();
    const std::string bytes = in_own_process(path, size, [&] {
        const std::vector<Float3> velocities = sampled(path, grid, positions);
        return std::string(reinterpret_cast<const char*>(velocities.data()), velocities.size() * sizeof(Float3));
    });
    std::vector<Float3> velocities(positions.size());
    if (bytes.size() != velocities.size() * sizeof(Float3))
        throw Error(path + ": is damaged: OpenVDB can't read it; write it again");
    if (!bytes.empty()) std::memcpy(&velocities[0].x, bytes.data(), bytes.size());
    return velocities;
}

}  // namespace firn
