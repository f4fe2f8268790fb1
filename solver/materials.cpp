#include "firn/materials.h"

#include <algorithm>
#include <cmath>

#include "firn/error.h"

namespace firn {

const std::vector<MaterialQuantity>& material_table() {
    using M = Material;
    using P = Parameters;
    using A = Particles;
    static const std::vector<MaterialQuantity> table = {
        {"young_modulus", "E", &M::young_modulus, &P::young_modulus, &A::young_modulus, true},
        {"poisson_ratio", "nu", &M::poisson_ratio, &P::poisson_ratio, &A::poisson_ratio, false},
        {"hardening", "xi", &M::hardening, &P::hardening, &A::hardening, true},
        {"theta_c", "theta_c", &M::theta_c, &P::theta_c, &A::theta_c, true},
        {"theta_s", "theta_s", &M::theta_s, &P::theta_s, &A::theta_s, true},
        {"friction_angle", "friction_angle", &M::friction_angle, &P::friction_angle, &A::friction_angle, true},
        {"collapse", "collapse", &M::collapse, &P::collapse, &A::collapse, false},
        {"rest_density", "rho0", &M::rest_density, &P::rest_density, &A::rest_density, true},
    };
    return table;
}

const std::vector<MaterialPreset>& material_presets() {
    static const std::vector<MaterialPreset> presets = {
        {"powder",
         "Powder",
         "Fresh and light: flattens where it lands and packs where it is pressed.",
         {60e3f, 0.42f, 6.0f, 0.02f, 0.002f, 60.0f, 0.0f, 200.0f}},
        {"dry",
         "Dry",
         "Cold winter snow, the papers' default: packs where it is pressed, breaks where it is pulled.",
         {140e3f, 0.2f, 10.0f, 0.025f, 0.0075f, 50.0f, 0.0f, 400.0f}},
        {"wet",
         "Wet",
         "Snowball snow: dents and holds together.",
         {100e3f, 0.35f, 8.0f, 0.03f, 0.015f, 50.0f, 0.0f, 500.0f}},
        {"packed",
         "Packed",
         "Trodden or ploughed: stiff, keeps its shape in hard lumps.",
         {600e3f, 0.2f, 15.0f, 0.019f, 0.0055f, 50.0f, 0.0f, 550.0f}},
        {"slush",
         "Slush",
         "Half water: slumps, splashes and hardly resists.",
         {20e3f, 0.45f, 4.0f, 0.02f, 0.008f, 30.0f, 0.0f, 700.0f}},
        {"crust",
         "Crust",
         "A stiff plate on soft snow: hardly dents, and snaps when it loses its support.",
         {3e6f, 0.4f, 8.0f, 0.02f, 0.003f, 50.0f, 0.0f, 500.0f}},
        {"ice",
         "Ice",
         "Hard: keeps its shape; for bounce also set damping = 0 and cfl_wave = 0.5.",
         {30e6f, 0.42f, 6.0f, 0.02f, 0.003f, 50.0f, 0.0f, 917.0f}},
        {"weak",
         "Weak Layer",
         "Buried hoar below a slab: bears it until it is disturbed, then collapses and lets it slide.",
         {200e3f, 0.1f, 2.0f, 0.015f, 0.005f, 30.0f, 0.95f, 200.0f}},
    };
    return presets;
}

const MaterialPreset& find_preset(const std::string& token) {
    std::string known;
    for (const MaterialPreset& preset : material_presets()) {
        if (token == preset.token) return preset;
        known += (known.empty() ? "" : ", ") + std::string(preset.token);
    }
    throw Error("there is no snow preset '" + token + "'; the presets are " + known + ", and measured with a density");
}

Material measured_material(float density) {
    if (!(density >= 50.0f && density <= 917.0f)) {
        throw Error("measured snow needs a density of 50 to 917 kg/m^3, not " + std::to_string(density));
    }
    // Bergfeld et al. 2023: E = 6.5e3 MPa (rho / 917)^4.4.
    const float share = density / 917.0f;
    const float young_modulus = 6.5e9f * std::pow(share, 4.4f);
    // Tensile strength of seasonal snow follows the same density with a power near 2.4 (Jamieson and Johnston
    // 1990: 79.7 kPa (rho / 917)^2.39), and snow is about ten times stronger in compression. Strength over stiffness is
    // the strain at which it yields.
    const float strength = 79.7e3f * std::pow(share, 2.39f);
    const float theta_s = std::min(std::max(strength / young_modulus, 2e-5f), 0.0075f);
    const float theta_c = std::min(10.0f * theta_s, 0.025f);
    return {young_modulus, 0.2f, 10.0f, theta_c, theta_s, 50.0f, 0.0f, density};
}

void apply(const Material& m, Parameters& p) {
    for (const MaterialQuantity& q : material_table()) p.*q.parameter = m.*q.value;
}

Material material_of(const Parameters& p) {
    Material m{};
    for (const MaterialQuantity& q : material_table()) m.*q.value = p.*q.parameter;
    return m;
}

}  // namespace firn
