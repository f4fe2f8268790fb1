#pragma once

// Particles in files, every attribute kept: Houdini .bgeo (modern, in .bgeo.gz and .bgeo.sc, and classic), OpenVDB
// points (.vdb).

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "firn/particles.h"

namespace firn {

/// An attribute that the engine does not know, carried along. One of the three arrays holds count * components numbers.
struct ExtraAttribute {
    std::string name;
    int components = 1;
    std::vector<float> floats;
    std::vector<double> doubles;
    std::vector<int64_t> integers;
    std::vector<std::string> strings;  ///< the texts that the integers number (-1 = none); empty = plain integers
    int integer_bits = 64;             ///< of the integers in the file: 32 or 64
    std::string meaning;               ///< how Houdini transforms it: "vector", "normal", "color", ...; may be empty
};

/// Points that Houdini or another program has given a name together.
struct PointGroup {
    std::string name;
    std::vector<uint8_t> member;  ///< for each point, 1 = belongs to it
};

struct ParticleFile {
    Particles particles;
    float spacing = 0;  ///< m, from pscale (a radius: half the spacing); 0 = the file has none
    std::vector<ExtraAttribute> extra;
    std::map<std::string, std::string> metadata;  ///< frame, time, material, the run that made it
    std::vector<PointGroup> groups = {};          ///< not in classic .bgeo
    bool rounded = false;  ///< positions were read from fewer bits than a float has (vdb_points_16)
    // What a reader passed over, for those who must not lose anything unseen.
    uint64_t primitives_left_out = 0;  ///< polygons and the like
    uint64_t groups_left_out = 0;      ///< point groups of classic .bgeo
};

/// vdb_points_16: positions to 1/65535 of two spacings, other numbers as half floats (11 bits), but `rest` and `birth`.
/// bgeo_sc_16: the same numbers as half floats, positions to 1/4096 of a spacing, so that they compress.
/// Both are for looking at and rendering; what is simulated further should keep its bits.
enum class ParticleFormat { bgeo, bgeo_classic, bgeo_gz, bgeo_sc, bgeo_sc_16, vdb_points, vdb_points_16, ply, usda };

/// By the name's ending: .bgeo, .bgeo.gz, .bgeo.sc (Houdini's Blosc container), .bhclassic (the classic V5 layout),
/// .vdb, or for other programs .ply and .usda (UsdGeomPoints; both are written only). Whole or not at all. Equal
/// particles give equal bytes. Throws Error.
void write_particles(const std::string& path, const ParticleFile&);
/// Classic V5 is what Partio and old tools read. Without 64-bit numbers: ids beyond 2^31 are an Error, doubles rounded.
void write_particles(const std::string& path, const ParticleFile&, ParticleFormat);

/// By the first bytes: .bgeo, .bgeo.gz, classic .bgeo, .vdb, and .bgeo.sc (Houdini's Blosc container). Points, their
/// attributes and groups are taken; primitives are passed over and counted. Throws Error that says where for what is
/// truncated, hostile or foreign.
ParticleFile read_particles(const std::string& path);
/// The same from bytes in memory; `name` is for errors.
ParticleFile read_particles(const void* bytes, size_t size, const std::string& name);
/// How many particles a file holds. Of a large .bgeo only the beginning is read: what is wrong behind it is not found.
uint64_t count_particles(const std::string& path);

/// What `firn info FILE.bgeo` prints: one line per fact. Also for point grids.
std::string describe_bgeo(const std::string& path);

}  // namespace firn
