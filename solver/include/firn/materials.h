#pragma once

#include <string>
#include <vector>

#include "firn/parameters.h"
#include "firn/particles.h"

namespace firn {

/// The numbers of a kind of snow (Gissler 2020, 3.3, and the friction of its grains).
struct Material {
    float young_modulus;   ///< E, Pa
    float poisson_ratio;   ///< nu
    float hardening;       ///< xi
    float theta_c;         ///< critical compression
    float theta_s;         ///< critical stretch
    float friction_angle;  ///< of grains on each other, degrees
    float collapse;        ///< share of its strength against pressure that it loses with its bonds
    float rest_density;    ///< rho0, kg/m^3
};

/// One of those numbers: its name, and where it stands in each structure that has it.
struct MaterialQuantity {
    const char* token;   ///< of the parameter, the per-particle array and the attribute
    const char* symbol;  ///< a short name that scene files and attributes may use instead; the token itself if none
    float Material::*value;
    float Parameters::*parameter;
    std::vector<float> Particles::*array;
    bool varies;  ///< may be uneven from place to place
};

/// All of them, in the order of Material. Whoever handles all of them loops over this table.
const std::vector<MaterialQuantity>& material_table();

struct MaterialPreset {
    const char* token;
    const char* label;
    const char* sentence;  ///< what it looks like in motion
    Material material;
};

/// powder, dry, wet, packed, slush, crust, ice, weak.
const std::vector<MaterialPreset>& material_presets();

/// Throws Error listing the presets when the token is none of them.
const MaterialPreset& find_preset(const std::string& token);

/// Snow as field work found it, from its density (kg/m^3, 50 to 917).
Material measured_material(float density);

void apply(const Material&, Parameters&);

/// The snow that the parameters describe.
Material material_of(const Parameters&);

}  // namespace firn
