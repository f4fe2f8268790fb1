#pragma once

// Boundary particles on the device: still ones sorted once, moving ones placed and sorted every substep.

#include "method_device.h"
#include "particles/particle_view.h"

namespace firn::FIRN_LANES {

FIRN_HD Float4 place(const BodyPlacement& at, const Float4& start, const Float4* target) {
    if (at.blend >= 0.0f && target) {
        return {start.x + at.blend * (target->x - start.x), start.y + at.blend * (target->y - start.y),
                start.z + at.blend * (target->z - start.z), start.w};
    }
    const float* r = at.rotation;
    return {r[0] * start.x + r[1] * start.y + r[2] * start.z + at.translation[0],
            r[3] * start.x + r[4] * start.y + r[5] * start.z + at.translation[1],
            r[6] * start.x + r[7] * start.y + r[8] * start.z + at.translation[2], start.w};
}

struct PlaceBoundary {
    const Float4* start;
    const Float4* target;
    const uint32_t* body;
    const BodyPlacement* placement;
    Float4* position;
    FIRN_HD void operator()(uint32_t b) const {
        position[b] = place(placement[body[b]], start[b], target ? target + b : nullptr);
    }
};

/// Boundary particles in sorted order.
struct SortBoundary {
    const uint32_t* source;
    const Float4 *position, *normal, *surface;
    const uint32_t* body;
    const BodyPlacement* placement;  ///< turns the normals; null = they stay
    Float4 *position_out, *velocity_out, *normal_out, *surface_out;
    FIRN_HD void operator()(uint32_t b) const {
        const uint32_t from = source[b];
        position_out[b] = position[from];
        surface_out[b] = surface[from];
        Float4 n = normal[from];
        if (placement) {
            const BodyPlacement& at = placement[body[from]];
            if (at.blend < 0.0f) {
                BodyPlacement turn = at;
                turn.translation[0] = turn.translation[1] = turn.translation[2] = 0.0f;
                n = place(turn, n, nullptr);
            }
        }
        normal_out[b] = n;
        velocity_out[b] = {0.0f, 0.0f, 0.0f, static_cast<float>(body[from])};
    }
};

/// The velocity that takes each boundary particle to its place at the end of the substep.
struct BoundaryVelocity {
    const uint32_t* source;
    const Float4 *start, *target;
    const uint32_t* body;
    const BodyPlacement* next;
    float inverse_dt;
    const Float4* position;  ///< now, sorted
    Float4* velocity;
    FIRN_HD void operator()(uint32_t b) const {
        const uint32_t from = source[b];
        const Float4 to = place(next[body[from]], start[from], target ? target + from : nullptr);
        const Float4 now = position[b];
        velocity[b] = {(to.x - now.x) * inverse_dt, (to.y - now.y) * inverse_dt, (to.z - now.z) * inverse_dt,
                       velocity[b].w};
    }
};

/// Owns the boundary particles.
class Boundary {
public:
    void set_still(Execution& on, const BoundaryArrays& host, float cell_width) {
        still_count_ = host.count;
        placed_at_ = 0;  // the moving ones lie behind the still ones
        cell_width_ = cell_width;
        take(on, still_, host);
        reserve();
        if (host.count) sort(on, still_, still_cells_, still_.start.data(), 0, nullptr, host.count);
        place_filler(on);
    }

    void set_moving(Execution& on, const BoundaryArrays& host) {
        moving_count_ = host.count;
        placed_at_ = 0;
        take(on, moving_, host);
        if (reserve() && still_count_) {
            sort(on, still_, still_cells_, still_.start.data(), 0, nullptr, still_count_);
        }
        place_filler(on);
    }

    /// Puts the moving particles where `placement` has them.
    void place_moving(Execution& on, const BodyPlacement* placement, uint32_t bodies) {
        if (!moving_count_) return;
        placement_.resize(bodies);
        on.copy_in(placement_.data(), placement, bodies);
        // Bodies that stand where they stood are sorted already.
        const uint64_t here = fingerprint(placement, bodies);
        if (here == placed_at_) return;
        placed_at_ = 0;  // until it is done
        placed_.resize(moving_count_ + lane_width);
        on.for_each_item(moving_count_, PlaceBoundary{moving_.start.data(), moving_.target_or_null(),
                                                      moving_.body.data(), placement_.data(), placed_.data()});
        sort(on, moving_, moving_cells_, placed_.data(), still_count_, placement_.data(), moving_count_);
        placed_at_ = here;
    }

    void set_velocity(Execution& on, const BodyPlacement* next, uint32_t bodies, double dt) {
        if (!moving_count_) return;
        on.copy_in(placement_.data(), next, bodies);
        on.for_each_item(moving_count_,
                         BoundaryVelocity{moving_cells_.source(), moving_.start.data(), moving_.target_or_null(),
                                          moving_.body.data(), placement_.data(), static_cast<float>(1.0 / dt),
                                          position_.data() + still_count_, velocity_.data() + still_count_});
    }

    const Float4* moving_start() const { return moving_.start.data(); }
    const Float4* moving_target() const { return moving_.target_or_null(); }
    const uint32_t* moving_body() const { return moving_.body.data(); }

    BoundaryView view() const { return {position_.data(), velocity_.data(), surface_.data(), normal_.data()}; }
    uint32_t filler() const { return still_count_ + moving_count_; }
    uint32_t still_count() const { return still_count_; }
    uint32_t moving_count() const { return moving_count_; }
    const Cells& still_cells() const { return still_cells_; }
    const Cells& moving_cells() const { return moving_cells_; }
    size_t bytes() const {
        return still_.bytes() + moving_.bytes() + still_cells_.bytes() + moving_cells_.bytes() + position_.bytes() +
               velocity_.bytes() + surface_.bytes() + normal_.bytes() + placed_.bytes() + sort_key_.bytes() +
               sort_source_.bytes();
    }

private:
    struct Set {
        Buffer<Float4> start, target, normal, surface;
        Buffer<uint32_t> body;
        bool deforming = false;
        const Float4* target_or_null() const { return deforming ? target.data() : nullptr; }
        size_t bytes() const {
            return start.bytes() + target.bytes() + normal.bytes() + surface.bytes() + body.bytes();
        }
    };

    static void take(Execution& on, Set& set, const BoundaryArrays& host) {
        set.start.resize(host.count + lane_width);
        set.normal.resize(host.count);
        set.surface.resize(host.count);
        set.body.resize(host.count);
        on.copy_in(set.start.data(), host.position, host.count);
        on.copy_in(set.normal.data(), host.normal, host.count);
        on.copy_in(set.surface.data(), host.surface, host.count);
        on.copy_in(set.body.data(), host.body, host.count);
        set.deforming = host.target != nullptr;
        if (set.deforming) {
            set.target.resize(host.count);
            on.copy_in(set.target.data(), host.target, host.count);
        }
    }

    /// True if the sorted arrays had to grow, which loses what they held.
    bool reserve() {
        const size_t count = size_t(filler()) + 1 + lane_width;
        if (count * sizeof(Float4) <= position_.bytes()) return false;
        position_.resize(count);
        velocity_.resize(count);
        surface_.resize(count);
        normal_.resize(count);
        return true;
    }

    void sort(Execution& on, const Set& set, Cells& cells, const Float4* position, uint32_t offset,
              const BodyPlacement* placement, uint32_t count) {
        sort_key_.resize(count);
        sort_source_.resize(count);
        cells.sort(on, position, nullptr, count, cell_width_, sort_key_.data(), sort_source_.data());
        on.for_each_item(count,
                         SortBoundary{cells.source(), position, set.normal.data(), set.surface.data(), set.body.data(),
                                      placement, position_.data() + offset, velocity_.data() + offset,
                                      normal_.data() + offset, surface_.data() + offset});
        cells.list(on, position_.data() + offset);
    }

    /// One particle without volume, out of everything's reach, that fills up short lists.
    void place_filler(Execution& on) {
        const Float4 far{1e9f, 1e9f, 1e9f, 0.0f}, none{};
        on.copy_in(position_.data() + filler(), &far, 1);
        on.copy_in(velocity_.data() + filler(), &none, 1);
        on.copy_in(surface_.data() + filler(), &none, 1);
        on.copy_in(normal_.data() + filler(), &none, 1);
    }

    /// Of placements, never 0: FNV-1a over their bytes.
    static uint64_t fingerprint(const BodyPlacement* placement, uint32_t bodies) {
        static_assert(sizeof(BodyPlacement) == 13 * sizeof(float), "no padding that could differ");
        const unsigned char* const bytes = reinterpret_cast<const unsigned char*>(placement);
        uint64_t hash = 14695981039346656037ull;
        for (size_t k = 0; k < size_t(bodies) * sizeof(BodyPlacement); ++k) hash = (hash ^ bytes[k]) * 1099511628211ull;
        return hash ? hash : 1;
    }

    uint32_t still_count_ = 0, moving_count_ = 0;
    uint64_t placed_at_ = 0;  ///< fingerprint of where the moving ones are sorted; 0 = nowhere
    float cell_width_ = 1;
    Set still_, moving_;
    Cells still_cells_, moving_cells_;
    Buffer<Float4> position_, velocity_, surface_, normal_;
    Buffer<Float4> placed_;
    Buffer<uint64_t> sort_key_;
    Buffer<uint32_t> sort_source_;
    Buffer<BodyPlacement> placement_;
};

}  // namespace firn::FIRN_LANES
