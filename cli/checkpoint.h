#pragma once

// The state of a run, to go on from: particles with every array, how far the frame is, and the physics they belong to.
// One binary file, little-endian: "FIRNCHK1", length and checksum of what follows, then the fields in order.

#include <cstdint>
#include <string>

#include "firn/engine.h"
#include "firn/particles.h"

namespace firn {

struct Checkpoint {
    std::string version;  ///< of Firn
    std::string device;   ///< Engine::device(); another one gives other bits
    std::string physics;  ///< physics_text() of the scene
    int frame = 0;        ///< whole frames that are done end here
    FrameStart into;      ///< how far the next frame is
    int64_t next_id = 0;
    float spacing = 0;  ///< m
    Particles particles;
};

/// Whole or not at all. Throws Error.
void write_checkpoint(const std::string& path, const Checkpoint&);
/// Throws Error for what is truncated, damaged, foreign or from a newer Firn.
Checkpoint read_checkpoint(const std::string& path);
/// The same from memory; `path` is for messages.
Checkpoint parse_checkpoint(const char* bytes, size_t size, const std::string& path);

/// Puts magic, length and checksum of a file in memory right, for tests that must get past them.
void seal_checkpoint(std::string& bytes);

}  // namespace firn
