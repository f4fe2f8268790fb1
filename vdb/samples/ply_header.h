#pragma once

// What a PLY says of itself before its values.

#include <cstdint>
#include <string>
#include <vector>

#include "samples/byte_window.h"

namespace firn {

enum class PlyType { int8, uint8, int16, uint16, int32, uint32, float32, float64 };
size_t ply_type_bytes(PlyType);

struct PlyProperty {
    std::string name;
    PlyType type = PlyType::float32;
    bool list = false;
    PlyType count_type = PlyType::uint8;
};
struct PlyElement {
    std::string name;
    uint64_t count = 0;
    std::vector<PlyProperty> properties;
};
enum class PlyOrder { text, little, big };

struct PlyHeader {
    PlyOrder order = PlyOrder::text;
    std::vector<PlyElement> elements;
    size_t lines = 0;
};

/// Moves on to the first of the values. Throws Error for what is no header.
PlyHeader read_ply_header(ByteWindow&, const std::string& name);

}  // namespace firn
