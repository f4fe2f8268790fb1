#pragma once

// A node's parameters as plain values, whoever evaluates them: a SOP's verb, a DOP's SIM_Options.

#include <cstdint>
#include <string>

#include "firn/collider.h"
#include "firn/parameters.h"
#include "node_table.h"

namespace firn {

class ParameterValues {
public:
    virtual ~ParameterValues() = default;
    virtual double number(const char* token, int component) const = 0;
    /// Of a string, or the token of a choice.
    virtual std::string text(const char* token) const = 0;

    double real(const char* token) const { return number(token, 0); }
    int64_t integer(const char* token) const { return static_cast<int64_t>(number(token, 0)); }
    bool toggle(const char* token) const { return number(token, 0) != 0; }
    Float3 vector(const char* token) const {
        return {static_cast<float>(number(token, 0)), static_cast<float>(number(token, 1)),
                static_cast<float>(number(token, 2))};
    }
};

/// The engine's settings: every row of the table that the engine knows. Throws Error for what is out of its range.
Parameters engine_settings(const NodeTable&, const ParameterValues&);

/// How a collider's surface treats snow: the rows of surface_table().
ColliderSurface collider_surface(const ParameterValues&);

}  // namespace firn
