// Houdini's classic .bgeo, "BgeoV" version 5, as Houdini 11 and Partio write it: big-endian; the definitions of the
// point attributes, then one record of 32-bit words for each point, then primitives and the attributes of the whole.

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "files/byte_cursor.h"
#include "files/columns.h"
#include "files/formats.h"
#include "files/output.h"
#include "firn/error.h"
#include "firn/short_token.h"

namespace firn {

namespace {

enum class ClassicType : int32_t { real = 0, integer = 1, text = 4, vector = 5 };
constexpr int32_t particle_system = 0x8000;

uint32_t swapped(uint32_t word) {
    return __builtin_bswap32(word);
}

// Reading.

struct ClassicColumn {
    std::string name;
    ClassicType type = ClassicType::real;
    size_t size = 0;
    std::vector<std::string> strings;
};

class ClassicReader : ByteCursor {
public:
    ClassicReader(const std::string& name, const uint8_t* bytes, size_t size)
        : ByteCursor(bytes, size, name), budget_(size) {}

    ParticleFile read() {
        take(5);  // is_bgeo_classic() has seen them
        const int32_t version = integer();
        if (version != 5) fail(5, "version " + std::to_string(version) + " of classic .bgeo; only version 5 is known");
        const size_t points = number("points");
        const size_t primitives = number("primitives");
        const size_t groups = number("point groups");
        number("primitive groups");
        const size_t point_attributes = number("point attributes");
        const size_t vertex_attributes = number("vertex attributes");
        const size_t primitive_attributes = number("primitive attributes");
        const size_t attributes = number("attributes");

        std::vector<ClassicColumn> columns = definitions(point_attributes);
        ParticleFile file = read_points(columns, points);
        file.primitives_left_out = primitives;
        file.groups_left_out = groups;
        // What follows is for the facts of the whole. Polygons and the like are no business of particles: where they
        // stand in the way, the facts are passed over with them.
        if (vertex_attributes == 0 && pass_particle_systems(primitives, primitive_attributes, points))
            read_details(file, attributes);
        return file;
    }

private:
    int32_t integer() {
        uint32_t word;
        std::memcpy(&word, take(4), 4);
        return static_cast<int32_t>(swapped(word));
    }
    size_t short_integer() {
        const uint8_t* two = take(2);
        return static_cast<size_t>(two[0] << 8 | two[1]);
    }
    size_t number(const char* what) {
        const size_t at = offset_;
        const int32_t count = integer();
        // Each of them takes a few bytes at least.
        if (count < 0 || static_cast<size_t>(count) > size_)
            fail(at, std::to_string(count) + " " + what + " can't be in a file of " + std::to_string(size_) + " bytes");
        return static_cast<size_t>(count);
    }
    std::string text() {
        const size_t length = short_integer();
        const uint8_t* begin = take(length);
        return {begin, begin + length};
    }

    std::vector<ClassicColumn> definitions(size_t count) {
        std::vector<ClassicColumn> columns;
        for (size_t i = 0; i < count; ++i) {
            const size_t at = offset_;
            ClassicColumn column;
            column.name = text();
            column.size = short_integer();
            const int32_t type = integer();
            column.type = static_cast<ClassicType>(type);
            if (column.size == 0) fail(at, "attribute '" + short_token(column.name) + "' has no size");
            if (column.type == ClassicType::text) {
                const size_t texts = number("texts");
                for (size_t k = 0; k < texts; ++k) {
                    column.strings.push_back(text());
                    if (!budget_.take(1, 1, sizeof(std::string) + column.strings.back().size()))
                        fail(at, "too much text");
                }
            } else if (type == 0 || type == 1 || type == 5) {
                take(4 * column.size);  // the default
            } else {
                fail(at, "attribute '" + short_token(column.name) + "' is of type " + std::to_string(type) +
                             ", which is unknown here; save the file as a modern .bgeo");
            }
            columns.push_back(std::move(column));
        }
        return columns;
    }

    static size_t words(const std::vector<ClassicColumn>& columns) {
        size_t sum = 0;
        for (const ClassicColumn& column : columns) sum += column.size;
        return sum;
    }

    ParticleFile read_points(std::vector<ClassicColumn>& columns, size_t count) {
        const size_t at = offset_;
        const size_t record = 4 + words(columns);
        const uint8_t* records = take(uint64_t{count} * record * 4);  // both below 2^31 and 2^47
        ParticleFile file;
        fill(add_column(file, "P", "point", Storage::float32, 3, count), records, record, 0, 3, count);
        size_t first = 4;
        for (ClassicColumn& column : columns) {
            const bool whole = column.type == ClassicType::integer || column.type == ClassicType::text;
            if (column.name == "P" || (count > 0 && !budget_.take(count, column.size, 8)))
                fail(at, "attribute '" + short_token(column.name) + "' can't be in a file of this size");
            const ColumnSpace space =
                add_column(file, column.name, column.type == ClassicType::vector ? "vector" : "",
                           whole ? Storage::int32 : Storage::float32, static_cast<int>(column.size), count);
            fill(space, records, record, first, column.size, count);
            if (column.type == ClassicType::text) {
                check_indices(space, count * column.size, column, at);
                if (!file.extra.empty() && file.extra.back().name == column.name)
                    file.extra.back().strings = std::move(column.strings);
            }
            first += column.size;
        }
        finish_columns(file, count, name_ + ": ");
        return file;
    }

    void check_indices(const ColumnSpace& space, size_t count, const ClassicColumn& column, size_t at) const {
        for (size_t i = 0; space.integers && i < count; ++i) {
            if (space.integers[i] < -1 || space.integers[i] >= static_cast<int64_t>(column.strings.size()))
                fail(at, "attribute '" + short_token(column.name) + "' names text " +
                             std::to_string(space.integers[i]) + " of " + std::to_string(column.strings.size()));
        }
    }

    /// Copies words [first, first + size) of every record.
    static void fill(const ColumnSpace& space, const uint8_t* records, size_t record, size_t first, size_t size,
                     size_t count) {
        for (size_t i = 0; i < count; ++i) {
            const uint8_t* from = records + (i * record + first) * 4;
            for (size_t c = 0; c < size; ++c) {
                uint32_t word;
                std::memcpy(&word, from + 4 * c, 4);
                word = swapped(word);
                if (space.floats)
                    std::memcpy(space.floats + i * size + c, &word, 4);
                else
                    space.integers[i * size + c] = static_cast<int32_t>(word);
            }
        }
    }

    /// False where something else than a particle system stands.
    bool pass_particle_systems(size_t primitives, size_t attributes, size_t points) {
        const size_t attribute_words = words(definitions(attributes));
        for (size_t i = 0; i < primitives; ++i) {
            if (integer() != particle_system) return false;
            const size_t vertices = number("vertices");
            take(uint64_t{vertices} * (points < 65536 ? 2 : 4));
            take(uint64_t{attribute_words} * 4);
        }
        return true;
    }

    void read_details(ParticleFile& file, size_t count) {
        const std::vector<ClassicColumn> columns = definitions(count);
        for (const ClassicColumn& column : columns) {
            const size_t at = offset_;
            std::string value;
            for (size_t c = 0; c < column.size; ++c) {
                uint32_t word;
                std::memcpy(&word, take(4), 4);
                word = swapped(word);
                float real;
                std::memcpy(&real, &word, 4);
                const int32_t whole = static_cast<int32_t>(word);
                if (c > 0) value += ' ';
                if (column.type == ClassicType::integer) {
                    value += text_of(int64_t{whole});
                } else if (column.type != ClassicType::text) {
                    value += text_of(real);
                } else if (whole >= 0) {
                    if (static_cast<size_t>(whole) >= column.strings.size() ||
                        !budget_.take(1, 1, column.strings[static_cast<size_t>(whole)].size() + 1))
                        fail(at, "attribute '" + short_token(column.name) + "' names text " + std::to_string(whole) +
                                     " of " + std::to_string(column.strings.size()));
                    value += column.strings[static_cast<size_t>(whole)];
                }
            }
            file.metadata[column.name] = value;
        }
    }

    MemoryBudget budget_;
};

// Writing.

class ClassicWriter {
public:
    ClassicWriter(Output& output, const ParticleFile& file)
        : output_(output), file_(file), columns_(columns_of(file)), details_(details_of(file)) {}

    void write() {
        const size_t count = file_.particles.count();
        if (count > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
            throw Error("classic .bgeo holds no more than 2^31 particles; write a modern .bgeo");
        output_.write("BgeoV", 5);
        word(5);
        word(static_cast<uint32_t>(count));
        word(0);                                           // primitives
        word(0);                                           // point groups
        word(0);                                           // primitive groups
        word(static_cast<uint32_t>(columns_.size() - 1));  // P is part of every record
        word(0);                                           // vertex attributes
        word(0);                                           // primitive attributes
        word(static_cast<uint32_t>(details_.size()));
        for (size_t i = 1; i < columns_.size(); ++i) define(columns_[i]);
        write_points(count);
        for (const Detail& detail : details_) define(detail);
        for (const Detail& detail : details_) word(detail_word(detail));
        // An empty section for extras ends the file.
        output_.write("\x00\xff", 2);
    }

private:
    void word(uint32_t value) { output_.value(swapped(value)); }
    void short_word(size_t value) {
        const uint8_t two[] = {static_cast<uint8_t>(value >> 8), static_cast<uint8_t>(value)};
        output_.write(two, 2);
    }
    void text(const std::string& text) {
        if (text.size() > 0xffff) throw Error("classic .bgeo holds no text of more than 65535 bytes");
        short_word(text.size());
        output_.write(text);
    }
    static uint32_t bits(float value) {
        uint32_t word;
        std::memcpy(&word, &value, 4);
        return word;
    }
    static uint32_t narrow(int64_t value, const std::string& name) {
        if (value != static_cast<int32_t>(value))
            throw Error("attribute '" + name + "': " + std::to_string(value) +
                        " does not fit the 32 bits of classic .bgeo; write a modern .bgeo");
        return static_cast<uint32_t>(value);
    }

    void define(const Column& column) {
        text(column.name);
        short_word(static_cast<size_t>(column.components));
        if (column.strings) {
            word(static_cast<uint32_t>(ClassicType::text));
            word(static_cast<uint32_t>(column.strings->size()));
            for (const std::string& entry : *column.strings) text(entry);
            return;
        }
        const bool vector = column.floats && column.components == 3 && !column.meaning.empty();
        const ClassicType type = column.integers ? ClassicType::integer
                                 : vector        ? ClassicType::vector
                                                 : ClassicType::real;
        word(static_cast<uint32_t>(type));
        for (int c = 0; c < column.components; ++c)
            word(column.integers ? static_cast<uint32_t>(static_cast<int32_t>(column.standard))
                                 : bits(static_cast<float>(column.standard)));
    }

    /// A real number that 32 bits can't hold is kept as text.
    static bool is_float(const Detail& detail) {
        return detail.kind == Detail::Kind::real && text_of(static_cast<float>(detail.real)) == detail.text;
    }
    static bool is_integer(const Detail& detail) {
        return detail.kind == Detail::Kind::integer && detail.integer == static_cast<int32_t>(detail.integer);
    }
    void define(const Detail& detail) {
        text(detail.name);
        short_word(1);
        if (is_float(detail) || is_integer(detail)) {
            word(static_cast<uint32_t>(is_float(detail) ? ClassicType::real : ClassicType::integer));
            word(0);
        } else {
            word(static_cast<uint32_t>(ClassicType::text));
            word(1);
            text(detail.text);
        }
    }
    static uint32_t detail_word(const Detail& detail) {
        if (is_float(detail)) return bits(static_cast<float>(detail.real));
        return is_integer(detail) ? static_cast<uint32_t>(detail.integer) : 0;
    }

    void write_points(size_t count) {
        size_t record = 4;
        for (size_t i = 1; i < columns_.size(); ++i) record += static_cast<size_t>(columns_[i].components);
        constexpr size_t block = 1024;
        std::vector<uint32_t> words(block * record);
        const uint32_t one = swapped(bits(1.0f));
        for (size_t first = 0; first < count; first += block) {
            const size_t points = std::min(block, count - first);
            size_t place = 0;
            for (const Column& column : columns_) {
                const size_t size = static_cast<size_t>(column.components);
                for (size_t i = 0; i < points; ++i) {
                    uint32_t* to = &words[i * record + place];
                    const size_t from = (first + i) * size;
                    for (size_t c = 0; c < size; ++c) to[c] = swapped(value(column, from + c));
                }
                place += size;
                if (place == 3) {
                    for (size_t i = 0; i < points; ++i) words[i * record + 3] = one;  // the fourth coordinate
                    place = 4;
                }
            }
            output_.write(words.data(), points * record * 4);
        }
    }
    static uint32_t value(const Column& column, size_t at) {
        if (column.floats) return bits(column.floats[at]);
        if (column.constant) return bits(*column.constant);
        if (column.integers) return narrow(column.integers[at], column.name);
        return bits(static_cast<float>(column.doubles[at]));
    }

    Output& output_;
    const ParticleFile& file_;
    std::vector<Column> columns_;
    std::vector<Detail> details_;
};

}  // namespace

bool is_bgeo_classic(const uint8_t* bytes, size_t size) {
    return size >= 5 && std::memcmp(bytes, "BgeoV", 5) == 0;
}

ParticleFile read_bgeo_classic(const std::string& name, const uint8_t* bytes, size_t size) {
    return ClassicReader(name, bytes, size).read();
}

std::optional<uint64_t> bgeo_classic_count(const uint8_t* bytes, size_t size) {
    constexpr size_t at = 9;  // behind "BgeoV" and the version
    if (size < at + 4) return {};
    uint32_t word;
    std::memcpy(&word, bytes + at, 4);
    const int32_t count = static_cast<int32_t>(swapped(word));
    if (count < 0) return {};
    return static_cast<uint64_t>(count);
}

void write_bgeo_classic(Output& output, const ParticleFile& file) {
    ClassicWriter(output, file).write();
}

}  // namespace firn
