#pragma once

// Grains that move faster than anything near them explains. A few of them do not show in sums over the scene, so
// everyone is compared with what was near it as the frame began: particles, what was to push them, and bodies.

#include "particles/boundary.h"

namespace firn::FIRN_LANES {

FIRN_HD uint32_t bits_of(float a) {
    uint32_t bits;
    __builtin_memcpy(&bits, &a, sizeof bits);
    return bits;
}

FIRN_HD float speed_of(const Float4& v) {
    return ::sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
}

/// The fastest motion everywhere in space, in cells that are the wider the faster it is: what moves at a speed u has to
/// do with what is within `reach` * u when the frame ends, and so is in the cell there or in one of the 26 around it.
/// Each cell has two places in the table, and the lower of their values holds: cells that share a place may hide a
/// fault, if both do and one is fast, but make none.
struct SpeedTable {
    static constexpr int levels = 16;

    uint32_t* fastest;  ///< of each place, m/s: bits of floats that are not negative, whose order is the numbers'
    uint32_t* used;     ///< of each level: 1 = something is there
    uint32_t mask;      ///< a power of two less one: of places
    float width;        ///< of the narrowest cells, m; each level's are twice as wide as the one before
    float reach;        ///< s

    FIRN_HD int level(float speed) const {
        int k = 0;
        for (float w = width; w < reach * speed && k + 1 < levels; w *= 2.0f) ++k;
        return k;
    }

    /// Cell coordinates at a level.
    FIRN_HD void cell(const Float4& x, int at, int32_t c[3]) const {
        const float inverse = 1.0f / (width * static_cast<float>(1 << at)), p[3] = {x.x, x.y, x.z};
        for (int axis = 0; axis < 3; ++axis)
            c[axis] = static_cast<int32_t>(::fminf(::fmaxf(::floorf(p[axis] * inverse), -1e9f), 1e9f));
    }

    FIRN_HD uint32_t place(const int32_t c[3], int at, uint32_t which) const {
        uint64_t h = 0x9e3779b97f4a7c15ull * (uint64_t(at) * 2 + which + 1);
        for (int axis = 0; axis < 3; ++axis) {
            h = (h ^ uint32_t(c[axis])) * 0xff51afd7ed558ccdull;
            h ^= h >> 32;
        }
        return static_cast<uint32_t>(h) & mask;
    }

    FIRN_HD void note(const Float4& x, float speed) const {
        const int at = level(speed);
        int32_t c[3];
        cell(x, at, c);
        for (uint32_t which = 0; which < 2; ++which) Execution::raise(fastest + place(c, at, which), bits_of(speed));
        Execution::raise(used + at, 1);
    }

    /// Whether something that was as fast as that came near.
    FIRN_HD bool holds(const Float4& x, float speed) const {
        const uint32_t bits = bits_of(speed);
        for (int at = level(speed); at < levels; ++at) {
            if (!used[at]) continue;
            int32_t c[3];
            cell(x, at, c);
            for (int k = 0; k < 27; ++k) {
                const int order = (k + 13) % 27;  // its own cell first
                const int32_t near[3] = {c[0] + order % 3 - 1, c[1] + order / 3 % 3 - 1, c[2] + order / 9 - 1};
                if (fastest[place(near, at, 0)] >= bits && fastest[place(near, at, 1)] >= bits) return true;
            }
        }
        return false;
    }
};

struct ClearSpeeds {
    SpeedTable table;
    FIRN_HD void operator()(uint32_t k) const {
        table.fastest[k] = 0;
        if (k < SpeedTable::levels) table.used[k] = 0;
    }
};

/// How fast each particle is, and could become by the given acceleration.
struct NoteParticles {
    SpeedTable table;
    MotionView now;
    const float* acceleration[3];  ///< by rank; null = none
    float duration;                ///< s
    FIRN_HD void operator()(uint32_t i) const {
        float speed = speed_of(now.velocity[i]);
        if (acceleration[0]) {
            const uint32_t r = now.rank[i];
            const float a[3] = {acceleration[0][r], acceleration[1][r], acceleration[2][r]};
            speed += duration * ::sqrtf(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        }
        table.note(now.position[i], speed);
    }
};

/// Boundary particles of moving bodies, where the frame finds them.
struct NoteBodies {
    SpeedTable table;
    const Float4 *start, *target;
    const uint32_t* body;
    const BodyPlacement* placement;
    const float* speed;  ///< of each body, m/s
    FIRN_HD void operator()(uint32_t b) const {
        const uint32_t k = body[b];
        if (speed[k] > 0.0f) table.note(place(placement[k], start[b], target ? target + b : nullptr), speed[k]);
    }
};

/// What was found.
struct ThrownGrains {
    int64_t count;
    uint32_t speed;  ///< of the fastest, bits of a float
    uint32_t rank;   ///< of the fastest, and one, so that 0 is nobody
};

struct StartThrown {
    ThrownGrains* out;
    FIRN_HD void operator()() const { *out = {0, 0, 0}; }
};

/// Finds particles that are faster than `allowance` and `gain` times what was near them.
struct FindThrown {
    SpeedTable table;
    MotionView now;
    float gain, allowance;
    uint32_t* found;  ///< out: bits of their speeds; 0 = in order
    ThrownGrains* out;
    FIRN_HD void operator()(uint32_t i) const {
        const float speed = speed_of(now.velocity[i]);
        const bool thrown = speed > allowance && !table.holds(now.position[i], (speed - allowance) / gain);
        found[i] = thrown ? bits_of(speed) : 0;
        if (!thrown) return;
        Execution::raise(&out->speed, found[i]);
        Execution::add(&out->count, 1);
    }
};

/// The fastest of them; of equals the one with the highest rank.
struct NameThrown {
    const uint32_t *rank, *found;
    ThrownGrains* out;
    FIRN_HD void operator()(uint32_t i) const {
        if (found[i] && found[i] == out->speed) Execution::raise(&out->rank, rank[i] + 1);
    }
};

}  // namespace firn::FIRN_LANES
