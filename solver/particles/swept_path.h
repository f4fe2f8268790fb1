#pragma once

// Bodies on their way to particles that are not yet near them: speeds.h sees only what is near when the step begins.

#include "particles/boundary.h"

namespace firn::FIRN_LANES {

/// Whether the cell or one of the 26 around it holds a particle.
FIRN_HD bool any_near(const CellsView& cells, const int32_t c[3]) {
    const FindRows search{cells, cells, nullptr};
    const CellFrame& frame = cells.frame;
    for (int row = 0; row < 9; ++row) {
        const int32_t y = c[1] + row % 3 - 1, z = c[2] + row / 3 - 1;
        if (!frame.holds(1, y) || !frame.holds(2, z)) continue;
        for (int32_t x = c[0] - 1, last = c[0] + 1; x <= last;) {
            const int32_t from = x, brick_end = frame.holds(0, x) ? frame.brick_end(x) : x;
            const int32_t to = brick_end < last ? brick_end : last;
            x = to + 1;
            if (!frame.holds(0, from)) continue;
            const uint32_t at = search.lower_bound(frame.key(from, y, z), 0, cells.count);
            if (at < cells.count && cells.key[at] <= frame.key(to, y, z)) return true;
        }
    }
    return false;
}

/// How long a step each boundary particle of a moving body allows: one in which it goes no farther than `free_path`, or
/// one that ends before it comes near particles. "Near" is at least three quarters of a cell, 1.5 spacings.
struct SweepBoundary {
    CellsView cells;
    const Float4 *start, *target;
    const uint32_t* body;
    const BodyPlacement *from, *to;  ///< of all bodies, at the ends of a stretch of time
    float begin, duration;           ///< the stretch begins so long after the step, and lasts so long, s
    float free_path;                 ///< m
    Float4* sweep;                   ///< out: the longest step, s, the speed, m/s, and the body

    static constexpr float no_limit = 3e38f;

    FIRN_HD void operator()(uint32_t b) const {
        const Float4* const goal = target ? target + b : nullptr;
        const Float4 a = place(from[body[b]], start[b], goal), e = place(to[body[b]], start[b], goal);
        const float path[3] = {e.x - a.x, e.y - a.y, e.z - a.z};
        const float length = ::sqrtf(path[0] * path[0] + path[1] * path[1] + path[2] * path[2]);
        const float speed = length / duration, free_time = free_path / ::fmaxf(speed, 1e-30f);
        float longest = no_limit;
        // Whoever is slow may be near particles all the time.
        if (free_time < begin + duration) {
            const float origin[3] = {a.x, a.y, a.z};
            const float share = first_near(origin, path, length);
            if (share <= 1.0f) longest = ::fmaxf(begin + share * duration, free_time);
        }
        sweep[b] = {longest, speed, static_cast<float>(body[b]), 0.0f};
    }

    /// How far along the path the first particle is near, 0..1; 2 = none.
    FIRN_HD float first_near(const float origin[3], const float path[3], float length) const {
        // Only what leads through the box of all cells needs to be looked at.
        float enter = 0.0f, leave = 1.0f;
        for (int axis = 0; axis < 3; ++axis) {
            const float width = 1.0f / cells.frame.inverse_size;
            const float low = width * static_cast<float>(cells.frame.origin[axis]),
                        high = low + width * static_cast<float>(int32_t(1) << cells.frame.bits[axis]);
            if (::fabsf(path[axis]) < 1e-6f * width) {
                if (origin[axis] < low || origin[axis] > high) return 2.0f;
                continue;
            }
            const float one = (low - origin[axis]) / path[axis], other = (high - origin[axis]) / path[axis];
            enter = ::fmaxf(enter, ::fminf(one, other));
            leave = ::fminf(leave, ::fmaxf(one, other));
        }
        // Every half cell: particles nearer than three quarters of one are in the cells around a sample.
        if (enter > leave) return 2.0f;
        const float samples = ::ceilf((leave - enter) * 2.0f * length * cells.frame.inverse_size);
        for (float k = 0.0f; k <= samples; k += 1.0f) {
            const float at = ::fminf(enter + k / ::fmaxf(samples, 1.0f) * (leave - enter), leave);
            int32_t c[3];
            for (int axis = 0; axis < 3; ++axis) c[axis] = cells.frame.coordinate(origin[axis] + at * path[axis]);
            if (any_near(cells, c)) return at;
        }
        return 2.0f;
    }
};

/// The shortest of these steps, negative.
struct ShortestSweep {
    const Float4* sweep;
    FIRN_HD Values<1> operator()(uint32_t b) const { return {{-load4(sweep + b).x}}; }
};

/// Who asks for it: its speed and its body.
struct SweepingBody {
    const Float4* sweep;
    float shortest;
    FIRN_HD Values<2> operator()(uint32_t b) const {
        const Vec4 each = load4(sweep + b);
        const Mask asks = each.x <= shortest;
        return {{select(asks, each.y, -1.0f), select(asks, each.z, -1.0f)}};
    }
};

}  // namespace firn::FIRN_LANES
