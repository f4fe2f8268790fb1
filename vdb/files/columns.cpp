#include "files/columns.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "firn/error.h"

namespace firn {

namespace {

/// Houdini's names are letters, digits and underscores, and don't begin with a digit.
std::string houdini_name(const std::string& name, std::set<std::string>& taken) {
    std::string result;
    for (const char c : name) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        const bool digit = c >= '0' && c <= '9';
        if (digit && result.empty()) result += '_';
        result += letter || digit ? c : '_';
    }
    if (result.empty()) result = "_";
    std::string unique = result;
    for (int i = 2; !taken.insert(unique).second; ++i) unique = result + "_" + std::to_string(i);
    return unique;
}

template <typename T>
std::string shortest(T number) {
    char text[64];
    const auto [end, error] = std::to_chars(text, text + sizeof(text), number);
    (void)error;  // 64 characters are enough for any of the types
    return {text, end};
}

template <typename T>
bool parses_as(const std::string& text, T& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && shortest(number) == text;
}

const char* meaning_of(const std::string& name) {
    if (name == "P") return "point";
    if (name == "v" || name == "acceleration" || name == "shear_acceleration") return "vector";
    if (name == "id") return "nonarithmetic_integer";
    return "";
}

Column extra_column(const ExtraAttribute& extra, size_t count) {
    Column column;
    column.meaning = extra.meaning;
    column.components = extra.components;
    size_t values = 0;
    if (!extra.integers.empty()) {
        const auto [low, high] = std::minmax_element(extra.integers.begin(), extra.integers.end());
        const bool narrow = *low >= std::numeric_limits<int32_t>::min() && *high <= std::numeric_limits<int32_t>::max();
        column.storage =
            (extra.integer_bits == 32 || !extra.strings.empty()) && narrow ? Storage::int32 : Storage::int64;
        column.integers = extra.integers.data();
        values = extra.integers.size();
        if (!extra.strings.empty()) {
            column.strings = &extra.strings;
            if (*low < -1 || *high >= static_cast<int64_t>(extra.strings.size()))
                throw Error("attribute '" + extra.name + "': a number names none of its texts");
        }
    } else if (!extra.doubles.empty()) {
        column.storage = Storage::float64;
        column.doubles = extra.doubles.data();
        values = extra.doubles.size();
    } else {
        column.floats = extra.floats.data();
        values = extra.floats.size();
    }
    if (extra.components < 1 || values != count * static_cast<size_t>(extra.components)) {
        throw Error("attribute '" + extra.name + "' has " + std::to_string(values) + " values for " +
                    std::to_string(count) + " particles of " + std::to_string(extra.components) + " each");
    }
    return column;
}

}  // namespace

std::string text_of(int64_t number) {
    return shortest(number);
}
std::string text_of(double number) {
    return shortest(number);
}
std::string text_of(float number) {
    return shortest(number);
}

std::vector<Column> columns_of(const ParticleFile& file) {
    // The table's functions serve readers and writers alike; here nothing is written.
    Particles& particles = const_cast<Particles&>(file.particles);
    const size_t count = particles.count();
    std::vector<Column> columns;
    std::set<std::string> names;
    for (const ParticleArray& array : particle_arrays()) {
        const size_t size = array.size(particles);
        if (size == 0 && array.role != ArrayRole::required) continue;
        if (size != count) {
            throw Error(std::string("particle array '") + array.name + "' has " + std::to_string(size) +
                        " entries for " + std::to_string(count) + " particles");
        }
        Column column;
        column.name = houdini_name(array.name, names);
        column.meaning = meaning_of(array.name);
        if (array.components == 0) {
            column.storage = Storage::int64;
            column.integers = particles.id.data();
            column.standard = -1;
        } else {
            column.components = array.components;
            column.floats = array.data(particles);
        }
        columns.push_back(column);
    }
    const bool own_radius = std::any_of(file.extra.begin(), file.extra.end(),
                                        [](const ExtraAttribute& extra) { return extra.name == "pscale"; });
    if (file.spacing > 0 && !own_radius) {
        Column column;
        column.name = houdini_name("pscale", names);
        column.constant = 0.5f * file.spacing;  // Houdini's pscale is a radius
        column.standard = 1;
        columns.push_back(column);
    }
    for (const ExtraAttribute& extra : file.extra) {
        Column column = extra_column(extra, count);
        column.name = houdini_name(extra.name, names);
        columns.push_back(column);
    }
    return columns;
}

std::vector<Detail> details_of(const ParticleFile& file) {
    std::vector<Detail> details;
    std::set<std::string> names;
    for (const auto& [name, text] : file.metadata) {
        Detail detail;
        detail.name = houdini_name(name, names);
        detail.text = text;
        if (parses_as(text, detail.integer)) {
            detail.kind = Detail::Kind::integer;
        } else if (parses_as(text, detail.real) && std::isfinite(detail.real)) {
            detail.kind = Detail::Kind::real;
        }
        details.push_back(detail);
    }
    return details;
}

std::vector<std::string> group_names_of(const ParticleFile& file) {
    std::vector<std::string> all;
    std::set<std::string> names;
    for (const PointGroup& group : file.groups) {
        if (group.member.size() != file.particles.count())
            throw Error("group '" + group.name + "' has " + std::to_string(group.member.size()) + " entries for " +
                        std::to_string(file.particles.count()) + " particles");
        all.push_back(houdini_name(group.name, names));
    }
    return all;
}

ColumnSpace add_column(ParticleFile& file, const std::string& name, const std::string& meaning, Storage storage,
                       int components, size_t count) {
    const bool whole = storage == Storage::int32 || storage == Storage::int64;
    for (const ParticleArray& array : particle_arrays()) {
        if (name != array.name) continue;
        if (array.components == 0 && whole && components == 1) {
            array.resize(file.particles, count);
            return {nullptr, nullptr, file.particles.id.data()};
        }
        if (array.components != 0 && !whole && components == array.components) {
            array.resize(file.particles, count);
            return {array.data(file.particles), nullptr, nullptr};
        }
    }
    ExtraAttribute extra;
    extra.name = name;
    extra.meaning = meaning;
    extra.components = components;
    const size_t values = count * static_cast<size_t>(components);
    if (whole) {
        extra.integer_bits = storage == Storage::int32 ? 32 : 64;
        extra.integers.resize(values);
    } else if (storage == Storage::float64) {
        extra.doubles.resize(values);
    } else {
        extra.floats.resize(values);
    }
    file.extra.push_back(std::move(extra));
    ExtraAttribute& kept = file.extra.back();
    return {kept.floats.empty() ? nullptr : kept.floats.data(), kept.doubles.empty() ? nullptr : kept.doubles.data(),
            kept.integers.empty() ? nullptr : kept.integers.data()};
}

void finish_columns(ParticleFile& file, size_t count, const std::string& where) {
    for (auto extra = file.extra.begin(); extra != file.extra.end();) {
        bool known = false;
        // Houdini up to 14 keeps a fourth coordinate that is 1.
        if (extra->name == "P" && extra->components == 4 && file.particles.position.empty() && !extra->floats.empty()) {
            file.particles.position.resize(count);
            for (size_t i = 0; i < count; ++i) {
                const float* from = &extra->floats[4 * i];
                file.particles.position[i] = {from[0], from[1], from[2]};
            }
            known = true;
        }
        if (extra->name == "pscale" && extra->components == 1 && !extra->floats.empty()) {
            double sum = 0;
            bool equal = true;
            for (const float radius : extra->floats) {
                sum += radius;
                equal = equal && radius == extra->floats.front();
            }
            // Particles of different sizes keep their attribute; the spacing is then only a hint.
            file.spacing =
                2.0f * (equal ? extra->floats.front() : static_cast<float>(sum / static_cast<double>(count)));
            if (!(file.spacing > 0) || !std::isfinite(file.spacing)) file.spacing = 0;
            known = equal && file.spacing > 0;
        }
        extra = known ? file.extra.erase(extra) : extra + 1;
    }
    if (file.particles.position.size() != count) throw Error(where + "the points have no position P");
}

bool MemoryBudget::take(uint64_t count, uint64_t components, uint64_t bytes) {
    if (count == 0 || components == 0 || bytes == 0) return true;
    if (components > left_ / bytes || count > left_ / bytes / components) return false;
    left_ -= count * components * bytes;
    return true;
}

}  // namespace firn
