// Points as binary .ply, for Blender and other programs that know no .bgeo: x, y, z, then every other attribute as
// floats of its name, with _x, _y, ... where it has several. Written only.

#include <cstring>

#include "files/columns.h"
#include "files/formats.h"
#include "files/output.h"

namespace firn {

namespace {

/// Blender and most others read floats and 32-bit integers; ids beyond these become doubles, exact to 2^53.
std::string ply_type(const Column& column, size_t count) {
    if (!column.integers) return "float";
    const size_t numbers = count * static_cast<size_t>(column.components);
    for (size_t k = 0; k < numbers; ++k)
        if (column.integers[k] < INT32_MIN || column.integers[k] > INT32_MAX) return "double";
    return "int";
}

std::string ply_name(const Column& column, int component) {
    static const char* const of_position[] = {"x", "y", "z"};
    if (column.name == "P") return of_position[component];
    if (column.name == "v") return std::string("v") + of_position[component];
    if (column.components == 1) return column.name == "pscale" ? "radius" : column.name;
    return column.name + "_" + (column.components <= 3 ? of_position[component] : std::to_string(component).c_str());
}

}  // namespace

void write_ply_points(Output& output, const ParticleFile& file) {
    const size_t count = file.particles.count();
    std::vector<Column> columns;
    for (const Column& column : columns_of(file))
        if (!column.strings) columns.push_back(column);
    std::vector<std::string> types;
    std::string head = "ply\nformat binary_little_endian 1.0\ncomment Firn, metres, y up\nelement vertex " +
                       std::to_string(count) + "\n";
    for (const Column& column : columns) {
        types.push_back(ply_type(column, count));
        for (int c = 0; c < column.components; ++c)
            head += "property " + types.back() + " " + ply_name(column, c) + "\n";
    }
    output.write(head + "end_header\n");
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < columns.size(); ++k) {
            const Column& column = columns[k];
            const size_t first = i * static_cast<size_t>(column.components);
            for (size_t c = 0; c < static_cast<size_t>(column.components); ++c) {
                if (column.integers && types[k] == "int")
                    output.value(static_cast<int32_t>(column.integers[first + c]));
                else if (column.integers)
                    output.value(static_cast<double>(column.integers[first + c]));
                else if (column.doubles)
                    output.value(static_cast<float>(column.doubles[first + c]));
                else
                    output.value(column.floats ? column.floats[first + c] : column.constant.value_or(0));
            }
        }
}

}  // namespace firn
