#pragma once

// What the engine asks of a device, in plain types: each method (snow, ...) on each kind of device (a lane width of the
// CPU, a card) is one implementation.

#include <cstdint>
#include <memory>

#include "firn/parameters.h"
#include "firn/report.h"
#include "firn/vector.h"

namespace firn {

/// How many particles a process moves, and how many it sees: those, and behind them copies of particles that another
/// process moves. They are the same number as long as one process holds the whole scene.
struct ParticleCounts {
    uint32_t owned = 0;
    uint32_t visible = 0;
};

/// The particles' state in the device's order. Columns are one array after the other, `visible` apart.
struct StateArrays {
    Float4* position;      ///< w unused
    Float4* velocity;      ///< w = mass
    uint32_t* rank;        ///< of the particle's id among all
    float* own;            ///< the method's own state, in the order of its table
    float* results;        ///< out only: the method's results, in the order of its table
    uint32_t* neighbours;  ///< out only: how many
};

/// The method's own arrays as a device has them; the method's table must say the same.
struct ArrayLayout {
    const char* name;
    int components;
};
struct DeviceLayout {
    const ArrayLayout *state, *inputs, *results;  ///< each ends with a row without a name
};

/// Boundary particles of several bodies.
struct BoundaryArrays {
    const Float4* position;  ///< x, y, z and V_b; in the body's frame if rigid, at the frame's start if deforming
    const Float4* target;    ///< deforming: at the frame's end; null = none is deforming
    const Float4* normal;    ///< w = 1 where given
    const Float4* surface;   ///< friction, adhesion, bounce, sticky
    const uint32_t* body;
    uint32_t count;
};

/// Where a body is at some moment: a rigid placement, or how far between the frame's start and end.
struct BodyPlacement {
    float rotation[9];
    float translation[3];
    float blend;  ///< 0..1; negative = rigid
};

/// The air at one moment, as kernels read it. SI units.
struct Air {
    enum Law : int { none, linear, flakes } law = none;
    float velocity[3] = {};  ///< mean wind
    float drag = 0;          ///< of the linear law, 1/s
    float flake_size = 0, flake_density = 0;

    /// A gust is a sum of waves: amplitude * cos(2 pi (wave . x + phase)). Each amplitude is at right angles to its
    /// wave, so that the sum has no divergence.
    struct Wave {
        float wave[3];       ///< cycles per metre
        float phase;         ///< cycles, 0 to 1, at this moment
        float amplitude[3];  ///< m/s
    };
    static constexpr int most_waves = 18;
    int waves = 0;
    Wave wave[most_waves] = {};
};

/// A particle that something is largest of.
struct PlacedParticle {
    uint32_t rank = 0;
    float position[3] = {0, 0, 0};
    int32_t body = -1;  ///< that it moves towards; -1 = none
};

struct Speed {
    double between;     ///< neighbours, along their line, m/s
    double approach;    ///< towards boundaries, m/s
    double largest;     ///< |v|, m/s
    double difference;  ///< between neighbours in any direction, m/s
    bool free;          ///< no boundary near, no stress, no force but gravity
    /// Whose speeds these are: of `between`, `approach`, `largest`, `difference`.
    enum Of { of_between, of_approach, of_largest, of_difference };
    PlacedParticle at[4] = {};
};

/// Of all particles.
struct Energy {
    double kinetic = 0, potential = 0;  ///< J; potential in the field of gravity
    double forced = 0;                  ///< sum of m |a|^2 over the given accelerations, N m/s^2
    double mass = 0;                    ///< kg
};

/// Particles that are faster than what was near them explains.
struct Thrown {
    uint64_t count = 0;
    uint32_t rank = 0;  ///< of the fastest
    double speed = 0;   ///< of the fastest, m/s
};

/// How long a step a body allows that is on its way to particles.
struct Sweep {
    bool met = false;    ///< a body that is fast enough to count comes near some
    double longest = 0;  ///< s
    double speed = 0;    ///< of the body's surface there, m/s
    uint32_t body = 0;
};

struct StepResult {
    enum Status { good, interrupted, failed } status = good;
    const char* quantity = "";  ///< what was not finite
    uint32_t rank = 0;          ///< of the first bad particle
    static constexpr int most_solves = 4;
    SolveReport solves[most_solves];  ///< in the order of the method's table
    double speed = 0;
    bool some_asleep = false, some_woken = false;
    bool wakes_body = false;  ///< one that woke belongs to a body of sleeping particles
};

/// Asked between iterations, with the place of the solve in the method's table; false = stop.
struct Interrupt {
    bool (*go_on)(void* context, int solve, int iteration);
    void* context;
};

class MethodDevice {
public:
    /// Defined in engine/methods.cpp: a copy compiled for AVX2 must not be the one that the linker keeps.
    virtual ~MethodDevice();

    virtual const DeviceLayout& layout() const = 0;
    virtual int lanes() const = 0;
    virtual int threads() const = 0;

    virtual void upload(const StateArrays&, ParticleCounts) = 0;
    /// One pointer for each input of the method's table, by rank, one column after the other; null = the parameter's
    /// value for all, or none. They hold until the next call.
    virtual void set_inputs(const float* const* inputs) = 0;
    virtual void download(const StateArrays&) const = 0;
    /// Whether there are more particles than these: asleep, and out of everyone's reach. What the scene as a whole
    /// decides must not depend on which of them are left out.
    virtual void set_others(bool) = 0;
    /// Where `count` particles from the `first` on are, in the device's order.
    virtual void positions(Float4* to, uint32_t first, uint32_t count) const = 0;

    /// Bodies that never move; sorted once.
    virtual void set_still(const BoundaryArrays&, float spacing) = 0;
    virtual void set_moving(const BoundaryArrays&) = 0;

    /// The air of the substep that follows; methods that know no air ignore it.
    virtual void set_air(const Air&) = 0;

    /// Sorts the particles, finds neighbours and measures speeds. Moving bodies are at `now` and will be at `later`
    /// after `duration` seconds. Adds the time it took to seconds[phase].
    virtual Speed prepare(const Parameters&, const BodyPlacement* now, const BodyPlacement* later, uint32_t bodies,
                          double duration, double* seconds) = 0;

    /// After prepare(): what bodies meet while they go from `from` to `to`, which takes `duration` seconds, and begins
    /// `begin` seconds after the step. Beside particles, `free_path` (m) is as far as a body may go in one step.
    virtual Sweep sweep(const BodyPlacement* from, const BodyPlacement* to, uint32_t bodies, double begin,
                        double duration, double free_path) = 0;

    /// One step of dt seconds; `next` is where the moving bodies will be. Writes the impulses (N s, N m s about the
    /// origin) of the snow on each body to impulse[6 * body ...] if the step is good.
    virtual StepResult step(const Parameters&, double dt, const BodyPlacement* next, uint32_t bodies, double* impulse,
                            const Interrupt&, double* seconds) = 0;

    /// After a step in which some particles woke: it did not happen, and they are awake from its beginning.
    virtual void take_back(const Parameters&) = 0;

    /// Of the state as it is now.
    virtual Energy energy(const Parameters&) = 0;
    /// Takes down how fast particles and bodies are, for thrown() at the end of a frame of `duration` seconds. `gain`
    /// times as fast is as fast as they may make what is near them. Bodies: where they are, and at what speeds they
    /// throw off what rests, m/s.
    virtual void note_speeds(const Parameters&, double duration, double gain, const BodyPlacement* now,
                             const float* speed, uint32_t bodies) = 0;
    /// Particles that are faster by more than `allowance`, m/s, than anything noted explains. After a step.
    virtual Thrown thrown(const Parameters&, double allowance) = 0;
    /// Elastic energy of the state that the last step made, J.
    virtual double stored_energy(const Parameters&) = 0;

    /// Held now.
    virtual uint64_t bytes() const = 0;
    /// For estimates: the arrays, and lists for `neighbours` neighbours.
    virtual uint64_t bytes_per_particle(uint32_t neighbours) const = 0;
    /// Bytes that the device can still give.
    virtual uint64_t memory_free() const = 0;
};

}  // namespace firn
