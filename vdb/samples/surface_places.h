#pragma once

#include <cstdint>
#include <vector>

#include "firn/mesh.h"
#include "samples/vec3.h"

namespace firn {

struct SurfacePlace {
    Vec3 position;  ///< m
    uint32_t triangle;
};
/// Places on a mesh of this area (m^2), each square metre with the same chance.
std::vector<SurfacePlace> scattered_places(const Mesh&, double area, size_t count);

}  // namespace firn
