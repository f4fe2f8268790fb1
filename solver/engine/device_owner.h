#pragma once

// The device with the state that it holds, and what becomes of both when a card fails: a card may be lost with all that
// it holds, so the host keeps a copy of the last state that it has seen.

#include <utility>

#include "devices/cuda_device.h"
#include "engine/device_choice.h"
#include "engine/staging.h"
#include "firn/engine.h"

namespace firn {

class DeviceOwner {
public:
    /// `name` as Engine takes it.
    DeviceOwner(const Method&, const std::string& name, const Parameters& given, const Parameters& acting);

    /// The device; none after a card was lost, until require() finds another.
    MethodDevice* device() const { return chosen_.device.get(); }
    const Staging& staging() const { return staging_; }
    bool on_card() const { return !chosen_.card.empty() && device(); }
    /// Whether the device has changed: what the last one knew of bodies is gone with it.
    bool is_changed() const { return changed_; }
    /// The same, once after each change.
    bool take_change() { return std::exchange(changed_, false); }

    /// After a card was lost: somebody has to go on. Throws Error when the host insists on the card.
    void require();
    void upload(const Particles&, uint64_t boundary_particles);
    /// How many states were sent to a device: an upload of what it holds sends none.
    uint64_t sent() const { return sent_; }
    void download(Particles&) const;
    /// Before a frame: what a card holds is copied, unless the host has seen it.
    void keep_state();
    /// After a card has failed: the state to go on from.
    void keep(const Particles&);
    /// The device is about to move the particles.
    void state_moves() { kept_is_current_ = false; }

    /// Throws Error when the scene does not fit. A card that is too small for it gives way to the CPU if the host
    /// allows it.
    void require_memory(uint64_t particles, uint64_t boundary_particles);
    MemoryEstimate estimate(uint64_t particles, uint64_t boundary_particles) const;

    /// The card is gone: its state is the one kept. Throws Error that says so.
    [[noreturn]] void lose_card(const DeviceLost&, const char* state_kept);
    void forget_card(const DeviceLost&);

    /// The same state on as many threads as the parameters say now.
    void change_threads();

    std::string description() const;
    std::string arithmetic() const;
    const std::string& notice() const { return chosen_.notice; }
    /// The notice, once, if it belongs into a report; empty otherwise.
    std::string take_news();

private:
    bool may_use_cpu() const { return name_ == "auto"; }
    void use_cpu(const std::string& reason);
    void check_memory(uint64_t particles, uint64_t boundary_particles) const;
    void fetch(Particles&) const;

    const Method& method_;
    std::string name_;
    const Parameters &given_, &acting_;
    ChosenDevice chosen_;
    Staging staging_;
    bool changed_ = true;
    uint64_t sent_ = 0;

    // The state of the last upload, download or start of a frame; an upload of the very same state is none. Cards only.
    mutable Particles kept_;
    mutable bool kept_is_current_ = false;
};

}  // namespace firn
