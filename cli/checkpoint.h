#pragma once

// The state of a run, which --resume starts from: a particle file (.bgeo) with every array, which Houdini and `firn
// preview` can open, and as its detail attributes how far the frame is and the physics that the particles belong to.

#include <cstdint>
#include <string>

#include "firn/engine.h"
#include "firn/grains.h"
#include "firn/particle_file.h"
#include "firn/particles.h"

namespace firn {

struct Checkpoint {
    std::string version;     ///< of Firn
    std::string arithmetic;  ///< Engine::arithmetic(); another one gives other bits
    std::string physics;     ///< physics_text() of the scene
    int frame = 0;           ///< the last whole frame
    FrameStart into;         ///< how far the next frame is
    std::string begun;       ///< frame_record_text() of what the next frame took so far; "" = nothing is known
    int64_t next_id = 0;
    float spacing = 0;  ///< m
    Particles particles;
    GrainBirths births;  ///< for `firn grains`; none in checkpoints of older versions
};

/// Whole or not at all. The particles are moved into the file's structure while it is written, and back. Throws Error.
void write_checkpoint(const std::string& path, Checkpoint&);

/// Every value is bit for bit what was written. Throws Error for what is truncated, damaged, foreign, from a newer Firn
/// or in the format that Firn used before.
Checkpoint read_checkpoint(const std::string& path);
/// The same from memory; `path` is for messages.
Checkpoint parse_checkpoint(const char* bytes, size_t size, const std::string& path);

/// Whether a particle file is a checkpoint.
bool is_checkpoint(const ParticleFile&);

}  // namespace firn
