// STL, text and binary. It repeats every corner; equal places become one point.

#include <algorithm>
#include <cstring>

#include "samples/mesh_reading.h"
#include "samples/mesh_text.h"
#include "samples/vec3.h"

namespace firn {

namespace {

constexpr const char* no_triangles = ": no triangles in this STL";
constexpr size_t header = 84, record = 50;  ///< bytes: 80 of comment and the count; 12 floats and two bytes a triangle

uint32_t little_endian(const char* bytes) {
    const auto* b = reinterpret_cast<const unsigned char*>(bytes);
    return uint32_t(b[0]) | uint32_t(b[1]) << 8 | uint32_t(b[2]) << 16 | uint32_t(b[3]) << 24;
}

void parse_binary(ByteWindow& bytes, const std::string& name, MeshSink& sink) {
    if (!bytes.has(header)) {
        throw Error(name + ": " + std::to_string(bytes.size()) + " bytes are too few for an STL");
    }
    const uint64_t count = little_endian(bytes.at + 80);
    if (bytes.size() - header < count * record) {
        throw Error(name + ": announces " + std::to_string(count) + " triangles (" +
                    std::to_string(header + count * record) + " bytes), but has only " + std::to_string(bytes.size()) +
                    " bytes; it is cut off or no STL");
    }
    if (count == 0) throw Error(name + no_triangles);
    sink.expect(count / 2 + 4, count);
    bytes.at += header;
    std::array<Float3, 3> corners;
    for (uint64_t t = 0; t < count; ++t, bytes.at += record) {
        if (!bytes.has(record)) throw Error(name + ": can't be read to its end");
        for (size_t k = 0; k < 3; ++k) {
            const size_t at = 12 + 12 * k;
            uint32_t bits[3];
            for (size_t c = 0; c < 3; ++c) bits[c] = little_endian(bytes.at + at + 4 * c);
            Float3& p = corners[k];
            std::memcpy(&p, bits, sizeof p);
            if (!finite(p)) {
                throw Error(name + ": byte " + std::to_string(bytes.consumed() + at) + ": triangle " +
                            std::to_string(t) + " has a corner that is not finite; repair the mesh where it was made");
            }
        }
        sink.triangle(corners);
    }
}

void parse_text(ByteWindow& bytes, const std::string& name, MeshSink& sink) {
    MeshText text(bytes, name);
    sink.expect(bytes.size() / 400 + 4, bytes.size() / 200);
    std::array<Float3, 3> triangle{};
    size_t corners = 0;
    bool in_loop = false, found = false;
    while (text.next()) {
        const std::string_view word = text.word();
        if (word == "vertex") {
            if (!in_loop || corners == 3) text.fail("a vertex outside of a loop of three");
            float at[3];
            for (float& coordinate : at) {
                if (!text.next()) text.fail("a vertex needs three coordinates");
                coordinate = text.number("coordinate");
            }
            triangle[corners++] = {at[0], at[1], at[2]};
        } else if (word == "outer") {
            in_loop = true;
            corners = 0;
            text.skip_line();
        } else if (word == "endloop") {
            if (!in_loop || corners != 3) text.fail("a facet of " + std::to_string(corners) + " corners, not three");
            sink.triangle(triangle);
            in_loop = false;
            found = true;
        } else if (word == "solid" || word == "endsolid" || word == "facet") {
            text.skip_line();
        } else if (word != "endfacet") {
            text.fail("'" + short_token(word) + "' is no word of an STL");
        }
    }
    if (in_loop) text.fail("the file ends within a facet; it is cut off");
    if (!found) throw Error(name + no_triangles);
}

}  // namespace

void read_stl(ByteWindow& bytes, const std::string& name, MeshSink& sink) {
    // Binary files may begin with "solid" too; but their length fits their count, or they are full of zeros.
    const bool fits = bytes.has(header) && bytes.size() - header == uint64_t(little_endian(bytes.at + 80)) * record;
    bytes.has(512);
    const std::string_view first(bytes.at, std::min<size_t>(512, static_cast<size_t>(bytes.end - bytes.at)));
    const bool is_text = !fits && first.substr(0, 5) == "solid" && first.find('\0') == first.npos;
    if (is_text)
        parse_text(bytes, name, sink);
    else
        parse_binary(bytes, name, sink);
}

}  // namespace firn
