#pragma once

// Forces of a DOP object as accelerations of its particles.

#include <SIM/SIM_Force.h>
#include <SIM/SIM_Object.h>

#include <vector>

#include "firn/parameters.h"
#include "firn/particles.h"

namespace firn {

struct ObjectForces {
    bool has_gravity = false;
    Float3 gravity;  ///< m/s^2, the sum of all gravity forces that are the same everywhere
    std::vector<const SIM_Force*> others;
};

ObjectForces forces_of(const SIM_Object&);

/// Adds force / mass to every particle's acceleration (m/s^2), evaluated at the beginning of the frame.
void add_accelerations(const SIM_Object&, const std::vector<const SIM_Force*>&, const Parameters&, const Particles&,
                       std::vector<Float3>& acceleration);

}  // namespace firn
