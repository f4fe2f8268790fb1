#pragma once

// Render grains in files: .vdb (points, small, made brick by brick), .bgeo (every bit, all in memory), .bgeo.sc (the
// same, compressed) and .usda (text, for stages and Blender; all in memory).

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "firn/grains.h"
#include "firn/particle_file.h"
#include "firn/volume_file.h"

namespace firn {

/// A particle file says where its particles were born in the attributes `rest` (m) and `birth` (s).
void add_births(ParticleFile&, const GrainBirths&);
/// Nothing for a file that does not say. `birth` alone may be missing.
GrainBirths births_of(const ParticleFile&);

struct GrainFileSettings {
    /// Of a .vdb: bits for each coordinate within a voxel of about two grains, 8 or 16, or 32 for floats throughout.
    /// With 16 velocities and radii are half floats. With 8 a grain is off its place by up to 1/100 of the distance to
    /// the next, its velocity by 2.7 % and its radius by 1.6 %.
    /// Of a .bgeo.sc: with 16, places are off by up to 1/512 of that distance, and other numbers are half floats.
    int bits = 8;
    /// More attributes: a name and a value for each particle, which its grains inherit.
    std::vector<std::pair<std::string, std::vector<float>>> attributes;
    std::string scene;  ///< kept as metadata
    std::string rest;   ///< where the births come from, if not from the particles: other births, other grains
};

struct GrainFileStatistics {
    uint64_t grains = 0;
    double mass = 0;  ///< kg
};

/// P, v, id, pscale and the attributes, by the name's ending. Whole or not at all; equal grains give equal bytes.
/// Throws Error; before memory is taken for what does not fit into it.
GrainFileStatistics write_grains(const std::string& path, const GrainField&, const Particles&, const FrameStamp&,
                                 const GrainFileSettings&, const std::function<bool()>& interrupted = {});

/// Whether write_grains() has left just these grains there: the whole file, made with the same settings (but for the
/// threads) for the same frame. Of the particles it knows nothing but the names of the attributes.
bool grains_are_whole(const std::string& path, const GrainSettings&, const GrainFileSettings&, const FrameStamp&);

}  // namespace firn
