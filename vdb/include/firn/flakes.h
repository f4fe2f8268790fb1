#pragma once

// A source of snow, frame by frame: flakes appear at random in a shape, never on top of other snow. What appears
// depends only on the shape, the frame and the snow that is there.

#include <cstdint>
#include <vector>

#include "firn/vector.h"

namespace firn {

/// How many flakes a source of `rate` kg/s lets out in a frame; `frames` = frames since it opened.
uint64_t flakes_in_frame(double rate, double particle_mass, double seconds_per_frame, double frames);

/// Each flake may try so many places.
constexpr int flake_tries = 8;

/// Where the flakes of a frame may appear: flake_tries places for each flake, in the order in which they are tried.
/// `shape` are the particles that fill the source's shape.
std::vector<Float3> flake_places(const std::vector<Float3>& shape, uint64_t flakes, uint32_t seed, int64_t frame,
                                 float spacing);

/// For each flake the index of the first of its places that is not taken, by `snow` or by a flake before it. Where all
/// are taken the source is choked, and the flake is lost.
std::vector<uint64_t> free_places(const std::vector<Float3>& places, const std::vector<Float3>& snow, float spacing);

/// For each point, whether one of `snow` lies nearer than `distance` metres.
std::vector<uint8_t> near_any(const std::vector<Float3>& points, const std::vector<Float3>& snow, float distance);

}  // namespace firn
