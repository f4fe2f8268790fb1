#pragma once

// Particles in files, every attribute kept: Houdini .bgeo (modern and classic), .bgeo.sc, OpenVDB points (.vdb).

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "firn/particles.h"

namespace firn {

/// An attribute that the engine does not know, carried along.
struct ExtraAttribute {
    std::string name;
    int components = 1;
    std::vector<float> floats;      ///< count * components, or
    std::vector<int64_t> integers;  ///< count * components
};

struct ParticleFile {
    Particles particles;
    float spacing = 0;  ///< m, from pscale (a radius: half the spacing); 0 = the file has none
    std::vector<ExtraAttribute> extra;
    std::map<std::string, std::string> metadata;  ///< frame, time, material, the run that made it
};

enum class ParticleFormat { bgeo, bgeo_classic, vdb_points };

/// By the name's ending: .bgeo, .bgeo.sc (read and written where Blosc is), .vdb. Whole or not at all. Throws Error.
void write_particles(const std::string& path, const ParticleFile&);
/// .bgeo in the classic V5 layout, which Partio and old tools read.
void write_particles(const std::string& path, const ParticleFile&, ParticleFormat);

/// By the first bytes. Throws Error that says where for what is truncated, hostile or foreign.
ParticleFile read_particles(const std::string& path);

/// What `firn info FILE.bgeo` tells: one line per fact.
std::string describe_bgeo(const std::string& path);

}  // namespace firn
