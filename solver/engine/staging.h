#pragma once

// Particles between the host's arrays and the device's order: what is checked, sorted by id and flattened on the way.

#include "engine/methods.h"

namespace firn {

/// What the device does not keep: the host's order and inputs.
class Staging {
public:
    explicit Staging(const Method& method) : method_(&method) {}

    /// Takes over the order, ids and inputs of a state. Throws Error, and changes nothing, when arrays differ in
    /// length, values are not finite or out of range, or ids are not unique.
    void take(const Particles&);
    /// Sends the state to a device; take() has seen it.
    void send(const Particles&, const Parameters&, MethodDevice&) const;
    /// Gets the state from a device, in the host's order.
    void fetch(const MethodDevice&, Particles&) const;
    /// What fetch() would give of a state that was just sent.
    void complete(Particles&) const;
    /// The same numbers in everything that take() and send() read.
    bool same_state(const Particles&, const Particles&) const;

    uint32_t count() const { return static_cast<uint32_t>(order_.size()); }
    const Particles& inputs() const { return inputs_; }
    /// Of the particle that has this rank.
    int64_t id_of(uint32_t rank) const;

private:
    const Method* method_;
    std::vector<uint32_t> order_;  ///< host particle of each rank
    std::vector<int64_t> id_;      ///< by rank; empty = the host gave none
    Particles inputs_;             ///< the input arrays, by rank, one component after the other
};

}  // namespace firn
