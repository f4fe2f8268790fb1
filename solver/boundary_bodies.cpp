#include "boundary_bodies.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "firn/error.h"

namespace firn {

namespace {

double cubic_spline_value(double r, double support) {
    const double q = r / support;
    if (q >= 1) return 0;
    const double inner = std::max(0.5 - q, 0.0);
    return 8 / (3.14159265358979323846 * support * support * support) *
           (2 * (1 - q) * (1 - q) * (1 - q) - 8 * inner * inner * inner);
}

struct Quaternion {
    double w, x, y, z;
};

Quaternion quaternion(const double r[9]) {
    // The largest of the four is computed by a root, the others from it: no division by something small.
    const double t[4] = {1 + r[0] + r[4] + r[8], 1 + r[0] - r[4] - r[8], 1 - r[0] + r[4] - r[8],
                         1 - r[0] - r[4] + r[8]};
    const int k = static_cast<int>(std::max_element(t, t + 4) - t);
    const double s = 0.5 * std::sqrt(t[k]), f = 0.25 / s;
    switch (k) {
        case 0:
            return {s, f * (r[7] - r[5]), f * (r[2] - r[6]), f * (r[3] - r[1])};
        case 1:
            return {f * (r[7] - r[5]), s, f * (r[1] + r[3]), f * (r[2] + r[6])};
        case 2:
            return {f * (r[2] - r[6]), f * (r[1] + r[3]), s, f * (r[5] + r[7])};
        default:
            return {f * (r[3] - r[1]), f * (r[2] + r[6]), f * (r[5] + r[7]), s};
    }
}

void rotation(const Quaternion& q, double r[9]) {
    const double m[9] = {
        1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z),     2 * (q.x * q.z + q.w * q.y),
        2 * (q.x * q.y + q.w * q.z),     1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x),
        2 * (q.x * q.z - q.w * q.y),     2 * (q.y * q.z + q.w * q.x),     1 - 2 * (q.x * q.x + q.y * q.y)};
    std::copy(m, m + 9, r);
}

Quaternion slerp(const Quaternion& a, Quaternion b, double share) {
    double cosine = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    if (cosine < 0) {
        cosine = -cosine;
        b = {-b.w, -b.x, -b.y, -b.z};
    }
    double from = 1 - share, to = share;
    if (cosine < 1 - 1e-9) {
        const double angle = std::acos(cosine), inverse = 1 / std::sin(angle);
        from = std::sin((1 - share) * angle) * inverse;
        to = std::sin(share * angle) * inverse;
    }
    Quaternion q = {from * a.w + to * b.w, from * a.x + to * b.x, from * a.y + to * b.y, from * a.z + to * b.z};
    const double length = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return {q.w / length, q.x / length, q.y / length, q.z / length};
}

void transform(const Transform& t, const double p[3], double out[3]) {
    for (int row = 0; row < 3; ++row) {
        out[row] = t.rotation[3 * row] * p[0] + t.rotation[3 * row + 1] * p[1] + t.rotation[3 * row + 2] * p[2] +
                   t.translation[row];
    }
}

bool finite(const Float3& a) {
    return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

Transform placed(const KnownBody& b, double share) {
    return interpolate(b.now, b.target, b.pivot, share);
}

Float3 between(const Float3& a, const Float3& b, double share) {
    const float s = static_cast<float>(share);
    return {a.x + s * (b.x - a.x), a.y + s * (b.y - a.y), a.z + s * (b.z - a.z)};
}

}  // namespace

const std::array<SurfaceQuantity, surface_quantity_count>& surface_table() {
    static const std::array<SurfaceQuantity, surface_quantity_count> table = {{
        {"friction", &Body::friction, &Body::particle_friction, 1e6f},
        {"adhesion", &Body::adhesion, &Body::particle_adhesion, 1e6f},
        {"bounce", &Body::bounce, &Body::particle_bounce, 1.0f},
        {"sticky", &Body::sticky, &Body::particle_sticky, 1.0f},
    }};
    return table;
}

std::vector<float> boundary_volumes(const std::vector<Float3>& position, float spacing, float phi) {
    const double support = 2.0 * spacing;
    using Cell = std::tuple<int64_t, int64_t, int64_t>;
    const auto cell = [&](const Float3& p) {
        return Cell{static_cast<int64_t>(std::floor(p.z / support)), static_cast<int64_t>(std::floor(p.y / support)),
                    static_cast<int64_t>(std::floor(p.x / support))};
    };
    std::vector<std::pair<Cell, uint32_t>> sorted(position.size());
    for (uint32_t i = 0; i < position.size(); ++i) sorted[i] = {cell(position[i]), i};
    std::sort(sorted.begin(), sorted.end());
    std::vector<float> volume(position.size());
    for (const auto& [own, i] : sorted) {
        double sum = 0;
        const auto [z, y, x] = own;
        for (int64_t dz = -1; dz <= 1; ++dz) {
            for (int64_t dy = -1; dy <= 1; ++dy) {
                auto at =
                    std::lower_bound(sorted.begin(), sorted.end(), std::make_pair(Cell{z + dz, y + dy, x - 1}, 0u));
                for (; at != sorted.end() && at->first <= Cell{z + dz, y + dy, x + 1}; ++at) {
                    const Float3 &a = position[i], &b = position[at->second];
                    const double ex = double(a.x) - b.x, ey = double(a.y) - b.y, ez = double(a.z) - b.z;
                    sum += cubic_spline_value(std::sqrt(ex * ex + ey * ey + ez * ez), support);
                }
            }
        }
        volume[i] = static_cast<float>(phi / sum);
    }
    return volume;
}

Transform interpolate(const Transform& from, const Transform& to, const double pivot[3], double share) {
    if (share <= 0) return from;
    if (share >= 1) return to;
    Transform t;
    rotation(slerp(quaternion(from.rotation), quaternion(to.rotation), share), t.rotation);
    double a[3], b[3];
    transform(from, pivot, a);
    transform(to, pivot, b);
    for (int row = 0; row < 3; ++row) {
        const double turned =
            t.rotation[3 * row] * pivot[0] + t.rotation[3 * row + 1] * pivot[1] + t.rotation[3 * row + 2] * pivot[2];
        t.translation[row] = a[row] + share * (b[row] - a[row]) - turned;
    }
    return t;
}

void validate(const Transform& t, const std::string& name) {
    const double* r = t.rotation;
    for (int a = 0; a < 3; ++a) {
        if (!std::isfinite(t.translation[a])) throw Error("body '" + name + "': the translation is not finite");
        for (int b = 0; b < 3; ++b) {
            const double product = r[3 * a] * r[3 * b] + r[3 * a + 1] * r[3 * b + 1] + r[3 * a + 2] * r[3 * b + 2];
            if (!(std::abs(product - (a == b ? 1.0 : 0.0)) < 1e-3)) {
                throw Error(
                    "body '" + name +
                    "': the transform scales or shears; a rigid body may only turn and move, use a deforming body");
            }
        }
    }
    const double determinant =
        r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) + r[2] * (r[3] * r[7] - r[4] * r[6]);
    if (determinant < 0) throw Error("body '" + name + "': the transform mirrors; a rigid body may only turn and move");
}

void validate(const Body& body) {
    const size_t count = body.position.size();
    const auto same_length = [&](size_t size, const char* what) {
        if (size && size != count) {
            throw Error("body '" + body.name + "' has " + std::to_string(count) + " positions but " +
                        std::to_string(size) + " values of " + what);
        }
    };
    same_length(body.normal.size(), "normal");
    same_length(body.volume.size(), "volume");
    for (const SurfaceQuantity& q : surface_table()) same_length((body.*q.array).size(), q.token);
    for (size_t i = 0; i < count; ++i) {
        if (!finite(body.position[i])) {
            throw Error("body '" + body.name + "': position of particle " + std::to_string(i) + " is not finite");
        }
        if (!body.normal.empty() && !finite(body.normal[i])) {
            throw Error("body '" + body.name + "': normal of particle " + std::to_string(i) + " is not finite");
        }
        if (!body.volume.empty() && !(body.volume[i] >= 0 && std::isfinite(body.volume[i]))) {
            throw Error("body '" + body.name + "': volume of particle " + std::to_string(i) + " is not a size");
        }
    }
    for (const SurfaceQuantity& q : surface_table()) {
        const auto bad = [&](float v) { return !(v >= 0 && v <= q.high); };
        if (bad(body.*q.value) || std::any_of((body.*q.array).begin(), (body.*q.array).end(), bad)) {
            throw Error("body '" + body.name + "': " + q.token + " must lie between 0 and " +
                        std::to_string(static_cast<int>(q.high)));
        }
    }
    if (body.motion == Motion::rigid) validate(body.placement, body.name);
}

BodyPlacement placement(const KnownBody& b, double share) {
    BodyPlacement p{};
    if (b.body.motion == Motion::deforming) {
        p.blend = static_cast<float>(share);
        return p;
    }
    const Transform t = placed(b, share);
    std::transform(t.rotation, t.rotation + 9, p.rotation, [](double v) { return static_cast<float>(v); });
    std::transform(t.translation, t.translation + 3, p.translation, [](double v) { return static_cast<float>(v); });
    p.blend = -1.0f;
    return p;
}

void arrive(KnownBody& b, double share) {
    if (b.body.motion == Motion::rigid) b.now = placed(b, share);
    if (b.body.motion == Motion::deforming && !b.goal.empty()) {
        if (share >= 1) {
            // Exactly there, so that a run that starts from this frame finds the same body.
            b.body.position = std::move(b.goal);
            b.goal.clear();
            return;
        }
        for (size_t i = 0; i < b.goal.size(); ++i) b.body.position[i] = between(b.body.position[i], b.goal[i], share);
    }
}

std::vector<Float3> world_positions(const KnownBody& b) {
    if (b.body.motion != Motion::rigid) return b.body.position;
    std::vector<Float3> world;
    world.reserve(b.body.position.size());
    for (const Float3& local : b.body.position) {
        const double p[3] = {local.x, local.y, local.z};
        double out[3];
        transform(b.now, p, out);
        world.push_back({static_cast<float>(out[0]), static_cast<float>(out[1]), static_cast<float>(out[2])});
    }
    return world;
}

}  // namespace firn
