#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "firn/vector.h"

namespace firn {

/// The particles as the host owns them: one array for each quantity, all of the same length or empty.
/// An empty optional array means "the start value" (state) or "the value in Parameters" (material), and costs nothing.
/// Whatever a step needs is here: download, upload, advance gives the same bits as advance alone.
struct Particles {
    std::vector<Float3> position;  ///< P, m
    std::vector<Float3> velocity;  ///< v, m/s; empty = at rest
    std::vector<int64_t> id;       ///< unique; empty = 0, 1, 2, ...

    // The snow state.
    std::vector<Sym3> strain;                ///< elastic stretch minus identity, F_E - 1; empty = 0
    std::vector<float> pressure;             ///< Pa, start value of the pressure solve; empty = 0
    std::vector<Float3> shear_acceleration;  ///< m/s^2, start value of the shear solve; empty = 0
    /// How dense the snow looked where it was placed, over rest_density: what compaction counts from. 0 or empty = as
    /// the next step finds it.
    std::vector<float> filling;
    /// m, how far the neighbours have shifted against the particle, apart from strain; empty = 0
    std::vector<Float3> misfit;
    /// Share of the bonds between grains that is broken: 0 = as placed, 1 = loose; empty = 0
    std::vector<float> damage;
    /// s at rest. From Parameters::sleep_after on, and with no velocity, the particle sleeps; the time asleep counts
    /// on. Set it to 0 to wake a particle. Empty = 0
    std::vector<float> calm;
    /// N, with which a body bears a particle that sleeps; empty = 0
    std::vector<Float3> support;
    /// Number of that body in the order in which bodies were added, from 1; 0 or empty = none
    std::vector<float> bearer;

    // Inputs that hold until the next upload.
    std::vector<Float3> acceleration;   ///< m/s^2, added to gravity: forces of the host; empty = 0
    std::vector<Float3> air_velocity;   ///< m/s, added to the parameter wind where the particle is; empty = 0
    std::vector<float> young_modulus;   ///< E, Pa
    std::vector<float> poisson_ratio;   ///< nu
    std::vector<float> hardening;       ///< xi
    std::vector<float> theta_c;         ///< critical compression
    std::vector<float> theta_s;         ///< critical stretch
    std::vector<float> friction_angle;  ///< of grains on each other, degrees
    std::vector<float> collapse;        ///< share of its strength against pressure that snow loses with its bonds
    std::vector<float> rest_density;    ///< rho0, kg/m^3; a particle's mass is rho0 * spacing^3

    // Results of the last substep, written by download(). upload() ignores them but for particles that sleep: theirs
    // are those with which they fell asleep.
    std::vector<float> density;     ///< rho, kg/m^3, Gissler 2020, Eq. 20
    std::vector<float> compaction;  ///< density over the density as placed, both unloaded: 1 = as placed, > 1 = packed
    std::vector<float> neighbours;  ///< number of snow neighbours

    /// What other methods than snow keep for each particle, by the name in their tables: as many floats per particle as
    /// the table says.
    std::map<std::string, std::vector<float>> other;

    size_t count() const { return position.size(); }
};

enum class ArrayRole { required, state, input, result };

/// One row of the table of per-particle arrays: how a host (attributes, point grids, checkpoints) finds them all.
struct ParticleArray {
    const char* name;  ///< the attribute's name in Houdini and in files
    const char* unit;
    const char* help;
    ArrayRole role;
    int components;  ///< floats per particle; 0 for `id`, which is int64

    /// The array's floats, or nullptr when it is empty (and for `id`).
    float* data(Particles&) const;
    const float* data(const Particles&) const;
    void resize(Particles&, size_t count) const;
    /// In particles.
    size_t size(const Particles&) const;

    /// How a member of Particles is reached; none for arrays that live in Particles::other.
    struct Member {
        float* (*data)(Particles&);
        void (*resize)(Particles&, size_t count);
        size_t (*size)(const Particles&);
    };
    const Member* member;
};

/// A row of a method's table for an array in Particles::other. The texts must live as long as the table.
ParticleArray other_array(const char* name, const char* unit, ArrayRole role, int components, const char* help);

/// What a particle has under any method: P, v, id, acceleration, rest_density and the number of neighbours.
std::vector<ParticleArray> common_arrays();

/// Every array of every method, each once: snow's in the order of Particles, then what other methods add.
const std::vector<ParticleArray>& particle_arrays();

}  // namespace firn
