#pragma once

// Drag of the air, solved for each particle alone and implicitly: a particle relaxes to the wind, and never past it.

#include "method_device.h"
#include "snow/views.h"

namespace firn::FIRN_LANES {

/// Air at 0 degrees Celsius.
constexpr float air_density = 1.29f;       ///< kg/m^3
constexpr float air_viscosity = 1.72e-5f;  ///< Pa s

/// cos(2 pi a), to 4e-6; |a| up to 4e6.
FIRN_HD Real cosine_of_cycles(Real a) {
    constexpr float round = 12582912.0f;  // 1.5 * 2^23: adding it leaves no room for a fraction
    const Real nearest = (a + round) - round;
    const Real z = 6.28318531f * (0.25f - abs(a - nearest));  // cos(2 pi a) = sin(z), |z| <= pi / 2
    const Real q = z * z;
    return z * (1.0f + q * (-1.0f / 6 + q * (1.0f / 120 + q * (-1.0f / 5040 + q * (1.0f / 362880)))));
}

/// For 1e-3 to 1e6: Halley's iteration, which needs no logarithm.
FIRN_HD Real cube_root(Real a) {
    Real y = sqrt(sqrt(a));
    for (int k = 0; k < 4; ++k) {
        const Real cube = y * y * y;
        y = y * (cube + 2.0f * a) / (2.0f * cube + a);
    }
    return y;
}

/// The air of a substep, and what the host added for each particle.
struct AirView {
    Air air;
    const float* local[3];  ///< m/s, by rank; null = none

    FIRN_HD Vec3 velocity(const uint32_t* rank, uint32_t i, const Vec3& x) const {
        Vec3 u = {splat(air.velocity[0]), splat(air.velocity[1]), splat(air.velocity[2])};
        for (int k = 0; k < air.waves; ++k) {
            const Air::Wave& w = air.wave[k];
            const Real share = cosine_of_cycles(w.wave[0] * x.x + w.wave[1] * x.y + w.wave[2] * x.z + splat(w.phase));
            u += Vec3{share * w.amplitude[0], share * w.amplitude[1], share * w.amplitude[2]};
        }
        if (local[0]) u += Vec3{gather(local[0], rank + i), gather(local[1], rank + i), gather(local[2], rank + i)};
        return u;
    }
};

/// What stands around a particle, as the air sees it.
struct Shelter {
    Real neighbours;  ///< how many
    Real upwind;      ///< 0: nothing is upwind; 1: a neighbour is straight upwind. Gissler 2017, Eq. 14
};

/// `relative` is the particle's velocity against the air.
FIRN_HD Shelter shelter(const SnowView& s, uint32_t i, const Vec3& x, const Vec3& relative) {
    Shelter found{splat(0.0f), splat(0.0f)};
    const Real inverse_speed = 1.0f / max(sqrt(dot(relative, relative)), 1e-20f);
    const auto near = s.neighbours.row(i);
    for (uint32_t k = 0; k < near.length; ++k) {
        const Vec3 d = xyz(gather4(s.now.position, near[k])) - x;
        const Real r_squared = dot(d, d);
        const Mask beside = r_squared < s.kernel.support_squared;
        found.neighbours += select(beside, splat(1.0f), 0.0f);
        // The particle flies towards what is upwind of it.
        const Real cosine = inverse_speed * dot(relative, d) / sqrt(max(r_squared, 1e-20f));
        found.upwind = max(found.upwind, select(beside, cosine, 0.0f));
    }
    found.upwind = min(found.upwind, 1.0f);
    return found;
}

/// Drag coefficient of a sphere without Stokes' 24 / Re. Gissler 2017, 3.1: 24 / Re (1 + Re^(2/3) / 6) in all, and
/// 0.424 from Re = 1000 on.
FIRN_HD Real sphere_drag_beyond_stokes(Real reynolds) {
    const Real re = max(reynolds, 1e-3f);
    return max(4.0f / cube_root(min(re, 1000.0f)), 0.424f - 24.0f / re);
}

/// The share of its velocity against the air that a particle keeps after dt.
FIRN_HD Real share_kept(const SnowView& s, const Air& air, float dt, Real mass, Real speed, const Shelter& around) {
    if (air.law == Air::linear) {
        // A particle inside the snow has about thirty neighbours, and feels no air.
        const Real felt = max(1.0f - (1.0f / 30) * around.neighbours, 0.0f);
        return 1.0f / (1.0f + (dt * air.drag) * felt);
    }
    // Gissler 2017, Eq. 10-16. A particle alone is a puff of loose flakes; one with as many neighbours as the corner of
    // a block is packed, and shows the air the face of its cell.
    const Real packed = min((1.0f / 7) * around.neighbours, 1.0f);
    const float flakes = 1.5f / (air.flake_density * air.flake_size);
    const Real face = s.spacing * s.spacing / max(mass, 1e-20f);
    const Real area = (1.0f - around.upwind) * ((1.0f - packed) * flakes + packed * face);  // m^2/kg
    const Real stokes = (12.0f * air_viscosity / air.flake_size) * (1.0f - packed) * area;  // 1/s
    // v' = v - dt (stokes + c |v'|) v', where c depends on |v'| through the Reynolds number, as |v'|^(-1/3) at most:
    // each round leaves a sixth of the error or less.
    const Real slowed = 1.0f + dt * stokes;
    Real kept = 1.0f / slowed;
    for (int round = 0; round < 4; ++round) {
        const Real reynolds = (air_density * air.flake_size / air_viscosity) * kept * speed;
        const Real coefficient = (1.0f - packed) * sphere_drag_beyond_stokes(reynolds) + packed;
        const Real c = (0.5f * air_density) * coefficient * area;
        kept = 2.0f / (slowed + sqrt(slowed * slowed + (4.0f * dt) * c * speed));
    }
    return kept;
}

/// The velocity `v` of a particle after dt in the air.
FIRN_HD Vec3 dragged(const SnowView& s, const AirView& air, uint32_t i, const Vec3& v, float dt) {
    const Vec3 x = xyz(load4(s.now.position + i));
    const Vec3 u = air.velocity(s.now.rank, i, x);
    const Vec3 relative = v - u;
    const Shelter around = shelter(s, i, x, relative);
    const Real speed = sqrt(dot(relative, relative));
    return u + share_kept(s, air.air, dt, particle_mass(s, i), speed, around) * relative;
}

/// The air's part of the known forces.
struct AirDrag {
    SnowView s;
    AirView air;
    FIRN_HD void operator()(uint32_t i) const {
        const Vec4 v = load4(s.predicted + i);
        store4(s.predicted + i, with_w(dragged(s, air, i, xyz(v), s.dt), v.w));
    }
};

/// The largest squared speed after dt in the air: a gust must not throw a flake further than the step allows.
struct SpeedInAir {
    SnowView s;
    AirView air;
    float dt;
    FIRN_HD Values<1> operator()(uint32_t i) const {
        const Vec3 v = dragged(s, air, i, xyz(load4(s.now.velocity + i)), dt);
        return {{dot(v, v)}};
    }
};

}  // namespace firn::FIRN_LANES
