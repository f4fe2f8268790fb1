#pragma once

// What stands where it can't: particles inside a solid body, bodies in the same place. Neither has a sensible motion.

#include <string>
#include <vector>

#include "boundary_bodies.h"
#include "firn/particles.h"

namespace firn {

/// About `most` of the particles from `first` on, evenly: enough to find a body of snow that was placed inside another
/// body.
std::vector<Float3> sampled_positions(const Particles&, size_t first, size_t most);

/// A warning for each body that holds some of the particles more than a spacing below its surface. Bodies without
/// normals have no inside. `phi` is Parameters::boundary_volume.
std::vector<std::string> particles_inside(const std::vector<KnownBody>&, const std::vector<Float3>& sampled,
                                          float spacing, float phi, const std::string& what);

/// A warning for each body that is a copy of another one.
std::vector<std::string> bodies_in_one_place(const std::vector<KnownBody>&, float spacing);

}  // namespace firn
