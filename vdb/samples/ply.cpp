// PLY: text and both binary orders. Reads the vertices' x, y, z and the faces' corners, and passes over the rest.

#include <algorithm>
#include <cstring>
#include <iterator>

#include "samples/mesh_reading.h"
#include "samples/mesh_text.h"
#include "samples/ply_header.h"
#include "samples/vec3.h"

namespace firn {

namespace {

/// One value after the other, as double: exact for every type of a PLY.
class TextValues {
public:
    TextValues(ByteWindow& bytes, const std::string& name, const PlyHeader& header)
        : text_(bytes, name, header.lines) {}
    double value(PlyType type) {
        if (!text_.next()) text_.fail("the file ends too early; it is cut off");
        if (type < PlyType::float32) return static_cast<double>(text_.integer("value"));
        return static_cast<double>(text_.number("value"));
    }
    bool next_triangle(uint64_t, std::vector<uint32_t>&) { return false; }
    [[noreturn]] void fail(const std::string& what) const { text_.fail(what); }
    static size_t bytes_of(PlyType) { return 2; }  ///< at least: a digit and a blank

private:
    MeshText text_;
};

class BinaryValues {
public:
    BinaryValues(ByteWindow& bytes, const std::string& name, const PlyHeader& header)
        : bytes_(bytes), name_(name), big_(header.order == PlyOrder::big) {}
    double value(PlyType type) {
        switch (type) {
            case PlyType::int8:
                return next<int8_t>();
            case PlyType::uint8:
                return next<uint8_t>();
            case PlyType::int16:
                return next<int16_t>();
            case PlyType::uint16:
                return next<uint16_t>();
            case PlyType::int32:
                return next<int32_t>();
            case PlyType::uint32:
                return next<uint32_t>();
            case PlyType::float32:
                return next<float>();
            case PlyType::float64:
                break;
        }
        return next<double>();
    }
    /// Takes a count of 3 (a byte) and three corners (32 bits each), if they come next and there are points for them.
    bool next_triangle(uint64_t points, std::vector<uint32_t>& corners) {
        if (big_ || !bytes_.has(13) || *bytes_.at != 3) return false;
        corners.resize(3);
        std::memcpy(corners.data(), bytes_.at + 1, 12);
        if (std::max({corners[0], corners[1], corners[2]}) >= std::min<uint64_t>(points, 1u << 31)) return false;
        bytes_.at += 13;
        return true;
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(name_ + ": byte " + std::to_string(bytes_.consumed()) + ": " + what);
    }
    static size_t bytes_of(PlyType type) { return ply_type_bytes(type); }

private:
    template <class Number>
    double next() {
        if (!bytes_.has(sizeof(Number))) fail("the file ends too early; it is cut off");
        unsigned char here[sizeof(Number)];
        std::memcpy(here, bytes_.at, sizeof here);
        if (big_) std::reverse(std::begin(here), std::end(here));
        Number number;
        std::memcpy(&number, here, sizeof number);
        bytes_.at += sizeof here;
        return static_cast<double>(number);
    }

    ByteWindow& bytes_;
    const std::string& name_;
    bool big_;
};

template <class Values>
uint64_t list_length(Values& values, const PlyProperty& property) {
    const double length = values.value(property.count_type);
    if (length < 0) values.fail("a list of length " + std::to_string(static_cast<int64_t>(length)));
    return static_cast<uint64_t>(length);
}

template <class Values>
void skip(Values& values, const PlyProperty& property) {
    const uint64_t length = property.list ? list_length(values, property) : 1;
    for (uint64_t i = 0; i < length; ++i) values.value(property.type);
}

template <class Values>
void read_points(Values& values, const PlyElement& element, MeshSink& sink) {
    int axis_of_property[3] = {-1, -1, -1};
    for (size_t i = 0; i < element.properties.size(); ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const PlyProperty& p = element.properties[i];
            if (!p.list && p.name == std::string_view(&"xyz"[axis], 1)) axis_of_property[axis] = static_cast<int>(i);
        }
    }
    if (axis_of_property[0] < 0 || axis_of_property[1] < 0 || axis_of_property[2] < 0) {
        values.fail("the vertices have no x, y and z");
    }
    if (element.count > UINT32_MAX) values.fail("more points than 2^32");
    for (uint64_t n = 0; n < element.count; ++n) {
        float at[3] = {0, 0, 0};
        for (size_t i = 0; i < element.properties.size(); ++i) {
            const PlyProperty& p = element.properties[i];
            if (p.list) {
                skip(values, p);
                continue;
            }
            const double value = values.value(p.type);
            for (int axis = 0; axis < 3; ++axis) {
                if (axis_of_property[axis] != static_cast<int>(i)) continue;
                // A double beyond float's range must not be cast.
                if (!(std::abs(value) <= 3.4e38)) {
                    values.fail("vertex " + std::to_string(n) + " is not finite; repair the mesh where it was made");
                }
                at[axis] = static_cast<float>(value);
            }
        }
        sink.point({at[0], at[1], at[2]});
    }
}

/// Whether there was one.
template <class Values>
bool read_faces(Values& values, const PlyElement& element, uint64_t points, MeshSink& sink) {
    std::vector<uint32_t> corners;
    bool found = false;
    const auto has_corners = [](const PlyProperty& p) {
        return p.list && (p.name == "vertex_indices" || p.name == "vertex_index");
    };
    // Most faces have nothing but corners, of one size.
    const bool plain = element.properties.size() == 1 && has_corners(element.properties[0]) &&
                       element.properties[0].count_type == PlyType::uint8 &&
                       (element.properties[0].type == PlyType::int32 || element.properties[0].type == PlyType::uint32);
    for (uint64_t n = 0; n < element.count; ++n) {
        if (plain && values.next_triangle(points, corners)) {
            sink.face(corners);
            found = true;
            continue;
        }
        for (const PlyProperty& p : element.properties) {
            if (!has_corners(p)) {
                skip(values, p);
                continue;
            }
            const uint64_t length = list_length(values, p);
            if (length < 3) values.fail("face " + std::to_string(n) + " has " + std::to_string(length) + " corners");
            corners.clear();
            for (uint64_t i = 0; i < length; ++i) {
                const double corner = values.value(p.type);
                if (!(corner >= 0) || corner >= static_cast<double>(points)) {
                    values.fail("face " + std::to_string(n) + " has corner " + std::to_string(corner) +
                                ", but there are " + std::to_string(points) + " points before it");
                }
                corners.push_back(static_cast<uint32_t>(corner));
            }
            sink.face(corners);
            found = true;
        }
    }
    return found;
}

template <class Values>
void parse_body(Values values, const PlyHeader& header, uint64_t bytes_left, const std::string& name, MeshSink& sink) {
    // A count that the rest of the file can't hold is found before memory is taken for it.
    for (const PlyElement& element : header.elements) {
        uint64_t least = 0;
        for (const PlyProperty& p : element.properties) least += Values::bytes_of(p.list ? p.count_type : p.type);
        if (element.count > 0 && (least == 0 || element.count > (bytes_left + 1) / least)) {
            values.fail("announces " + std::to_string(element.count) + " of '" + short_token(element.name) +
                        "', but only " + std::to_string(bytes_left) + " bytes follow; it is cut off or damaged");
        }
    }
    const auto announced = [&](const char* what) {
        uint64_t sum = 0;
        for (const PlyElement& element : header.elements) sum += element.name == what ? element.count : 0;
        return sum;
    };
    sink.expect(announced("vertex"), announced("face"));
    uint64_t points = 0;
    bool has_faces = false;
    for (const PlyElement& element : header.elements) {
        if (element.name == "vertex") {
            if (points > 0) values.fail("vertices twice");
            read_points(values, element, sink);
            points = element.count;
        } else if (element.name == "face") {
            has_faces = read_faces(values, element, points, sink) || has_faces;
        } else {
            for (uint64_t n = 0; n < element.count; ++n) {
                for (const PlyProperty& p : element.properties) skip(values, p);
            }
        }
    }
    if (!has_faces) throw Error(name + ": no faces in this PLY (" + std::to_string(points) + " points)");
}

}  // namespace

void read_ply(ByteWindow& bytes, const std::string& name, MeshSink& sink) {
    const PlyHeader header = read_ply_header(bytes, name);
    const uint64_t left = bytes.size() - bytes.consumed();
    if (header.order == PlyOrder::text)
        parse_body(TextValues(bytes, name, header), header, left, name, sink);
    else
        parse_body(BinaryValues(bytes, name, header), header, left, name, sink);
}

}  // namespace firn
