#include "particle_csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>
#include <vector>

#include "firn/error.h"

namespace {

constexpr std::array<const char*, 3> position_names = {"x", "y", "z"};
constexpr std::array<const char*, 3> velocity_names = {"vx", "vy", "vz"};
constexpr std::array<const char*, 3> normal_names = {"nx", "ny", "nz"};
constexpr std::array<const char*, 6> deformation_names = {"Fxx", "Fxy", "Fxz", "Fyy", "Fyz", "Fzz"};

[[noreturn]] void fail(const std::string& path, size_t line, size_t column, const std::string& message) {
    throw firn::Error(path + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + message);
}

std::string_view trimmed(std::string_view text) {
    const char* blanks = " \t\r\"";
    const size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> fields;
    for (;;) {
        const size_t comma = line.find(',');
        fields.push_back(trimmed(line.substr(0, comma)));
        if (comma == std::string_view::npos) return fields;
        line.remove_prefix(comma + 1);
    }
}

/// In double, although the engine takes floats: F_E - 1 is small beside F_E.
double parse_number(const std::string& path, size_t line, size_t column, const std::string& name,
                    std::string_view text) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc::invalid_argument || stop != end)
        fail(path, line, column, name + " is '" + std::string(text) + "', not a number");
    // Smaller than the smallest double is as good as zero; larger than a float can't be simulated.
    if (error == std::errc::result_out_of_range && std::abs(value) < 1) value = 0;
    if (!std::isfinite(value) || std::abs(value) > static_cast<double>(std::numeric_limits<float>::max()))
        fail(path, line, column, name + " is '" + std::string(text) + "': only finite numbers up to 3e38");
    return value;
}

/// The file's columns, each as long as the file has particles.
struct Table {
    std::string path;
    std::vector<std::string> names;
    std::vector<std::vector<double>> columns;

    const std::vector<double>* find(const std::string& name) const {
        const auto found = std::find(names.begin(), names.end(), name);
        return found == names.end() ? nullptr : &columns[static_cast<size_t>(found - names.begin())];
    }
};

/// The columns with these names, or none of them; some but not all is a mistake.
template <size_t Count>
bool find_group(const Table& table, const std::array<const char*, Count>& names,
                std::array<const std::vector<double>*, Count>& found) {
    size_t present = 0;
    std::string absent;
    for (size_t i = 0; i < Count; ++i) {
        found[i] = table.find(names[i]);
        if (found[i])
            ++present;
        else
            absent = names[i];
    }
    if (present == 0) return false;
    if (present < Count) fail(table.path, 1, 1, "the header has no column '" + absent + "' beside its siblings");
    return true;
}

Table read_table(const std::string& path) {
    if (std::filesystem::is_directory(path)) throw firn::Error(path + " is a directory, not a CSV file");
    std::ifstream file(path, std::ios::binary);
    if (!file) throw firn::Error("can't open " + path + " for reading");

    Table table;
    table.path = path;
    std::string line;
    size_t number = 1;
    if (!std::getline(file, line)) fail(path, 1, 1, "the file is empty; its first line names the columns: x,y,z,...");
    if (line.rfind("\xEF\xBB\xBF", 0) == 0) line.erase(0, 3);  // the byte order mark that spreadsheets write
    for (const std::string_view field : split(line)) {
        const std::string name(field);
        if (std::find(table.names.begin(), table.names.end(), name) != table.names.end() && !name.empty())
            fail(path, 1, table.names.size() + 1, "column '" + name + "' is there twice");
        table.names.push_back(name);
    }
    table.columns.resize(table.names.size());
    for (const char* name : position_names)
        if (!table.find(name))
            fail(path, 1, 1, std::string("the header has no column '") + name + "'; it must name x,y,z");

    while (std::getline(file, line)) {
        ++number;
        if (trimmed(line).empty()) continue;
        const std::vector<std::string_view> fields = split(line);
        if (fields.size() != table.names.size())
            fail(path, number, std::min(fields.size(), table.names.size()) + 1,
                 std::to_string(fields.size()) + " values, but the header names " + std::to_string(table.names.size()) +
                     " columns");
        for (size_t i = 0; i < fields.size(); ++i)
            table.columns[i].push_back(parse_number(path, number, i + 1, table.names[i], fields[i]));
    }
    if (file.bad()) throw firn::Error("reading " + path + " failed after line " + std::to_string(number));
    return table;
}

std::vector<firn::Float3> as_vectors(const std::array<const std::vector<double>*, 3>& columns) {
    std::vector<firn::Float3> vectors(columns[0]->size());
    for (size_t i = 0; i < vectors.size(); ++i)
        vectors[i] = {static_cast<float>((*columns[0])[i]), static_cast<float>((*columns[1])[i]),
                      static_cast<float>((*columns[2])[i])};
    return vectors;
}

void append_number(std::string& text, double value) {
    char digits[32];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 9);
    (void)error;  // 32 characters hold any double at nine digits
    text.append(digits, end);
}

}  // namespace

firn::Particles read_snow_csv(const std::string& path) {
    const Table table = read_table(path);
    firn::Particles snow;
    std::array<const std::vector<double>*, 3> three{};
    std::array<const std::vector<double>*, 6> six{};
    find_group(table, position_names, three);
    snow.position = as_vectors(three);
    if (find_group(table, velocity_names, three)) snow.velocity = as_vectors(three);
    if (const std::vector<double>* pressure = table.find("pressure"))
        snow.pressure.assign(pressure->begin(), pressure->end());
    if (find_group(table, deformation_names, six)) {
        snow.strain.resize(snow.count());
        for (size_t i = 0; i < snow.count(); ++i) {
            const auto element = [&](size_t k, double identity) { return static_cast<float>((*six[k])[i] - identity); };
            snow.strain[i] = {element(0, 1), element(1, 0), element(2, 0), element(3, 1), element(4, 0), element(5, 1)};
        }
    }
    return snow;
}

firn::Body read_boundary_csv(const std::string& path) {
    const Table table = read_table(path);
    firn::Body body;
    body.name = path;
    std::array<const std::vector<double>*, 3> three{};
    find_group(table, position_names, three);
    body.position = as_vectors(three);
    if (find_group(table, normal_names, three)) body.normal = as_vectors(three);
    return body;
}

void write_snow_csv(const std::string& path, const firn::Particles& snow) {
    std::string text = "x,y,z,vx,vy,vz,density,pressure,Fxx,Fxy,Fxz,Fyy,Fyz,Fzz\n";
    text.reserve(snow.count() * 180);
    for (size_t i = 0; i < snow.count(); ++i) {
        const firn::Float3 x = snow.position[i];
        const firn::Float3 v = snow.velocity.empty() ? firn::Float3{} : snow.velocity[i];
        const firn::Sym3 strain = snow.strain.empty() ? firn::Sym3{} : snow.strain[i];
        const double density = snow.density.empty() ? 0.0 : static_cast<double>(snow.density[i]);
        const double pressure = snow.pressure.empty() ? 0.0 : static_cast<double>(snow.pressure[i]);
        const double row[] = {x.x,
                              x.y,
                              x.z,
                              v.x,
                              v.y,
                              v.z,
                              density,
                              pressure,  // then F_E, its upper triangle
                              1.0 + strain.xx,
                              strain.xy,
                              strain.xz,
                              1.0 + strain.yy,
                              strain.yz,
                              1.0 + strain.zz};
        bool first = true;
        for (const double value : row) {
            if (!first) text += ',';
            first = false;
            append_number(text, value);
        }
        text += '\n';
    }

    const std::filesystem::path target(path);
    std::error_code error;
    if (target.has_parent_path()) std::filesystem::create_directories(target.parent_path(), error);
    const std::string temporary = path + ".part";
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (file) std::filesystem::rename(temporary, path, error);
    if (!file || error) {
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
        throw firn::Error("can't write " + path + (error ? ": " + error.message() : ": is the disk full?"));
    }
}
