#include "firn/particles.h"

#include <type_traits>
#include <utility>

namespace firn {

namespace {

template <auto Member>
using Element = typename std::remove_reference_t<decltype(std::declval<Particles>().*Member)>::value_type;

template <auto Member>
ParticleArray row(const char* name, const char* unit, ArrayRole role, const char* help) {
    return {name,
            unit,
            help,
            role,
            static_cast<int>(sizeof(Element<Member>) / sizeof(float)),
            [](Particles& p) -> float* {
                auto& array = p.*Member;
                return array.empty() ? nullptr : reinterpret_cast<float*>(array.data());
            },
            [](Particles& p, size_t count) { (p.*Member).resize(count); },
            [](const Particles& p) { return (p.*Member).size(); }};
}

using P = Particles;

}  // namespace

const std::vector<ParticleArray>& particle_arrays() {
    static const std::vector<ParticleArray> table = {
        row<&P::position>("P", "m", ArrayRole::required, "position"),
        row<&P::velocity>("v", "m/s", ArrayRole::state, "velocity"),
        {"id", "", "unique number of the particle", ArrayRole::state, 0, [](Particles&) -> float* { return nullptr; },
         [](Particles& p, size_t count) { p.id.resize(count); }, [](const Particles& p) { return p.id.size(); }},
        row<&P::strain>("strain", "", ArrayRole::state, "elastic stretch minus identity: xx, xy, xz, yy, yz, zz"),
        row<&P::pressure>("pressure", "Pa", ArrayRole::state, "pressure, and start of the next pressure solve"),
        row<&P::shear_acceleration>("shear_acceleration", "m/s^2", ArrayRole::state,
                                    "acceleration by shear, and start of the next shear solve"),
        row<&P::acceleration>("acceleration", "m/s^2", ArrayRole::input, "added to gravity: wind and other forces"),
        row<&P::young_modulus>("young_modulus", "Pa", ArrayRole::input, "stiffness of this particle's snow, E"),
        row<&P::poisson_ratio>("poisson_ratio", "", ArrayRole::input, "Poisson's ratio of this particle's snow, nu"),
        row<&P::hardening>("hardening", "", ArrayRole::input, "hardening of this particle's snow, xi"),
        row<&P::theta_c>("theta_c", "", ArrayRole::input, "critical compression of this particle's snow"),
        row<&P::theta_s>("theta_s", "", ArrayRole::input, "critical stretch of this particle's snow"),
        row<&P::rest_density>("rest_density", "kg/m^3", ArrayRole::input, "density of this particle's snow, rho0"),
        row<&P::density>("density", "kg/m^3", ArrayRole::result, "density of the snow around the particle"),
        row<&P::compaction>("compaction", "", ArrayRole::result, "hardening factor: 1 = as placed, more = packed"),
        row<&P::neighbours>("neighbours", "", ArrayRole::result, "number of snow neighbours"),
    };
    return table;
}

}  // namespace firn
