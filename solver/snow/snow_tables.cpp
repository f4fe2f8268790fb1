// Snow as a method: what its users see of it, and how it is made on each device.

#include <algorithm>
#include <cmath>

#include "engine/methods.h"

namespace firn {

MethodMakers snow_makers();  // made by firn_method() in CMake

namespace {

/// Of pressure waves in the stiffest unhardened snow, m/s.
double wave_speed(const Parameters& p, const Particles& inputs) {
    const auto extreme = [](const std::vector<float>& each, float uniform, bool most) {
        if (each.empty()) return double(uniform);
        return double(most ? *std::max_element(each.begin(), each.end()) : *std::min_element(each.begin(), each.end()));
    };
    const double E = extreme(inputs.young_modulus, p.young_modulus, true);
    const double nu = extreme(inputs.poisson_ratio, p.poisson_ratio, true);
    const double rho = extreme(inputs.rest_density, p.rest_density, false);
    return std::sqrt(E * (1 - nu) / ((1 + nu) * (1 - 2 * nu) * rho));
}

MethodInfo snow_info() {
    MethodInfo info;
    info.name = "snow";
    info.label = "Snow";
    info.help = "Implicit compressible SPH with elasticity, hardening and plasticity (Gissler 2020).";
    info.arrays = snow_arrays();
    // In the order of the enumerations in snow_scratch.h.
    info.phases = {{"neighbours", "Sorting and searching."},
                   {"properties", "Densities, correction matrices, stiffness, known accelerations."},
                   {"pressure", "The pressure solve."},
                   {"shear", "The shear solve."},
                   {"integrate", "Contact, strain, velocity and position."}};
    info.solves = {{"pressure", "mean density error, relative", &Parameters::pressure_tolerance,
                    &Parameters::pressure_iterations_max},
                   {"shear", "residual of the accelerations, relative to the right-hand side",
                    &Parameters::shear_tolerance, &Parameters::shear_iterations_max}};
    return info;
}

}  // namespace

const Method& snow_method() {
    static const Method method{snow_info(), wave_speed, snow_makers()};
    return method;
}

}  // namespace firn
