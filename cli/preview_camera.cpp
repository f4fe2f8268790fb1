#include <algorithm>
#include <cmath>
#include <limits>

#include "directions.h"
#include "firn/error.h"
#include "float3.h"
#include "preview.h"

namespace firn {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

}  // namespace

PreviewCamera fit_camera(const Float3& low, const Float3& high, float aspect, const Float3& up) {
    PreviewCamera camera;
    const Float3 middle = 0.5f * (low + high);
    const Float3 size = high - low;
    if (!is_finite(middle) || !(aspect > 0)) throw Error("no camera can be fitted: the box is not finite");
    const Float3 upward = normalized(up);
    // From the front (z, or x when that is up), a third to the side, a quarter up.
    const Float3 front = std::abs(upward.z) < 0.9f ? Float3{0, 0, 1} : Float3{1, 0, 0};
    const Float3 side = normalized(cross(upward, front), {1, 0, 0});
    const Float3 back = normalized(cross(side, upward) + 0.38f * side + 0.32f * upward);
    const Directions view = directions_around(-1.0f * back, upward);

    const float tan_y = std::tan(camera.angle / 2) * 0.9f;  // a tenth of the picture is margin
    const float tan_x = tan_y * aspect;
    // The nearest eye from which every corner is inside: along each of the picture's axes, the two outermost corners
    // decide where the eye is across, and how far back it must be.
    Float3 eye = middle;
    float back_by = 0, depth = 0;
    for (const auto& [across, slope] : {std::pair{view.right, tan_x}, std::pair{view.up, tan_y}}) {
        float most = -infinity, least = infinity;
        for (int n = 0; n < 8; ++n) {
            const Float3 corner{n & 1 ? high.x : low.x, n & 2 ? high.y : low.y, n & 4 ? high.z : low.z};
            const float a = dot(corner - middle, across), d = dot(corner - middle, view.forward);
            most = std::max(most, a - d * slope);
            least = std::min(least, a + d * slope);
            depth = std::max(depth, -d);
        }
        eye += ((most + least) / 2) * across;
        back_by = std::max(back_by, (most - least) / (2 * slope));
    }
    const float smallest = std::max({length(size), 1e-4f * length(middle), 1e-3f});
    back_by = std::max(back_by, depth + 0.02f * smallest);
    camera.eye = eye - back_by * view.forward;
    camera.target = camera.eye + back_by * view.forward;
    return camera;
}

}  // namespace firn
