#pragma once

// The first particle, in sorted order, that has a number which is not finite.

#include "particles/state.h"

namespace firn::FIRN_LANES {

struct Culprit {
    enum Quantity : uint32_t { none, position, velocity, own };  ///< own + k: the k-th array of the method's state
    uint32_t rank;
    uint32_t quantity;
};

FIRN_HD uint32_t not_finite(const StateView& state, uint32_t i) {
    const auto finite = [](float a) { return a > -1e18f && a < 1e18f; };
    const Float4 x = state.motion.position[i], v = state.motion.velocity[i];
    if (!finite(x.x) || !finite(x.y) || !finite(x.z)) return Culprit::position;
    if (!finite(v.x) || !finite(v.y) || !finite(v.z)) return Culprit::velocity;
    for (uint32_t a = 0; a < state.arrays; ++a) {
        const Columns c = state.own[a].columns;
        for (size_t k = 0; k < state.own[a].components; ++k) {
            if (!finite(c.data[k * c.stride + i])) return Culprit::own + a;
        }
    }
    return Culprit::none;
}

struct StartCulprit {
    Culprit* out;
    FIRN_HD void operator()() const { *out = {0, Culprit::none}; }
};

struct MarkCulprits {
    StateView state;
    uint32_t* mark;
    FIRN_HD void operator()(uint32_t i) const { mark[i] = not_finite(state, i) == Culprit::none ? 0 : 1; }
};

/// With the marks summed up, exactly one particle is the first.
struct NameCulprit {
    StateView state;
    const uint32_t* rank;
    const uint32_t* mark;
    Culprit* out;
    FIRN_HD void operator()(uint32_t i) const {
        if (mark[i] == 1 && (i == 0 || mark[i - 1] == 0)) *out = {rank[i], not_finite(state, i)};
    }
};

}  // namespace firn::FIRN_LANES
