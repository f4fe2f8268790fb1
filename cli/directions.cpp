#include "directions.h"

#include "float3.h"

namespace firn {

Directions directions_around(const Float3& forward, const Float3& up) {
    Directions d;
    d.forward = forward;
    d.right = cross(forward, up);
    if (length(d.right) < 1e-4f) d.right = cross(forward, std::abs(up.x) < 0.9f ? Float3{1, 0, 0} : Float3{0, 0, 1});
    d.right = normalized(d.right, {1, 0, 0});
    d.up = cross(d.right, forward);
    return d;
}

}  // namespace firn
