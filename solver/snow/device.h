#pragma once

// What the engine asks of a device, in plain types: each device (a lane width of the CPU, a GPU) is one implementation.

#include <cstdint>
#include <memory>

#include "firn/parameters.h"
#include "firn/report.h"
#include "firn/vector.h"

namespace firn {

/// The particles' state in the device's order. Columns are one array after the other, `count` apart.
struct StateArrays {
    Float4* position;  ///< w unused
    Float4* velocity;  ///< w = mass
    float* strain;     ///< six columns
    float* pressure;
    float* shear_acceleration;  ///< three columns
    uint32_t* rank;             ///< of the particle's id
    float* density;             ///< out only, as are the next two
    float* compaction;
    uint32_t* neighbours;
};

/// Inputs by rank; null = the uniform value of the parameters, or no acceleration.
struct InputArrays {
    const float* young_modulus;
    const float* poisson_ratio;
    const float* hardening;
    const float* theta_c;
    const float* theta_s;
    const float* rest_density;
    const float* acceleration;  ///< three columns
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

struct Speed {
    double between;     ///< neighbours, along their line, m/s
    double approach;    ///< towards boundaries, m/s
    double largest;     ///< |v|, m/s
    double difference;  ///< between neighbours in any direction, m/s
    bool free;          ///< no boundary near, no strain, no force but gravity
};

struct StepResult {
    enum Status { good, interrupted, failed } status = good;
    const char* quantity = "";  ///< what was not finite
    uint32_t rank = 0;          ///< of the first bad particle
    SolveReport pressure, shear;
    double speed = 0;
};

/// Asked between iterations; false = stop.
struct Interrupt {
    bool (*go_on)(void* context, const char* phase, int iteration);
    void* context;
};

class SnowDevice {
public:
    /// Defined in engine.cpp: a copy compiled for AVX2 must not be the one that the linker keeps.
    virtual ~SnowDevice();

    virtual int lanes() const = 0;
    virtual int threads() const = 0;

    virtual void upload(const StateArrays&, uint32_t count) = 0;
    virtual void set_inputs(const InputArrays&) = 0;
    virtual void download(const StateArrays&) const = 0;

    /// Bodies that never move; sorted once.
    virtual void set_still(const BoundaryArrays&, float spacing) = 0;
    virtual void set_moving(const BoundaryArrays&) = 0;

    /// Sorts the particles, finds neighbours and measures speeds. Moving bodies are at `now` and will be at `later`
    /// after `seconds`.
    virtual Speed prepare(const Parameters&, const BodyPlacement* now, const BodyPlacement* later, uint32_t bodies,
                          double seconds, PhaseTimes&) = 0;

    /// One step of dt seconds; `next` is where the moving bodies will be. Adds the impulses (N s, N m s) on each body
    /// to impulse[6 * body ...].
    virtual StepResult step(const Parameters&, double dt, const BodyPlacement* next, uint32_t bodies, double* impulse,
                            const Interrupt&, PhaseTimes&) = 0;

    /// Held now.
    virtual uint64_t bytes() const = 0;
    /// For estimates: the arrays, and lists for `neighbours` neighbours.
    virtual uint64_t bytes_per_particle(uint32_t neighbours) const = 0;
    /// Bytes that the device can still give.
    virtual uint64_t memory_free() const = 0;
};

namespace lanes1 {
std::unique_ptr<SnowDevice> make_cpu(int threads);
}
namespace lanes4 {
std::unique_ptr<SnowDevice> make_cpu(int threads);
}
namespace lanes8 {
std::unique_ptr<SnowDevice> make_cpu(int threads);
}

}  // namespace firn
