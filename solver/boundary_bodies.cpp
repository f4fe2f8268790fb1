#include "boundary_bodies.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "firn/error.h"
#include "firn/rigid_transform.h"

namespace firn {

namespace {

double cubic_spline_value(double r, double support) {
    const double q = r / support;
    if (q >= 1) return 0;
    const double inner = std::max(0.5 - q, 0.0);
    return 8 / (3.14159265358979323846 * support * support * support) *
           (2 * (1 - q) * (1 - q) * (1 - q) - 8 * inner * inner * inner);
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
        {"adhesion", &Body::adhesion, &Body::particle_adhesion, 1000.0f},
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

void validate(const Transform& t, const std::string& name) {
    for (const double x : t.translation)
        if (!std::isfinite(x)) throw Error("body '" + name + "': the translation is not finite");
    if (!(rotation_error(t.rotation) < 1e-3))
        throw Error("body '" + name +
                    "': the transform scales or shears; a rigid body may only turn and move, use a deforming body");
    if (determinant(t.rotation) < 0)
        throw Error("body '" + name + "': the transform mirrors; a rigid body may only turn and move");
}

void validate(const Body& body) {
    const size_t count = body.position.size();
    const auto same_length = [&](size_t size, const char* what) {
        if (size && size != count) {
            throw Error("body '" + body.name + "' has " + std::to_string(count) + " positions but " +
                        std::to_string(size) + " values of " + what);
        }
    };
    if (body.source && (count || body.motion == Motion::deforming))
        throw Error("body '" + body.name +
                    "': a surface that is made where snow comes near has no positions of its own, "
                    "and can't deform");
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

KnownBody known_body(BodyId id, const Body& body, float spacing, float phi) {
    KnownBody known{id, body, body.volume, {0, 0, 0}, 0, body.placement, body.placement, {}, 0, {}, {}, {}};
    if (body.source) {
        // Only what ends can turn, and needs a radius.
        if (std::isfinite(body.source->radius())) known.radius = body.source->radius();
        return known;
    }
    if (known.volume.empty()) known.volume = boundary_volumes(body.position, spacing, phi);
    const double n = static_cast<double>(body.position.size());
    for (const Float3& p : body.position) {
        known.pivot[0] += p.x / n;
        known.pivot[1] += p.y / n;
        known.pivot[2] += p.z / n;
    }
    for (const Float3& p : body.position)
        known.radius =
            std::max(known.radius, std::hypot(p.x - known.pivot[0], p.y - known.pivot[1], p.z - known.pivot[2]));
    cut_in_bricks(known, spacing);
    return known;
}

void cut_in_bricks(KnownBody& b, float spacing) {
    constexpr size_t smallest = 2048;   // particles; fewer are one brick
    constexpr double in_spacings = 16;  // of a brick's side
    const auto add = [](BoundaryBrick& brick, const Float3& p) {
        brick.low = {std::min(brick.low.x, p.x), std::min(brick.low.y, p.y), std::min(brick.low.z, p.z)};
        brick.high = {std::max(brick.high.x, p.x), std::max(brick.high.y, p.y), std::max(brick.high.z, p.z)};
    };
    const std::vector<Float3>& position = b.body.position;
    if (position.empty()) return;
    const bool deforming = b.body.motion == Motion::deforming;
    if (deforming || position.size() < smallest) {
        const bool near = b.bricks.empty() || b.bricks[0].near;
        b.bricks.assign(1, {position[0], position[0], near});
        for (const Float3& p : position) add(b.bricks[0], p);
        for (const Float3& p : b.goal) add(b.bricks[0], p);
        return;
    }
    b.bricks.clear();
    b.brick_of.resize(position.size());
    const double width = in_spacings * spacing;
    std::map<std::tuple<int64_t, int64_t, int64_t>, uint32_t> known;
    for (size_t i = 0; i < position.size(); ++i) {
        const Float3& p = position[i];
        const auto at = [&](float x) { return static_cast<int64_t>(std::floor(x / width)); };
        const auto [brick, is_new] =
            known.try_emplace({at(p.x), at(p.y), at(p.z)}, static_cast<uint32_t>(b.bricks.size()));
        if (is_new) b.bricks.push_back({p, p});
        b.brick_of[i] = brick->second;
        add(b.bricks[brick->second], p);
    }
}

uint64_t near_count(const KnownBody& b) {
    uint64_t count = 0;
    for (const auto& [brick, particles] : b.made) count += particles.position.size();
    if (b.brick_of.empty()) return count + (!b.bricks.empty() && b.bricks[0].near ? b.body.position.size() : 0);
    for (const uint32_t brick : b.brick_of) count += b.bricks[brick].near ? 1 : 0;
    return count;
}

void aim(KnownBody& b, const Transform& target) {
    if (b.body.motion != Motion::rigid) {
        throw Error("body '" + b.body.name + "' can't be moved by a transform: it was not added as rigid");
    }
    validate(target, b.body.name);
    if (b.body.source && !std::isfinite(b.body.source->radius()) &&
        !std::equal(target.rotation, target.rotation + 9, b.now.rotation))
        throw Error("body '" + b.body.name + "' is a plane without end, which can't turn; give it a size");
    b.target = target;
}

void aim(KnownBody& b, const std::vector<Float3>& target) {
    if (b.body.motion != Motion::deforming) {
        throw Error("body '" + b.body.name + "' can't be moved by positions: it was not added as deforming");
    }
    if (target.size() != b.body.position.size()) {
        throw Error("body '" + b.body.name + "' has " + std::to_string(b.body.position.size()) + " particles but " +
                    std::to_string(target.size()) + " new positions");
    }
    for (size_t i = 0; i < target.size(); ++i) {
        if (!finite(target[i]))
            throw Error("body '" + b.body.name + "': new position of particle " + std::to_string(i) + " is not finite");
    }
    b.goal = target;
    b.stride = 0;
    for (size_t i = 0; i < target.size(); ++i) {
        const Float3 &from = b.body.position[i], &to = target[i];
        b.stride = std::max(b.stride, std::hypot(double(to.x) - from.x, double(to.y) - from.y, double(to.z) - from.z));
    }
}

Travel travel(const KnownBody& b) {
    Travel t;
    if (b.body.motion == Motion::deforming && !b.goal.empty()) t.distance = b.stride;
    if (b.body.motion != Motion::rigid || b.now == b.target) return t;
    double from[3], to[3];
    apply_transform(b.now, b.pivot, from);
    apply_transform(b.target, b.pivot, to);
    const Quaternion q = quaternion(motion_between(b.now, b.target).rotation);
    const double sine = std::hypot(q.x, q.y, q.z);
    t.angle = 2 * std::atan2(sine, std::abs(q.w));
    const double scale = sine > 0 ? std::copysign(t.angle / sine, q.w) : 0, axis[3] = {q.x, q.y, q.z};
    for (int c = 0; c < 3; ++c) {
        t.moved[c] = to[c] - from[c];
        t.turned[c] = scale * axis[c];
    }
    t.distance = std::hypot(t.moved[0], t.moved[1], t.moved[2]) + t.angle * b.radius;
    return t;
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
    std::vector<Float3> world = b.body.position;
    for (const auto& [brick, particles] : b.made)
        world.insert(world.end(), particles.position.begin(), particles.position.end());
    if (b.body.motion == Motion::rigid)
        for (Float3& p : world) p = apply_transform(b.now, p);
    return world;
}

BoundaryOfBodies::BoundaryOfBodies(const std::vector<KnownBody>& bodies, bool moving) {
    const auto takes = [&](const KnownBody& b) { return (b.body.motion != Motion::still) == moving; };
    size_t count = 0;
    for (const KnownBody& b : bodies) count += takes(b) ? near_count(b) : 0;
    for (std::vector<Float4>* list : {&position_, &target_, &normal_, &surface_}) list->reserve(count);
    body_.reserve(count);
    const auto record = [](const Float3& a, float w) { return Float4{a.x, a.y, a.z, w}; };
    for (uint32_t k = 0; k < bodies.size(); ++k) {
        const KnownBody& known = bodies[k];
        if (!takes(known)) continue;
        const Body& b = known.body;
        deforming_ |= b.motion == Motion::deforming;
        for (size_t i = 0; i < b.position.size(); ++i) {
            if (!known.bricks[known.brick_of.empty() ? 0 : known.brick_of[i]].near) continue;
            const auto value = [&](float uniform, const std::vector<float>& each) {
                return each.empty() ? uniform : each[i];
            };
            position_.push_back(record(b.position[i], known.volume[i]));
            target_.push_back(record(known.goal.empty() ? b.position[i] : known.goal[i], 0));
            normal_.push_back(b.normal.empty() ? Float4{} : record(b.normal[i], 1));
            surface_.push_back({value(b.friction, b.particle_friction), value(b.adhesion, b.particle_adhesion),
                                value(b.bounce, b.particle_bounce), value(b.sticky, b.particle_sticky)});
            body_.push_back(k);
        }
        for (const auto& [brick, particles] : known.made) {
            for (size_t i = 0; i < particles.position.size(); ++i) {
                position_.push_back(record(particles.position[i], particles.volume[i]));
                target_.push_back(record(particles.position[i], 0));
                normal_.push_back(particles.normal.empty() ? Float4{} : record(particles.normal[i], 1));
                surface_.push_back({b.friction, b.adhesion, b.bounce, b.sticky});
                body_.push_back(k);
            }
        }
    }
}

BoundaryArrays BoundaryOfBodies::arrays() const {
    return {position_.data(), deforming_ ? target_.data() : nullptr,  normal_.data(), surface_.data(),
            body_.data(),     static_cast<uint32_t>(position_.size())};
}

BodyImpulse body_impulse(double dt, const double six[6]) {
    return {dt, {six[0], six[1], six[2]}, {six[3], six[4], six[5]}};
}

BodyLoad mean_load(const std::vector<BodyImpulse>& impulses) {
    BodyLoad load;
    double time = 0;
    for (const BodyImpulse& each : impulses) time += each.dt;
    for (const BodyImpulse& each : impulses) {
        for (int c = 0; c < 3; ++c) {
            load.force[c] += each.impulse[c] / time;
            load.torque[c] += each.angular[c] / time;
        }
    }
    return load;
}

}  // namespace firn
