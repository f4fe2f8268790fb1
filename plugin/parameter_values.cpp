#include "parameter_values.h"

#include <cstdio>

namespace firn {

namespace {

std::string text_of(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

}  // namespace

Parameters engine_settings(const NodeTable& table, const ParameterValues& values) {
    Parameters settings;
    for (const NodeParameter& row : table.parameters) {
        if (!find_parameter(row.token)) continue;
        std::string text = text_of(values.number(row.token, 0));
        if (row.type == NodeParameterType::choice)
            text = row.choices.at(static_cast<size_t>(values.number(row.token, 0))).token;
        if (row.type == NodeParameterType::toggle) text = values.toggle(row.token) ? "on" : "off";
        if (row.type == NodeParameterType::vector)
            text += " " + text_of(values.number(row.token, 1)) + " " + text_of(values.number(row.token, 2));
        set_parameter(settings, row.token, text);
    }
    return settings;
}

ColliderSurface collider_surface(const ParameterValues& values) {
    ColliderSurface surface;
    for (size_t q = 0; q < surface_quantity_count; ++q)
        surface.value[q] = static_cast<float>(values.real(surface_table()[q].token));
    return surface;
}

}  // namespace firn
