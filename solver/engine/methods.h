#pragma once

// The methods that Firn has: their tables, and how each is made on a device.

#include <memory>

#include "firn/method.h"
#include "method_device.h"

namespace firn {

/// How a method is made on each device; null = not built.
struct MethodMakers {
    using Make = std::unique_ptr<MethodDevice> (*)(int where);
    Make lanes1, lanes4, lanes8;  ///< on the CPU; `where` = threads, 0 = one for each core
    Make cuda;                    ///< on a card; `where` = its number
};

/// A method with what the engine needs to run it.
struct Method {
    MethodInfo info;
    /// Speed of the fastest waves in the stiffest material, m/s, for cfl_wave; null = there are none. `inputs` are by
    /// rank.
    double (*wave_speed)(const Parameters&, const Particles& inputs);

    MethodMakers make;

    /// The rows of the table that have this role and are the method's own: not P, v, id and neighbours.
    std::vector<const ParticleArray*> own(ArrayRole) const;
    /// Floats per particle of those rows.
    size_t own_components(ArrayRole) const;
};

/// The method of that name. Throws Error listing the methods when there is none.
const Method& method(const std::string& name);

/// Adds a method to the table, before anything uses it. Throws Error when a name is taken or when an array disagrees
/// with one of the same name that another method has. The method must live as long as the program.
void add_method(const Method&);

/// The rows of snow's table.
std::vector<ParticleArray> snow_arrays();

}  // namespace firn
