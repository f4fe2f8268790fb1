#include "engine/device_owner.h"

#include <cstdio>

#include "firn/memory.h"

namespace firn {

namespace {

std::string megabytes(uint64_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0f MB", static_cast<double>(bytes) / 1e6);
    return text;
}

}  // namespace

DeviceOwner::DeviceOwner(const Method& method, const std::string& name, const Parameters& given,
                         const Parameters& acting)
    : method_(method),
      name_(name),
      given_(given),
      acting_(acting),
      chosen_(choose_device(method, name, given.threads)),
      staging_(method) {}

void DeviceOwner::use_cpu(const std::string& reason) {
    chosen_ = fall_back_to_cpu(method_, given_.threads, reason);
    kept_is_current_ = false;
    kept_ = Particles();
    changed_ = true;
}

void DeviceOwner::require() {
    if (device()) return;
    if (!may_use_cpu()) throw Error(chosen_.notice);
    const Particles state = std::move(kept_);
    use_cpu(chosen_.notice);
    staging_.take(state);
    staging_.send(state, acting_, *device());
}

void DeviceOwner::forget_card(const DeviceLost& lost) {
    chosen_.device.reset();
    chosen_.notice = lost.what();
}

void DeviceOwner::lose_card(const DeviceLost& lost, const char* state_kept) {
    forget_card(lost);
    throw Error(chosen_.notice + "; " + state_kept + " is kept. " +
                (may_use_cpu() ? "Firn can go on from there on the CPU" : "Start again, or use device = cpu"));
}

MemoryEstimate DeviceOwner::estimate(uint64_t particles, uint64_t boundary_particles) const {
    MemoryEstimate e;
    if (!device()) return e;
    e.needed = particles * device()->bytes_per_particle(40) + boundary_particles * 260;
    e.available = given_.memory_limit > 0 ? static_cast<uint64_t>(allowed_bytes(given_)) : device()->memory_free();
    return e;
}

void DeviceOwner::check_memory(uint64_t particles, uint64_t boundary_particles) const {
    const MemoryEstimate e = estimate(particles, boundary_particles);
    // What the device holds already is not needed again.
    const uint64_t held = device()->bytes();
    const uint64_t room = given_.memory_limit > 0 ? e.available : e.available + held;
    if (e.needed > held && e.needed > room) {
        throw Error(std::to_string(particles) + " snow and " + std::to_string(boundary_particles) +
                    " boundary particles need about " + megabytes(e.needed) + ", but only " + megabytes(room) +
                    (given_.memory_limit > 0 ? " are allowed by memory_limit" : " are free") +
                    "; use a larger spacing or fewer particles");
    }
}

void DeviceOwner::require_memory(uint64_t particles, uint64_t boundary_particles) {
    try {
        check_memory(particles, boundary_particles);
    } catch (const DeviceLost&) {
        throw;
    } catch (const Error& error) {
        if (!on_card() || !may_use_cpu()) throw;
        Particles state;
        const bool full = staging_.count() > 0;
        if (full) download(state);
        use_cpu(std::string("the scene does not fit on ") + chosen_.card + ": " + error.what());
        check_memory(particles, boundary_particles);
        if (full) staging_.send(state, acting_, *device());
    }
}

void DeviceOwner::upload(const Particles& p, uint64_t boundary_particles) {
    require();
    if (on_card() && kept_is_current_ && staging_.same_state(p, kept_)) return;
    ++sent_;
    Staging fresh(method_);
    fresh.take(p);
    require_memory(p.count(), boundary_particles);
    staging_ = std::move(fresh);
    if (!on_card()) return staging_.send(p, acting_, *device());
    kept_ = p;
    staging_.complete(kept_);
    try {
        staging_.send(p, acting_, *device());
        kept_is_current_ = true;
    } catch (const Error& error) {
        // The host's state is whole, whatever the card did.
        const std::string reason = error.what();
        chosen_.device.reset();
        if (!may_use_cpu()) {
            chosen_.notice = reason;
            throw;
        }
        use_cpu(chosen_.card + " can't take the scene: " + reason);
        staging_.send(p, acting_, *device());
    }
}

void DeviceOwner::fetch(Particles& p) const {
    staging_.fetch(*device(), p);
}

void DeviceOwner::download(Particles& p) const {
    if (!device()) {
        p = kept_;
        return;
    }
    fetch(p);
    if (on_card()) {
        kept_ = p;
        kept_is_current_ = true;
    }
}

void DeviceOwner::keep_state() {
    if (!on_card() || kept_is_current_) return;
    fetch(kept_);
    kept_is_current_ = true;
}

void DeviceOwner::keep(const Particles& p) {
    Staging fresh(method_);
    fresh.take(p);
    staging_ = std::move(fresh);
    kept_ = p;
    staging_.complete(kept_);
    kept_is_current_ = false;
}

void DeviceOwner::change_threads() {
    if (!device() || on_card()) return;
    Particles state;
    fetch(state);
    chosen_.device = make_cpu(method_, may_use_cpu() ? "cpu" : name_, given_.threads);
    changed_ = true;
    staging_.send(state, acting_, *device());
}

std::string DeviceOwner::description() const {
    if (!device()) return "none: " + chosen_.notice;
    if (on_card()) return chosen_.card;
    const int lanes = device()->lanes(), threads = device()->threads();
    return "cpu, " + std::to_string(lanes) +
           (lanes == 8   ? " lanes (AVX2, FMA), "
            : lanes == 4 ? " lanes (SSE2), "
                         : " lane, ") +
           std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

std::string DeviceOwner::arithmetic() const {
    if (!device()) return "none";
    return on_card() ? "cuda" : "cpu:" + std::to_string(device()->lanes());
}

std::string DeviceOwner::take_news() {
    return std::exchange(chosen_.notice_is_news, false) ? chosen_.notice : "";
}

}  // namespace firn
