#pragma once

// Which boundary particles a device holds: only those that particles are near, or may come near soon. Boundary
// particles lie in bricks; a brick is there as a whole or not at all. What is left out is out of everyone's reach, and
// the order of the others is what it would be with all of them: the motion is the same to the bit.

#include <array>
#include <functional>
#include <unordered_set>
#include <vector>

#include "boundary_bodies.h"

namespace firn {

/// Space in cubes: those that hold particles.
class OccupiedSpace {
public:
    explicit OccupiedSpace(double width) : width_(width) {}
    void add(const Float4* position, size_t count);
    bool empty() const { return cubes_.empty(); }
    /// Whether any cube meets the box, m.
    bool meets(const double low[3], const double high[3]) const;
    /// Calls visit(low, high) with each cube, m.
    template <class Visit>
    void for_each(const Visit& visit) const {
        for (const Cube& cube : cubes_) {
            double low[3], high[3];
            for (size_t c = 0; c < 3; ++c) {
                low[c] = width_ * cube[c];
                high[c] = low[c] + width_;
            }
            visit(low, high);
        }
    }

private:
    using Cube = std::array<int32_t, 3>;
    struct Hash {
        size_t operator()(const Cube&) const;
    };
    Cube cube_at(const double at[3]) const;

    double width_;
    std::unordered_set<Cube, Hash> cubes_;
    int32_t low_[3] = {0, 0, 0}, high_[3] = {-1, -1, -1};  ///< of all cubes
};

/// Calls visit(low, high) with boxes, m, in the world, that hold all places within `reach` of the body's particles.
void for_each_reach(const KnownBody&, double reach, const std::function<void(const double[3], const double[3])>& visit);

/// Keeps the set. It holds until the particles have moved by `margin()`.
class NearBoundary {
public:
    /// m.
    static double margin(const Parameters& p) { return 12.0 * double(p.spacing); }
    static double cube_width(const Parameters& p) { return 8.0 * double(p.spacing); }

    struct Change {
        bool still = false, moving = false;
    };
    /// With all bodies as the frame begins, and where they go in it.
    Change update(std::vector<KnownBody>&, const OccupiedSpace&, const Parameters&);

    /// Boundary particles that are near.
    uint64_t count() const { return count_; }

private:
    uint64_t count_ = 0;
};

}  // namespace firn
