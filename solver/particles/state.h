#pragma once

// The whole state of the particles on a device: motion, and the columns that the method keeps besides.

#include "method_device.h"
#include "particles/particle_view.h"

namespace firn::FIRN_LANES {

constexpr uint32_t most_state_arrays = 10;

struct StateView {
    MotionView motion;
    struct Array {
        Columns columns;
        uint32_t components;
    } own[most_state_arrays];
    uint32_t arrays;  ///< of `own`
};

/// All of one particle's state.
FIRN_HD void copy_particle(const StateView& from, uint32_t j, const StateView& to, uint32_t i) {
    to.motion.position[i] = from.motion.position[j];
    to.motion.velocity[i] = from.motion.velocity[j];
    to.motion.rank[i] = from.motion.rank[j];
    for (uint32_t a = 0; a < from.arrays; ++a) {
        const Columns source = from.own[a].columns, target = to.own[a].columns;
        for (size_t c = 0; c < from.own[a].components; ++c) {
            target.data[c * target.stride + i] = source.data[c * source.stride + j];
        }
    }
}

struct Reorder {
    const uint32_t* source;
    StateView from, to;
    FIRN_HD void operator()(uint32_t i) const { copy_particle(from, source[i], to, i); }
};

/// Where a step leaves the state, after one that failed or was stopped.
struct Restore {
    StateView from, to;
    FIRN_HD void operator()(uint32_t i) const { copy_particle(from, i, to, i); }
};

/// Particles out of everything's reach, without mass, behind the last one: they fill up short neighbour lists.
struct Pad {
    StateView state;
    uint32_t count;  ///< of real particles
    FIRN_HD void operator()(uint32_t k) const {
        const uint32_t i = count + k;
        state.motion.position[i] = {1e9f, 1e9f, 1e9f, 0.0f};
        state.motion.velocity[i] = {0.0f, 0.0f, 0.0f, 0.0f};
        state.motion.rank[i] = 0;
        for (uint32_t a = 0; a < state.arrays; ++a) {
            const Columns c = state.own[a].columns;
            for (size_t k2 = 0; k2 < state.own[a].components; ++k2) c.data[k2 * c.stride + i] = 0.0f;
        }
    }
};

/// The last good state, sorted, in memory of its own.
class State {
public:
    /// `layout` ends with a row without a name.
    explicit State(const ArrayLayout* layout) : layout_(layout) {
        for (const ArrayLayout* row = layout; row->name; ++row) words_ += static_cast<uint32_t>(row->components);
    }
    void resize(uint32_t padded) {
        position_.resize(padded);
        velocity_.resize(padded);
        rank_.resize(padded);
        own_.resize(size_t(words_) * padded);
        padded_ = padded;
    }
    void release() { *this = State(layout_); }
    StateView view() const {
        StateView v{{position_.data(), velocity_.data(), rank_.data()}, {}, 0};
        float* at = own_.data();
        for (const ArrayLayout* row = layout_; row->name; ++row) {
            const uint32_t components = static_cast<uint32_t>(row->components);
            v.own[v.arrays++] = {{at, padded_}, components};
            at += size_t(components) * padded_;
        }
        return v;
    }
    size_t bytes() const { return position_.bytes() + velocity_.bytes() + rank_.bytes() + own_.bytes(); }
    size_t bytes_per_particle() const { return 2 * sizeof(Float4) + sizeof(uint32_t) + words_ * sizeof(float); }

private:
    const ArrayLayout* layout_;
    uint32_t words_ = 0, padded_ = 0;
    Buffer<Float4> position_, velocity_;
    Buffer<uint32_t> rank_;
    Buffer<float> own_;
};

}  // namespace firn::FIRN_LANES
