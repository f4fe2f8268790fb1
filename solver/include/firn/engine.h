#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "firn/body.h"
#include "firn/error.h"
#include "firn/method.h"
#include "firn/parameters.h"
#include "firn/particles.h"
#include "firn/report.h"

namespace firn {

/// Called between substeps and between solver iterations. Return false to stop: the state stays that of the last whole
/// substep.
using Observer = std::function<bool(const Progress&)>;

struct MemoryEstimate {
    uint64_t needed = 0;     ///< bytes
    uint64_t available = 0;  ///< bytes: the limit set, or what the machine has free
};

/// Where in a frame advance() begins: 0, or where an interrupted one stopped.
struct FrameStart {
    double time = 0;   ///< s of the frame that are done: FrameReport::time
    int substeps = 0;  ///< that are done
    double clock = 0;  ///< s from the beginning of the motion to that of the frame: gusts depend on it
};

/// The engine: particles and bodies in, frames of motion out.
///
/// The host owns the state. upload() copies it in, advance() moves it, download() copies it out in the host's order. An
/// advance() that throws leaves the state of the last whole substep, which download() still gives; when a graphics card
/// fails for good, that of the frame's start.
///
/// On a card the state stays there between frames: an upload() of what download() last gave costs a comparison.
class Engine {
public:
    /// `device`: "auto" (a CUDA card if one answers and the scene fits, else the CPU), "cpu", "cpu:8" / "cpu:4" /
    /// "cpu:1" for a given lane width, "cuda" (the first usable card) or "cuda:N". Throws Error when a card was asked
    /// for and can't be used.
    /// `method`: a name of method_table().
    explicit Engine(const Parameters& = {}, const std::string& device = "auto", const std::string& method = "snow");
    ~Engine();
    Engine(Engine&&) noexcept;
    Engine& operator=(Engine&&) noexcept;

    void set_parameters(const Parameters&);
    const Parameters& parameters() const;
    const MethodInfo& method() const;

    /// "cpu, 8 lanes (AVX2, FMA), 2 threads" or "cuda:0, NVIDIA GeForce RTX 2060 (sm_75, 6.2 GB)"
    std::string device() const;

    /// What two engines must share to give the same bits: "cpu:8", "cpu:4", "cpu:1" or "cuda".
    std::string arithmetic() const;

    /// Where "auto" ended on the CPU: one line that says why. Empty otherwise. If there is a card that could not be
    /// used, the next report's warnings have the line too.
    std::string notice() const;

    BodyId add_body(const Body&);
    void remove_body(BodyId);
    /// Where a rigid body will be at the end of the next frame. Without a call it stays where it is.
    void move_body(BodyId, const Transform& at_frame_end);
    /// Where a deforming body's particles will be at the end of the next frame (m, world, in the body's order).
    void move_body(BodyId, const std::vector<Float3>& at_frame_end);
    /// Where the body's particles are now (m, world); of one with a source, those that are near other particles.
    std::vector<Float3> body_positions(BodyId) const;
    /// What the particles did to a body in each substep of the last frame.
    const std::vector<BodyImpulse>& body_impulses(BodyId) const;
    /// The same, averaged over the frame.
    BodyLoad body_load(BodyId) const;

    void upload(const Particles&);
    void download(Particles&) const;
    uint64_t particle_count() const;

    /// Moves everything on by `seconds`. Ends exactly there, unless the observer stops it.
    /// Throws Error when a solve diverges, naming the particle, the quantity, the substep and what to try.
    /// An interrupted frame resumes bit-exactly in a new engine: with the particles as they were downloaded, the
    /// bodies as they were at the frame's beginning, moved to its end, and a start that says how far it was.
    FrameReport advance(double seconds, const Observer& = {}, const FrameStart& = {});

    /// For a scene of this size, before anything is allocated.
    MemoryEstimate estimate(uint64_t particles, uint64_t boundary_particles) const;
    /// Throws Error when a scene of this size does not fit, as upload() would. A card that is too small for it gives
    /// way to the CPU if the device is chosen automatically.
    void require_memory(uint64_t particles, uint64_t boundary_particles);

private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace firn
