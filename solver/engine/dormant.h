#pragma once

// Particles that sleep, where nothing moves near them, stay with the host: the device neither holds nor sees them. The
// motion does not depend on which ones these are: what sleeps stands still, and all that acts on what is awake is held.

#include <optional>

#include "boundary_bodies.h"
#include "engine/device_owner.h"

namespace firn {

class Dormant {
public:
    explicit Dormant(const Method& method) : method_(method) {}

    /// The host gave this state, and the device holds all of it.
    void take(const Particles&, const Parameters&);
    /// The state, of those that the device holds and of the others.
    void fetch(const DeviceOwner&, Particles&) const;

    /// As a frame begins: decides what the device holds, and sends it. `frame` is how long they sleep on, s.
    void begin_frame(DeviceOwner&, const Parameters&, const std::vector<KnownBody>&, uint64_t boundary, double frame);
    /// The same between two steps of a frame. `wakes_body`: where somebody woke, all that is near wakes with it, for
    /// what stirs a body of snow runs through it.
    void update(DeviceOwner&, const Parameters&, const std::vector<KnownBody>&, uint64_t boundary, bool wakes_body);
    void end_frame() { frame_start_.reset(); }
    /// A card has failed within a frame, in which it may have been given others than as the frame began.
    void restore_frame_start(DeviceOwner&, const Parameters&);
    /// Before the next frame, everybody wakes: what held them may be gone.
    void wake_all() { wake_all_ = true; }

    /// What a step says: whether any particle of the device sleeps.
    void note(bool some_asleep) { some_asleep_ = some_asleep; }
    /// Whether the device holds only some.
    bool some_left_out() const { return split_; }
    /// Whether anybody slept when the device was last given some.
    bool some_slept() const { return asleep_ > 0; }
    /// m, that particles may move until update() must look again.
    static double margin(const Parameters& p) { return double(p.spacing); }

    /// Particles in all, given how many the device holds.
    uint64_t count(uint64_t held) const { return split_ ? whole_.count() : held; }
    /// That slept when the device was last given some.
    uint64_t asleep() const { return asleep_; }
    /// That it holds, of the host's memory.
    uint64_t bytes() const;
    /// Inputs of all particles, for the stiffest of them.
    const Particles* inputs() const { return split_ ? &whole_ : nullptr; }
    /// What those that are left out do to each body: six numbers, force (N) and torque about the origin (N m).
    const std::vector<double>& loads() const { return loads_; }

private:
    bool sleeps(size_t i) const;
    bool lacks_sleepers(const Particles&) const;
    void wake(size_t i, const Parameters&);
    void wake_around(const std::vector<bool>& woken, const Parameters&);
    std::vector<uint32_t> to_hold(const Parameters&, const std::vector<KnownBody>&,
                                  const std::vector<bool>& asleep) const;
    void send(DeviceOwner&, const Parameters&, const std::vector<KnownBody>&, uint64_t boundary, bool changed);

    const Method& method_;
    std::optional<Particles> frame_start_;  ///< while a card makes a frame for which it was given some
    Particles whole_;             ///< as it was when the device was last given some; nothing if nobody slept then
    std::vector<uint32_t> held_;  ///< those of `whole_` that the device holds, if `split_`
    std::vector<double> loads_;
    uint64_t asleep_ = 0;
    float sleep_after_ = 0;  ///< s, when somebody last looked
    bool split_ = false, some_asleep_ = false, wake_all_ = false;
    bool results_known_ = true;  ///< of those that sleep
};

}  // namespace firn
