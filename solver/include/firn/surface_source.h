#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "firn/vector.h"

namespace firn {

/// A surface that becomes boundary particles only where other particles come near: a ground without end, a terrain.
///
/// The engine asks for it brick by brick and forgets bricks that nothing is near any more. Each brick can be made alone
/// and has the same particles whenever it is made, so that the motion does not depend on who asked first.
///
/// Its space is that of Body::position: the body's frame if it is rigid, the world otherwise. Called from one thread at
/// a time.
class SurfaceSource {
public:
    /// Which brick, in any numbering that the source likes.
    using Brick = std::array<int32_t, 3>;
    struct Particles {
        std::vector<Float3> position;  ///< m, half a spacing below the surface
        std::vector<Float3> normal;    ///< outward, unit; empty = taken from where the snow is
        std::vector<float> volume;     ///< V_b, m^3
    };

    virtual ~SurfaceSource();

    /// Appends the bricks that may have particles in this box, m.
    virtual void find_bricks(const Float3& low, const Float3& high, std::vector<Brick>&) const = 0;
    virtual Particles make(const Brick&) const = 0;
    /// No particle is farther from the origin, m. Only a surface that ends may turn.
    virtual double radius() const { return std::numeric_limits<double>::infinity(); }
};

}  // namespace firn
