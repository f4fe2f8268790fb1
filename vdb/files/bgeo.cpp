// Houdini's modern .bgeo: geometry as binary JSON. Attributes come in pages of 1024 points; a page whose points are all
// equal is stored once.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "files/binary_json.h"
#include "files/columns.h"
#include "files/formats.h"
#include "files/half.h"
#include "files/output.h"
#include "firn/error.h"
#include "firn/short_token.h"

namespace firn {

namespace {

constexpr size_t page_size = 1024;

// Reading.

/// What the file says about a column, before its numbers.
struct Layout {
    int64_t size = -1;
    std::string_view storage;
    int64_t page = -1;
    std::vector<int64_t> packing;                ///< how a tuple is cut; empty = not at all
    std::vector<std::vector<uint8_t>> constant;  ///< for each part of the tuple and each page; empty = none
};

struct Definition {
    std::string_view type, name, meaning;
};

bool storage_of(std::string_view name, Storage& storage) {
    if (name == "fpreal32" || name == "fpreal16") {
        storage = Storage::float32;
    } else if (name == "fpreal64") {
        storage = Storage::float64;
    } else if (name == "int64") {
        storage = Storage::int64;
    } else if (name == "int32" || name == "int16" || name == "int8" || name == "uint8") {
        storage = Storage::int32;
    } else {
        return false;
    }
    return true;
}

class BgeoReader {
public:
    BgeoReader(const std::string& name, const uint8_t* bytes, size_t size)
        : name_(name), json_(name, bytes, size), budget_(size) {}

    ParticleFile read() {
        bool complete = false;
        json_.pairs([&](std::string_view key) {
            if (key == "pointcount") {
                read_count();
            } else if (key == "attributes") {
                if (!has_count_) json_.fail(json_.offset(), "attributes before the number of points");
                read_attributes();
                complete = true;
            } else if (key == "primitivecount") {
                file_.primitives_left_out = static_cast<uint64_t>(std::max<int64_t>(0, json_.integer()));
            } else if (key == "pointgroups") {
                if (!has_count_) json_.fail(json_.offset(), "groups before the number of points");
                json_.elements([&] { read_group(); });
            } else {
                json_.skip();
            }
        });
        if (!has_count_) json_.fail(json_.offset(), "the file does not say how many points it has");
        if (!complete && count_ > 0) json_.fail(json_.offset(), "the file has points but no attributes");
        finish_columns(file_, count_, name_ + ": ");
        for (const PointGroup& group : file_.groups)
            if (group.member.size() != count_) json_.fail(json_.offset(), "the number of points changes");
        return std::move(file_);
    }

private:
    void read_count() {
        const size_t at = json_.offset();
        const int64_t count = json_.integer();
        // Even points that are all equal need a value for each page of each attribute; one byte for each point is far
        // less than any particle takes.
        if (count < 0 || static_cast<uint64_t>(count) > json_.size() + 4 * page_size) {
            json_.fail(
                at, std::to_string(count) + " points can't be in a file of " + std::to_string(json_.size()) + " bytes");
        }
        count_ = static_cast<size_t>(count);
        has_count_ = true;
    }

    void read_attributes() {
        json_.pairs([&](std::string_view owner) {
            if (owner != "pointattributes" && owner != "globalattributes") return json_.skip();
            json_.elements([&] { read_attribute(owner == "globalattributes"); });
        });
    }

    void read_attribute(bool global) {
        bool first = true;
        Definition definition;
        json_.elements([&] {
            if (first) {
                definition = read_definition();
            } else if (definition.type == "numeric" || definition.type == "string") {
                read_data(definition, global);
            } else {
                json_.skip();  // arrays, dictionaries, indices: nothing that a particle needs
            }
            first = false;
        });
    }

    Definition read_definition() {
        Definition definition;
        json_.pairs([&](std::string_view key) {
            if (key == "type") {
                definition.type = json_.string();
            } else if (key == "name") {
                definition.name = json_.string();
            } else if (key == "options") {
                json_.pairs([&](std::string_view option) {
                    if (option != "type") return json_.skip();
                    json_.pairs([&](std::string_view part) {
                        if (part != "value") return json_.skip();
                        const JsonReader::Value value = json_.next();
                        if (value.kind == JsonReader::Kind::string)
                            definition.meaning = value.text;
                        else
                            json_.skip(value);
                    });
                });
            } else {
                json_.skip();
            }
        });
        return definition;
    }

    void read_data(const Definition& definition, bool global) {
        std::vector<std::string_view> strings;
        json_.pairs([&](std::string_view key) {
            if (key == "strings" && definition.type == "string") {
                strings = json_.strings();
            } else if (key == (definition.type == "string" ? "indices" : "values")) {
                read_values(definition, strings, global);
            } else {
                json_.skip();
            }
        });
    }

    void read_values(const Definition& definition, const std::vector<std::string_view>& strings, bool global) {
        Layout layout;
        bool filled = false;
        json_.pairs([&](std::string_view key) {
            if (key == "size") {
                layout.size = json_.integer();
            } else if (key == "storage") {
                layout.storage = json_.string();
            } else if (key == "pagesize") {
                layout.page = json_.integer();
            } else if (key == "packing") {
                layout.packing = small_numbers<int64_t>();
            } else if (key == "constantpageflags") {
                json_.elements([&] { layout.constant.push_back(small_numbers<uint8_t>()); });
            } else if ((key == "rawpagedata" || key == "tuples" || key == "arrays") && !filled) {
                filled = true;
                fill(definition, strings, layout, key, global);
            } else {
                json_.skip();
            }
        });
    }

    void read_group() {
        const size_t at = json_.offset();
        PointGroup group;
        bool known = false, first = true;
        json_.elements([&] {
            json_.pairs([&](std::string_view key) {
                if (first && key == "name")
                    group.name = json_.string();
                else if (!first && key == "selection")
                    known = read_selection(group.member);
                else
                    json_.skip();
            });
            first = false;
        });
        if (!known) return;
        if (!budget_.take(1, 1, group.name.size() + sizeof(PointGroup))) json_.fail(at, "too many groups");
        file_.groups.push_back(std::move(group));
    }

    /// False where points are chosen in a way that is unknown here.
    bool read_selection(std::vector<uint8_t>& member) {
        const size_t at = json_.offset();
        if (!budget_.take(count_, 1, 1)) json_.fail(at, "too many groups");
        bool known = false;
        json_.pairs([&](std::string_view order) {
            if (order == "ordered") {  // their numbers; the order is not kept
                known = true;
                member.assign(count_, 0);
                for (const int64_t point : small_numbers<int64_t>()) {
                    if (point < 0 || static_cast<uint64_t>(point) >= count_)
                        json_.fail(at, "a group has point " + std::to_string(point) + " of " + std::to_string(count_));
                    member[static_cast<size_t>(point)] = 1;
                }
            } else if (order == "unordered") {
                json_.pairs([&](std::string_view form) {
                    if (form == "i8")
                        member = small_numbers<uint8_t>();
                    else if (form == "boolRLE")
                        member = runs(small_numbers<int64_t>());
                    else
                        return json_.skip();
                    known = true;
                    if (member.size() != count_)
                        json_.fail(at, "a group has " + std::to_string(member.size()) + " entries for " +
                                           std::to_string(count_) + " points");
                    for (uint8_t& flag : member) flag = flag != 0;
                });
            } else {
                json_.skip();
            }
        });
        return known;
    }

    /// 3, true, 2, false: three members, then two others.
    std::vector<uint8_t> runs(const std::vector<int64_t>& pairs) const {
        std::vector<uint8_t> flags;
        for (size_t k = 0; k + 1 < pairs.size(); k += 2) {
            if (pairs[k] < 0 || static_cast<uint64_t>(pairs[k]) > count_ - flags.size())
                json_.fail(json_.offset(), "a group has more entries than there are points");
            flags.insert(flags.end(), static_cast<size_t>(pairs[k]), pairs[k + 1] != 0);
        }
        return flags;
    }

    /// Page flags and the like; their number is not known before.
    template <typename T>
    std::vector<T> small_numbers() {
        using Kind = JsonReader::Kind;
        std::vector<T> result;
        const JsonReader::Value array = json_.next();
        if (array.kind == Kind::uniform_array) {
            JsonNumbers numbers(json_, array);
            if (!budget_.take(array.count, 1, sizeof(T))) json_.fail(array.offset, "too many numbers");
            result.resize(array.count);
            numbers.take(result.data(), result.size());
            numbers.finish();
            return result;
        }
        if (array.kind != Kind::begin_array) json_.fail(array.offset, "expected an array of numbers here");
        for (JsonReader::Value value = json_.next(); value.kind != Kind::end; value = json_.next()) {
            if (value.kind != Kind::integer && value.kind != Kind::boolean)
                json_.fail(value.offset, "expected a whole number here");
            result.push_back(static_cast<T>(value.integer));
        }
        return result;
    }

    void fill(const Definition& definition, const std::vector<std::string_view>& strings, const Layout& layout,
              std::string_view form, bool global) {
        const size_t at = json_.offset();
        const std::string name(definition.name), shown = short_token(name);
        Storage storage;
        if (!storage_of(layout.storage, storage))
            json_.fail(at, "attribute '" + shown + "' is stored as '" + short_token(layout.storage) +
                               "', which is unknown here");
        const size_t count = global ? 1 : count_;
        // No attribute of Houdini has more; a 4x4 matrix has 16.
        constexpr int64_t widest = 4096;
        if (layout.size < 1 || layout.size > widest)
            json_.fail(at,
                       "attribute '" + shown + "' can't have " + std::to_string(layout.size) + " numbers per point");
        const int components = static_cast<int>(layout.size);
        // A text is copied for each attribute that has it.
        for (const std::string_view text : strings)
            if (!budget_.take(1, 1, text.size() + sizeof(std::string))) json_.fail(at, "too much text");
        // Integers are kept in 64 bits, whatever the file needs for them.
        if (!budget_.take(count, static_cast<uint64_t>(components), 8)) {
            json_.fail(at, "attribute '" + shown + "' would need far more memory than the file has: it is damaged");
        }
        ParticleFile single;
        ParticleFile& file = global ? single : file_;
        const ColumnSpace space = add_column(file, name, std::string(definition.meaning), storage, components, count);
        if (space.floats) {
            numbers(layout, form, shown, components, count, space.floats);
        } else if (space.doubles) {
            numbers(layout, form, shown, components, count, space.doubles);
        } else if (space.integers) {
            numbers(layout, form, shown, components, count, space.integers);
        } else {
            json_.skip();
            return;
        }
        if (definition.type == "string") {
            check_indices(space.integers, count * static_cast<size_t>(components), strings.size(), shown, at);
        }
        if (global) {
            // One text may stand for all components.
            for (int c = 0; c < components && !strings.empty() && space.integers; ++c)
                if (space.integers[c] >= 0 &&
                    !budget_.take(1, 1, strings[static_cast<size_t>(space.integers[c])].size() + 1))
                    json_.fail(at, "too much text");
            file_.metadata[name] = detail_text(space, components, strings);
        } else if (definition.type == "string" && !file_.extra.empty() && file_.extra.back().name == name) {
            file_.extra.back().strings.assign(strings.begin(), strings.end());
        }
    }

    void check_indices(const int64_t* indices, size_t count, size_t strings, const std::string& name, size_t at) const {
        for (size_t i = 0; indices && i < count; ++i) {
            if (indices[i] < -1 || indices[i] >= static_cast<int64_t>(strings))
                json_.fail(at, "attribute '" + name + "' names text " + std::to_string(indices[i]) + " of " +
                                   std::to_string(strings));
        }
    }

    static std::string detail_text(const ColumnSpace& space, int components,
                                   const std::vector<std::string_view>& strings) {
        std::string text;
        for (int c = 0; c < components; ++c) {
            if (c > 0) text += ' ';
            if (space.floats) {
                text += text_of(space.floats[c]);
            } else if (space.doubles) {
                text += text_of(space.doubles[c]);
            } else if (strings.empty()) {
                text += text_of(space.integers[c]);
            } else if (space.integers[c] >= 0) {
                text += strings[static_cast<size_t>(space.integers[c])];
            }
        }
        return text;
    }

    template <typename T>
    void numbers(const Layout& layout, std::string_view form, const std::string& name, int components, size_t count,
                 T* to) {
        if (form == "rawpagedata") {
            pages(layout, name, static_cast<size_t>(components), count, to);
        } else if (form == "tuples") {
            size_t point = 0;
            json_.elements([&] {
                if (point == count) json_.fail(json_.offset(), "attribute '" + name + "' has too many points");
                JsonNumbers tuple(json_);
                tuple.take(to + point * static_cast<size_t>(components), static_cast<size_t>(components));
                tuple.finish();
                ++point;
            });
            if (point < count) json_.fail(json_.offset(), "attribute '" + name + "' has too few points");
        } else {  // one array for each component
            int component = 0;
            std::vector<T> values(count);
            json_.elements([&] {
                if (component == components) json_.fail(json_.offset(), "attribute '" + name + "' has too many parts");
                JsonNumbers array(json_);
                array.take(values.data(), count);
                array.finish();
                for (size_t i = 0; i < count; ++i)
                    to[i * static_cast<size_t>(components) + static_cast<size_t>(component)] = values[i];
                ++component;
            });
            if (component < components) json_.fail(json_.offset(), "attribute '" + name + "' has too few parts");
        }
    }

    template <typename T>
    void pages(const Layout& layout, const std::string& name, size_t components, size_t count, T* to) {
        const size_t at = json_.offset();
        const auto broken = [&](const char* what) { json_.fail(at, "attribute '" + name + "': " + what); };
        if (layout.page < 1) broken("its page size is missing or not positive");
        const size_t page = std::min(static_cast<uint64_t>(layout.page), std::max<uint64_t>(count, 1));
        std::vector<size_t> parts;
        size_t sum = 0;
        for (const int64_t part : layout.packing) {
            if (part < 1 || part > static_cast<int64_t>(components)) broken("its packing does not fit its size");
            parts.push_back(static_cast<size_t>(part));
            sum += parts.back();
        }
        if (parts.empty()) {
            parts = {components};
            sum = components;
        }
        if (sum != components) broken("its packing does not fit its size");
        const size_t page_count = (count + page - 1) / page;
        if (!layout.constant.empty() && layout.constant.size() != parts.size())
            broken("its constant pages do not fit its packing");
        bool any_constant = false;
        for (const std::vector<uint8_t>& flags : layout.constant) {
            if (!flags.empty() && flags.size() != page_count) broken("it has a wrong number of constant pages");
            any_constant =
                any_constant || std::any_of(flags.begin(), flags.end(), [](uint8_t flag) { return flag != 0; });
        }

        JsonNumbers source(json_);
        if (parts.size() == 1 && !any_constant) {
            source.take(to, count * components);
            return source.finish();
        }
        std::vector<T> block(page * components);
        for (size_t p = 0; p < page_count; ++p) {
            const size_t first = p * page;
            const size_t points = std::min(page, count - first);
            size_t component = 0;
            for (size_t k = 0; k < parts.size(); ++k) {
                const bool constant = !layout.constant.empty() && !layout.constant[k].empty() && layout.constant[k][p];
                const size_t width = parts[k];
                source.take(block.data(), (constant ? 1 : points) * width);
                for (size_t i = 0; i < points; ++i) {
                    std::copy_n(block.data() + (constant ? 0 : i * width), width,
                                to + (first + i) * components + component);
                }
                component += width;
            }
        }
        source.finish();
    }

    std::string name_;
    JsonReader json_;
    MemoryBudget budget_;
    ParticleFile file_;
    size_t count_ = 0;
    bool has_count_ = false;
};

// Writing.

struct StoredType {
    const char* name;
    JsonNumber number;
    size_t bytes;
};

StoredType stored_type(Storage storage) {
    switch (storage) {
        case Storage::float64:
            return {"fpreal64", JsonNumber::real64, 8};
        case Storage::int32:
            return {"int32", JsonNumber::int32, 4};
        case Storage::int64:
            return {"int64", JsonNumber::int64, 8};
        case Storage::float32:
            break;
    }
    return {"fpreal32", JsonNumber::real32, 4};
}

/// How a column's numbers become smaller.
struct Coarsening {
    bool half = false;  ///< half floats
    float step = 0;     ///< multiples of a power of two, whose last bytes are zeros, which compress; 0 = as they are
};

/// Where the snow was born is computed with, and stays whole; so does what a half float can't hold.
Coarsening coarsening_of(const Column& column, const ParticleFile& file) {
    Coarsening coarsening;
    if (column.name == "P") {
        if (file.spacing > 0) coarsening.step = std::exp2(std::floor(std::log2(file.spacing / 2048)));
        return coarsening;
    }
    if (column.storage != Storage::float32 || column.name == "rest" || column.name == "birth") return coarsening;
    float most = 0;
    if (column.constant) most = std::fabs(*column.constant);
    const size_t numbers = column.floats ? file.particles.count() * static_cast<size_t>(column.components) : 0;
    for (size_t k = 0; k < numbers; ++k) most = std::max(most, std::fabs(column.floats[k]));
    // Below a thousandth a half float has fewer bits.
    coarsening.half = most == 0 || (most >= 1e-3f && most <= 65504.0f);
    return coarsening;
}

/// The tuples of some points as they are stored. `scratch` holds them where they must be made.
const char* stored_tuples(const Column& column, const Coarsening& coarsening, size_t first, size_t count,
                          std::vector<char>& scratch) {
    const size_t components = static_cast<size_t>(column.components);
    if (column.floats && (coarsening.half || coarsening.step > 0)) {
        const size_t bytes = coarsening.half ? 2 : 4;
        scratch.resize(count * components * bytes);
        for (size_t i = 0; i < count * components; ++i) {
            const float value = column.floats[first * components + i];
            const uint16_t half = float_to_half(value);
            const float rounded = coarsening.step * std::nearbyint(value / coarsening.step);
            std::memcpy(&scratch[bytes * i], coarsening.half ? static_cast<const void*>(&half) : &rounded, bytes);
        }
        return scratch.data();
    }
    if (column.floats) return reinterpret_cast<const char*>(column.floats + first * components);
    if (column.doubles) return reinterpret_cast<const char*>(column.doubles + first * components);
    if (column.storage == Storage::int64) return reinterpret_cast<const char*>(column.integers + first * components);
    scratch.resize(count * components * 4);
    for (size_t i = 0; i < count * components; ++i) {
        const int32_t narrow = static_cast<int32_t>(column.integers[first * components + i]);
        std::memcpy(&scratch[4 * i], &narrow, 4);
    }
    return scratch.data();
}

bool all_equal(const char* tuples, size_t count, size_t bytes) {
    return count > 0 && std::memcmp(tuples, tuples + bytes, (count - 1) * bytes) == 0;
}

class BgeoWriter {
public:
    BgeoWriter(Output& output, const ParticleFile& file, bool small)
        : output_(output),
          json_(output),
          file_(file),
          small_(small),
          columns_(columns_of(file)),
          details_(details_of(file)) {}

    void write() {
        json_.begin_array();
        field("fileversion", "16.5.268");  // of the layout, not of Firn
        json_.string("hasindex");
        json_.boolean(false);
        number("pointcount", static_cast<int64_t>(file_.particles.count()));
        number("vertexcount", 0);
        number("primitivecount", 0);
        write_info();
        json_.string("topology");
        json_.begin_array();
        json_.string("pointref");
        json_.begin_array();
        json_.string("indices");
        json_.begin_array();
        json_.end_array();
        json_.end_array();
        json_.end_array();
        write_attributes();
        json_.string("primitives");
        json_.begin_array();
        json_.end_array();
        write_groups();
        json_.end_array();
    }

private:
    void field(const char* key, std::string_view value) {
        json_.string(key);
        json_.string(value);
    }
    void number(const char* key, int64_t value) {
        json_.string(key);
        json_.integer(value);
    }

    /// Without a date or a host: equal particles give equal files.
    void write_info() {
        json_.string("info");
        json_.begin_map();
        field("software", "Firn");
        json_.string("bounds");
        json_.begin_array();
        for (int axis = 0; axis < 3; ++axis) {
            float low = 1.7014117331926443e+38f, high = -low;  // what Houdini writes for nothing
            for (const Float3& position : file_.particles.position) {
                const float value = axis == 0 ? position.x : axis == 1 ? position.y : position.z;
                if (value < low) low = value;
                if (value > high) high = value;
            }
            json_.real(low);
            json_.real(high);
        }
        json_.end_array();
        std::string summary = summary_line(columns_.size(), "point", [&](size_t i) { return columns_[i].name; });
        if (!details_.empty())
            summary += summary_line(details_.size(), "global", [&](size_t i) { return details_[i].name; });
        field("attribute_summary", summary);
        json_.end_map();
    }

    template <typename Name>
    static std::string summary_line(size_t count, const char* owner, Name name) {
        std::string number = std::to_string(count);
        std::string line =
            std::string(number.size() < 6 ? 6 - number.size() : 0, ' ') + number + " " + owner + " attributes:\t";
        for (size_t i = 0; i < count; ++i) line += (i > 0 ? ", " : "") + name(i);
        return line + "\n";
    }

    void write_attributes() {
        json_.string("attributes");
        json_.begin_array();
        json_.string("pointattributes");
        json_.begin_array();
        for (const Column& column : columns_)
            write_column(column, file_.particles.count(), small_ ? coarsening_of(column, file_) : Coarsening());
        json_.end_array();
        if (!details_.empty()) {
            json_.string("globalattributes");
            json_.begin_array();
            for (const Detail& detail : details_) write_detail(detail);
            json_.end_array();
        }
        json_.end_array();
    }

    void write_groups() {
        const std::vector<std::string> names = group_names_of(file_);
        if (names.empty()) return;
        json_.string("pointgroups");
        json_.begin_array();
        for (size_t k = 0; k < names.size(); ++k) {
            json_.begin_array();
            json_.begin_array();
            field("name", names[k]);
            json_.end_array();
            json_.begin_array();
            json_.string("selection");
            json_.begin_array();
            json_.string("unordered");
            json_.begin_array();
            json_.string("boolRLE");
            write_runs(file_.groups[k].member);
            json_.end_array();
            json_.end_array();
            json_.end_array();
            json_.end_array();
        }
        json_.end_array();
    }

    void write_runs(const std::vector<uint8_t>& flags) {
        json_.begin_array();
        for (size_t begin = 0, end = 0; begin < flags.size(); begin = end) {
            while (end < flags.size() && (flags[end] != 0) == (flags[begin] != 0)) ++end;
            json_.integer(static_cast<int64_t>(end - begin));
            json_.boolean(flags[begin] != 0);
        }
        json_.end_array();
    }

    void write_detail(const Detail& detail) {
        Column column;
        column.name = detail.name;
        const int64_t integer = detail.kind == Detail::Kind::integer ? detail.integer : 0;
        const std::vector<std::string> strings = {detail.text};
        if (detail.kind == Detail::Kind::real) {
            column.storage = Storage::float64;
            column.doubles = &detail.real;
        } else {
            const bool narrow = integer == static_cast<int32_t>(integer);
            column.storage = narrow ? Storage::int32 : Storage::int64;
            column.integers = &integer;
            if (detail.kind == Detail::Kind::text) column.strings = &strings;
        }
        write_column(column, 1, {});
    }

    void write_column(const Column& column, size_t count, const Coarsening& coarsening) {
        const StoredType type =
            coarsening.half ? StoredType{"fpreal16", JsonNumber::real16, 2} : stored_type(column.storage);
        json_.begin_array();

        json_.begin_array();
        field("scope", "public");
        field("type", column.strings ? "string" : "numeric");
        field("name", column.name);
        json_.string("options");
        json_.begin_map();
        if (!column.meaning.empty()) {
            json_.string("type");
            json_.begin_map();
            field("type", "string");
            field("value", column.meaning);
            json_.end_map();
        }
        json_.end_map();
        json_.end_array();

        json_.begin_array();
        number("size", column.components);
        field("storage", type.name);
        if (column.strings) {
            json_.string("strings");
            json_.begin_array();
            for (const std::string& text : *column.strings) json_.string(text);
            json_.end_array();
            json_.string("indices");
        } else {
            json_.string("defaults");
            json_.begin_array();
            number("size", 1);
            field("storage", "fpreal64");
            json_.string("values");
            json_.begin_array();
            json_.real(column.standard);
            json_.end_array();
            json_.end_array();
            json_.string("values");
        }
        json_.begin_array();
        number("size", column.components);
        field("storage", type.name);
        number("pagesize", page_size);
        write_pages(column, coarsening, type, count);
        json_.end_array();
        json_.end_array();

        json_.end_array();
    }

    void write_pages(const Column& column, const Coarsening& coarsening, const StoredType& type, size_t count) {
        const size_t tuple = static_cast<size_t>(column.components) * type.bytes;
        const size_t page_count = (count + page_size - 1) / page_size;
        const auto points_of = [&](size_t page) { return std::min(page_size, count - page * page_size); };
        std::vector<bool> constant(page_count);
        std::vector<char> scratch;
        size_t tuples = 0;
        for (size_t page = 0; page < page_count; ++page) {
            const size_t points = points_of(page);
            constant[page] =
                column.constant ||
                all_equal(stored_tuples(column, coarsening, page * page_size, points, scratch), points, tuple);
            tuples += constant[page] ? 1 : points;
        }
        if (tuples < count || (count == 1 && constant[0])) {
            json_.string("constantpageflags");
            json_.begin_array();
            json_.begin_array();
            for (const bool flag : constant) json_.boolean(flag);
            json_.end_array();
            json_.end_array();
        }
        json_.string("rawpagedata");
        json_.begin_uniform(type.number, tuples * static_cast<size_t>(column.components));
        for (size_t page = 0; page < page_count; ++page) {
            if (column.constant) {
                if (coarsening.half)
                    output_.value(float_to_half(*column.constant));
                else
                    output_.value(*column.constant);
                continue;
            }
            const size_t points = points_of(page);
            const char* data = stored_tuples(column, coarsening, page * page_size, points, scratch);
            output_.write(data, (constant[page] ? 1 : points) * tuple);
        }
    }

    Output& output_;
    JsonWriter json_;
    const ParticleFile& file_;
    bool small_;
    std::vector<Column> columns_;
    std::vector<Detail> details_;
};

}  // namespace

bool is_bgeo(const uint8_t* bytes, size_t size) {
    return size > 0 && bytes[0] == 0x7f && (size < 5 || std::memcmp(bytes + 1, "NSJb", 4) == 0);
}

ParticleFile read_bgeo(const std::string& name, const uint8_t* bytes, size_t size) {
    return BgeoReader(name, bytes, size).read();
}

std::optional<uint64_t> bgeo_count(const std::string& name, const uint8_t* bytes, size_t size) {
    try {
        JsonReader json(name, bytes, size);
        json.next();
        for (;;) {
            const JsonReader::Value key = json.next();
            if (key.kind != JsonReader::Kind::string) return {};
            if (key.text != "pointcount") {
                json.skip();
                continue;
            }
            const int64_t count = json.integer();
            if (count < 0) return {};
            return static_cast<uint64_t>(count);
        }
    } catch (const Error&) {
        return {};  // the number comes later, or never: a reader of the whole will say
    }
}

void write_bgeo(Output& output, const ParticleFile& file, bool small) {
    BgeoWriter(output, file, small).write();
}

}  // namespace firn
