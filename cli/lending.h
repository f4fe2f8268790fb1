#pragma once

#include <utility>

#include "firn/particles.h"

namespace firn {

/// Puts the particles into another struct while `use` runs, without a copy; they come back whatever happens.
template <class Use>
void lend(Particles& from, Particles& to, const Use& use) {
    std::swap(from, to);
    try {
        use();
    } catch (...) {
        std::swap(from, to);
        throw;
    }
    std::swap(from, to);
}

}  // namespace firn
