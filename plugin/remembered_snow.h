#pragma once

// What the DOP solver remembers from step to step, and its form in a file. Nothing here needs Houdini.

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "firn/collider.h"

namespace firn {

/// A CollidingObject whose shape may be shared with other steps.
struct RememberedCollider {
    int object = -1;
    std::string piece;
    Motion motion = Motion::still;
    Transform placement;
    std::shared_ptr<const ColliderShape> rest;
    std::shared_ptr<const std::vector<Float3>> points;  ///< of a deforming one
};

struct RememberedSnow {
    std::vector<RememberedCollider> colliders;
    std::map<int, int64_t> emitted;
};

/// The same points, polygons and normals, bit by bit.
bool same_shape(const ColliderShape&, const ColliderShape&);

/// Bytes of memory; what is shared counts for each holder by its share.
int64_t memory_of(const RememberedSnow&);

/// Little endian, numbers of 32 and 64 bits as they are in memory.
void write_remembered(std::ostream&, const RememberedSnow&);

/// Reads exactly so many bytes, or returns false.
using ReadBytes = std::function<bool(char* to, size_t bytes)>;
/// False for bytes that are no state, or of another version; then `to` is as it was.
bool read_remembered(const ReadBytes&, RememberedSnow& to);

}  // namespace firn
