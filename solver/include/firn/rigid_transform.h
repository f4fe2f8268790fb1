#pragma once

#include "firn/vector.h"

namespace firn {

/// The rotation alone.
inline Float3 turned(const Transform& t, const Float3& p) {
    const double* r = t.rotation;
    return {static_cast<float>(r[0] * p.x + r[1] * p.y + r[2] * p.z),
            static_cast<float>(r[3] * p.x + r[4] * p.y + r[5] * p.z),
            static_cast<float>(r[6] * p.x + r[7] * p.y + r[8] * p.z)};
}

inline Float3 apply_transform(const Transform& t, const Float3& p) {
    const double* r = t.rotation;
    return {static_cast<float>(r[0] * p.x + r[1] * p.y + r[2] * p.z + t.translation[0]),
            static_cast<float>(r[3] * p.x + r[4] * p.y + r[5] * p.z + t.translation[1]),
            static_cast<float>(r[6] * p.x + r[7] * p.y + r[8] * p.z + t.translation[2])};
}

}  // namespace firn
