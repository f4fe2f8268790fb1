// STL, text and binary. It repeats every corner; equal places become one point.

#include <algorithm>
#include <cstring>

#include "samples/mesh_reading.h"
#include "samples/mesh_text.h"
#include "samples/point_welding.h"
#include "samples/vec3.h"

namespace firn {

namespace {

constexpr size_t header = 84, record = 50;  ///< bytes: 80 of comment and the count; 12 floats and two bytes a triangle

uint32_t little_endian(const char* bytes) {
    const auto* b = reinterpret_cast<const unsigned char*>(bytes);
    return uint32_t(b[0]) | uint32_t(b[1]) << 8 | uint32_t(b[2]) << 16 | uint32_t(b[3]) << 24;
}

Mesh parse_binary(ByteWindow& bytes, const std::string& name) {
    if (!bytes.has(header)) {
        throw Error(name + ": " + std::to_string(bytes.size()) + " bytes are too few for an STL");
    }
    const uint64_t count = little_endian(bytes.at + 80);
    if (bytes.size() - header < count * record) {
        throw Error(name + ": announces " + std::to_string(count) + " triangles (" +
                    std::to_string(header + count * record) + " bytes), but has only " + std::to_string(bytes.size()) +
                    " bytes; it is cut off or no STL");
    }
    PointWelding points(count / 2 + 4);
    Mesh mesh;
    mesh.triangles.resize(count);
    bytes.at += header;
    for (uint64_t t = 0; t < count; ++t, bytes.at += record) {
        if (!bytes.has(record)) throw Error(name + ": can't be read to its end");
        for (int k = 0; k < 3; ++k) {
            const int at = 12 + 12 * k;
            uint32_t bits[3];
            for (int c = 0; c < 3; ++c) bits[c] = little_endian(bytes.at + at + 4 * c);
            Float3 p;
            std::memcpy(&p, bits, sizeof p);
            if (!finite(p)) {
                throw Error(name + ": byte " + std::to_string(bytes.consumed() + static_cast<uint64_t>(at)) +
                            ": triangle " + std::to_string(t) +
                            " has a corner that is not finite; repair the mesh where it was made");
            }
            mesh.triangles[t][static_cast<size_t>(k)] = points.number(p);
        }
    }
    mesh.points = std::move(points.places());
    return mesh;
}

Mesh parse_text(ByteWindow& bytes, const std::string& name) {
    MeshText text(bytes, name);
    PointWelding points(bytes.size() / 400 + 4);
    Mesh mesh;
    std::array<uint32_t, 3> triangle{};
    size_t corners = 0;
    bool in_loop = false;
    while (text.next()) {
        const std::string_view word = text.word();
        if (word == "vertex") {
            if (!in_loop || corners == 3) text.fail("a vertex outside of a loop of three");
            float at[3];
            for (float& coordinate : at) {
                if (!text.next()) text.fail("a vertex needs three coordinates");
                coordinate = text.number("coordinate");
            }
            triangle[corners++] = points.number({at[0], at[1], at[2]});
        } else if (word == "outer") {
            in_loop = true;
            corners = 0;
            text.skip_line();
        } else if (word == "endloop") {
            if (!in_loop || corners != 3) text.fail("a facet of " + std::to_string(corners) + " corners, not three");
            mesh.triangles.push_back(triangle);
            in_loop = false;
        } else if (word == "solid" || word == "endsolid" || word == "facet") {
            text.skip_line();
        } else if (word != "endfacet") {
            text.fail("'" + short_token(word) + "' is no word of an STL");
        }
    }
    if (in_loop) text.fail("the file ends within a facet; it is cut off");
    mesh.points = std::move(points.places());
    return mesh;
}

}  // namespace

Mesh read_stl(ByteWindow& bytes, const std::string& name) {
    // Binary files may begin with "solid" too; but their length fits their count, or they are full of zeros.
    const bool fits = bytes.has(header) && bytes.size() - header == uint64_t(little_endian(bytes.at + 80)) * record;
    bytes.has(512);
    const std::string_view first(bytes.at, std::min<size_t>(512, static_cast<size_t>(bytes.end - bytes.at)));
    const bool is_text = !fits && first.substr(0, 5) == "solid" && first.find('\0') == first.npos;
    Mesh mesh = is_text ? parse_text(bytes, name) : parse_binary(bytes, name);
    if (mesh.triangles.empty()) throw Error(name + ": no triangles in this STL");
    return mesh;
}

}  // namespace firn
