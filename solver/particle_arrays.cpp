#include <type_traits>
#include <utility>

#include "engine/methods.h"
#include "firn/particles.h"

namespace firn {

namespace {

template <auto Member>
using Element = typename std::remove_reference_t<decltype(std::declval<Particles>().*Member)>::value_type;

/// Of a member that is floats, or structures of floats.
template <auto Member>
const ParticleArray::Member float_access = {
    [](Particles& p) -> float* {
        auto& array = p.*Member;
        return array.empty() ? nullptr : reinterpret_cast<float*>(array.data());
    },
    [](Particles& p, size_t count) { (p.*Member).resize(count); },
    [](const Particles& p) { return (p.*Member).size(); },
};

const ParticleArray::Member id_access = {
    [](Particles&) -> float* { return nullptr; },
    [](Particles& p, size_t count) { p.id.resize(count); },
    [](const Particles& p) { return p.id.size(); },
};

template <auto Member>
ParticleArray row(const char* name, const char* unit, ArrayRole role, const char* help) {
    return {name, unit, help, role, static_cast<int>(sizeof(Element<Member>) / sizeof(float)), &float_access<Member>};
}

using P = Particles;

}  // namespace

float* ParticleArray::data(Particles& p) const {
    if (member) return member->data(p);
    const auto at = p.other.find(name);
    return at == p.other.end() || at->second.empty() ? nullptr : at->second.data();
}

const float* ParticleArray::data(const Particles& p) const {
    return data(const_cast<Particles&>(p));
}

void ParticleArray::resize(Particles& p, size_t count) const {
    if (member) return member->resize(p, count);
    if (count == 0) {
        p.other.erase(name);
    } else {
        p.other[name].resize(count * static_cast<size_t>(components));
    }
}

size_t ParticleArray::size(const Particles& p) const {
    if (member) return member->size(p);
    const auto at = p.other.find(name);
    return at == p.other.end() ? 0 : at->second.size() / static_cast<size_t>(components);
}

ParticleArray other_array(const char* name, const char* unit, ArrayRole role, int components, const char* help) {
    return {name, unit, help, role, components, nullptr};
}

namespace {

/// The rows that every method has.
struct CommonRows {
    ParticleArray position = row<&P::position>("P", "m", ArrayRole::required, "position");
    ParticleArray velocity = row<&P::velocity>("v", "m/s", ArrayRole::state, "velocity");
    ParticleArray id = {"id", "", "unique number of the particle", ArrayRole::state, 0, &id_access};
    ParticleArray acceleration =
        row<&P::acceleration>("acceleration", "m/s^2", ArrayRole::input, "added to gravity: forces of the host");
    ParticleArray rest_density =
        row<&P::rest_density>("rest_density", "kg/m^3", ArrayRole::input, "density of this particle's snow, rho0");
    ParticleArray neighbours =
        row<&P::neighbours>("neighbours", "", ArrayRole::result, "number of neighbours within two spacings");
};

}  // namespace

std::vector<ParticleArray> common_arrays() {
    const CommonRows common;
    return {common.position, common.velocity, common.id, common.acceleration, common.rest_density, common.neighbours};
}

std::vector<ParticleArray> snow_arrays() {
    const CommonRows common;
    return {
        common.position,
        common.velocity,
        common.id,
        row<&P::strain>("strain", "", ArrayRole::state, "elastic stretch minus identity: xx, xy, xz, yy, yz, zz"),
        row<&P::pressure>("pressure", "Pa", ArrayRole::state, "pressure, and start of the next pressure solve"),
        row<&P::shear_acceleration>("shear_acceleration", "m/s^2", ArrayRole::state,
                                    "acceleration by shear, and start of the next shear solve"),
        row<&P::filling>("filling", "", ArrayRole::state,
                         "how dense the snow looked where it was placed, over its density; 0 = not yet known"),
        row<&P::misfit>("misfit", "m", ArrayRole::state,
                        "elastic shift of the neighbours against the particle that strain does not explain"),
        row<&P::damage>("damage", "", ArrayRole::state,
                        "share of the bonds between grains that is broken: 0 = as placed, 1 = loose"),
        row<&P::calm>("calm", "s", ArrayRole::state, "time at rest; from sleep_after on the particle sleeps"),
        row<&P::support>("support", "N", ArrayRole::state, "force with which a body bears a particle that sleeps"),
        row<&P::bearer>("bearer", "", ArrayRole::state,
                        "number of the body that bears a particle that sleeps; 0 = none"),
        common.acceleration,
        row<&P::air_velocity>("air_velocity", "m/s", ArrayRole::input, "velocity of the air here, added to the wind"),
        row<&P::young_modulus>("young_modulus", "Pa", ArrayRole::input, "stiffness of this particle's snow, E"),
        row<&P::poisson_ratio>("poisson_ratio", "", ArrayRole::input, "Poisson's ratio of this particle's snow, nu"),
        row<&P::hardening>("hardening", "", ArrayRole::input, "hardening of this particle's snow, xi"),
        row<&P::theta_c>("theta_c", "", ArrayRole::input, "critical compression of this particle's snow"),
        row<&P::theta_s>("theta_s", "", ArrayRole::input, "critical stretch of this particle's snow"),
        row<&P::friction_angle>("friction_angle", "degrees", ArrayRole::input,
                                "angle of inner friction of this particle's snow"),
        row<&P::collapse>("collapse", "", ArrayRole::input,
                          "share of its strength against pressure that this particle's snow loses with its bonds"),
        common.rest_density,
        row<&P::density>("density", "kg/m^3", ArrayRole::result, "density of the snow around the particle"),
        row<&P::compaction>("compaction", "", ArrayRole::result,
                            "density over the density as placed: 1 = as placed, 2 = pressed to half its volume"),
        common.neighbours,
    };
}

}  // namespace firn
