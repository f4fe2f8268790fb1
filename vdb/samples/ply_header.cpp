#include "samples/ply_header.h"

#include <optional>

#include "samples/mesh_text.h"

namespace firn {

namespace {

std::optional<PlyType> type_named(std::string_view name) {
    constexpr std::pair<std::string_view, PlyType> names[] = {
        {"char", PlyType::int8},      {"int8", PlyType::int8},       {"uchar", PlyType::uint8},
        {"uint8", PlyType::uint8},    {"short", PlyType::int16},     {"int16", PlyType::int16},
        {"ushort", PlyType::uint16},  {"uint16", PlyType::uint16},   {"int", PlyType::int32},
        {"int32", PlyType::int32},    {"uint", PlyType::uint32},     {"uint32", PlyType::uint32},
        {"float", PlyType::float32},  {"float32", PlyType::float32}, {"double", PlyType::float64},
        {"float64", PlyType::float64}};
    for (const auto& [known, type] : names) {
        if (name == known) return type;
    }
    return {};
}

}  // namespace

size_t ply_type_bytes(PlyType type) {
    constexpr size_t bytes[] = {1, 1, 2, 2, 4, 4, 4, 8};
    return bytes[static_cast<int>(type)];
}

PlyHeader read_ply_header(ByteWindow& bytes, const std::string& name) {
    MeshText text(bytes, name);
    PlyHeader header;
    bool has_format = false;
    if (!text.next_in_line() || text.word() != "ply") text.fail("a PLY begins with the line 'ply'");
    const auto word = [&](const char* what) {
        if (!text.next_in_line()) text.fail(std::string("the line ends before its ") + what);
        return text.word();
    };
    const auto type = [&] {
        const std::string_view named = word("type");
        const auto known = type_named(named);
        if (!known) text.fail("'" + short_token(named) + "' is no type of a PLY");
        return *known;
    };
    for (text.skip_line(); text.next(); text.skip_line()) {
        const std::string_view key = text.word();
        if (key == "format") {
            const std::string_view order = word("order");
            if (order == "ascii") {
                header.order = PlyOrder::text;
            } else if (order == "binary_little_endian") {
                header.order = PlyOrder::little;
            } else if (order == "binary_big_endian") {
                header.order = PlyOrder::big;
            } else {
                text.fail("'" + short_token(order) + "' is no format of a PLY");
            }
            has_format = true;
        } else if (key == "element") {
            PlyElement element;
            element.name = word("name");
            if (!text.next_in_line()) text.fail("an element needs a count");
            const int64_t count = text.integer("count");
            if (count < 0) text.fail("an element has the count " + std::to_string(count));
            element.count = static_cast<uint64_t>(count);
            header.elements.push_back(element);
        } else if (key == "property") {
            if (header.elements.empty()) text.fail("a property before the first element");
            PlyProperty property;
            const std::string_view first = word("type");
            property.list = first == "list";
            if (property.list) {
                property.count_type = type();
                if (property.count_type >= PlyType::float32) text.fail("a list's count must be a whole number");
                property.type = type();
            } else {
                const auto known = type_named(first);
                if (!known) text.fail("'" + short_token(first) + "' is no type of a PLY");
                property.type = *known;
            }
            property.name = word("name");
            header.elements.back().properties.push_back(property);
        } else if (key == "end_header") {
            if (!has_format) text.fail("no 'format' line in the header");
            text.skip_line();
            header.lines = text.line();
            return header;
        } else if (key != "comment" && key != "obj_info") {
            text.fail("'" + short_token(key) + "' is no word of a PLY's header");
        }
    }
    text.fail("the header has no end_header; the file is cut off");
}

}  // namespace firn
