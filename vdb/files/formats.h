#pragma once

// The layouts behind read_particles() and write_particles(). Readers get the whole file in memory; `name` is for
// errors.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firn/particle_file.h"

namespace firn {

class Output;

/// Houdini's modern .bgeo: geometry as binary JSON.
bool is_bgeo(const uint8_t* bytes, size_t size);
ParticleFile read_bgeo(const std::string& name, const uint8_t* bytes, size_t size);
/// `small`: as ParticleFormat::bgeo_sc_16 has it.
void write_bgeo(Output&, const ParticleFile&, bool small = false);
/// The number of points that the beginning of a .bgeo announces; nothing if it is not there.
std::optional<uint64_t> bgeo_count(const std::string& name, const uint8_t* bytes, size_t size);

/// Classic .bgeo, "BgeoV" version 5: big-endian, one record per point.
bool is_bgeo_classic(const uint8_t* bytes, size_t size);
ParticleFile read_bgeo_classic(const std::string& name, const uint8_t* bytes, size_t size);
void write_bgeo_classic(Output&, const ParticleFile&);
/// As bgeo_count().
std::optional<uint64_t> bgeo_classic_count(const uint8_t* bytes, size_t size);

/// Houdini's container of Blosc blocks, .bgeo.sc; gives the file inside.
bool is_blosc_container(const uint8_t* bytes, size_t size);
/// `bytes` is the file inside.
void write_blosc_container(Output&, const std::string& bytes);
/// `most`: bytes of it that are of interest; a block's end or so more are unpacked.
std::vector<uint8_t> unpack_blosc_container(const std::string& name, const uint8_t* bytes, size_t size,
                                            size_t most = SIZE_MAX);

/// gzip around a .bgeo. `bytes` is the file inside.
bool is_gzip(const uint8_t* bytes, size_t size);
void write_gzip(Output&, const std::string& bytes);
std::vector<uint8_t> unpack_gzip(const std::string& name, const uint8_t* bytes, size_t size, size_t most = SIZE_MAX);

/// Points for programs that know no .bgeo; written only.
void write_ply_points(Output&, const ParticleFile&);

/// OpenVDB's point grids. They are read in a process of its own (grids/own_process.h).
bool is_vdb(const uint8_t* bytes, size_t size);
ParticleFile read_vdb_points(const std::string& name, const uint8_t* bytes, size_t size);
/// How many points the first point grid has, without reading their attributes; nothing if there is none.
std::optional<uint64_t> vdb_points_count(const std::string& path);
/// `small`: positions in 16 bits within a voxel of two spacings, other floats as half floats.
void write_vdb_points(const std::string& path, const ParticleFile&, bool small);

}  // namespace firn
