#include "engine/near_boundary.h"

#include <algorithm>
#include <cmath>

#include "firn/rigid_transform.h"

namespace firn {

namespace {

/// A box that grows with what is put in.
struct Box {
    double low[3] = {1e300, 1e300, 1e300}, high[3] = {-1e300, -1e300, -1e300};
    void add(const double at[3]) {
        for (int c = 0; c < 3; ++c) {
            low[c] = std::min(low[c], at[c]);
            high[c] = std::max(high[c], at[c]);
        }
    }
    void widen(double by) {
        for (int c = 0; c < 3; ++c) {
            low[c] -= by;
            high[c] += by;
        }
    }
};

/// The box around a box that is moved.
Box moved(const Transform& t, const double low[3], const double high[3]) {
    Box box;
    for (int corner = 0; corner < 8; ++corner) {
        double at[3], to[3];
        for (int c = 0; c < 3; ++c) at[c] = corner >> c & 1 ? high[c] : low[c];
        apply_transform(t, at, to);
        box.add(to);
    }
    return box;
}

/// Everything within `reach` of a brick, in the world.
Box reach_of(const KnownBody& b, const BoundaryBrick& brick, double reach) {
    const double low[3] = {brick.low.x, brick.low.y, brick.low.z}, high[3] = {brick.high.x, brick.high.y, brick.high.z};
    Box box;
    if (b.body.motion == Motion::rigid) {
        box = moved(b.now, low, high);
    } else {
        box.add(low);
        box.add(high);
    }
    box.widen(reach);
    return box;
}

bool update_bricks(KnownBody& b, const OccupiedSpace& occupied, double reach) {
    bool changed = false;
    for (BoundaryBrick& brick : b.bricks) {
        const Box box = reach_of(b, brick, reach);
        const bool near = occupied.meets(box.low, box.high);
        changed |= near != brick.near;
        brick.near = near;
    }
    return changed;
}

bool update_source(KnownBody& b, const OccupiedSpace& occupied, double reach) {
    const Transform to_body = b.body.motion == Motion::rigid ? motion_between(b.now, Transform()) : Transform();
    std::vector<SurfaceSource::Brick> wanted;
    const auto each_once = [&] {
        std::sort(wanted.begin(), wanted.end());
        wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    };
    occupied.for_each([&](const double low[3], const double high[3]) {
        Box box = moved(to_body, low, high);
        box.widen(reach);
        const auto narrow = [](const double a[3]) {
            return Float3{static_cast<float>(a[0]), static_cast<float>(a[1]), static_cast<float>(a[2])};
        };
        b.body.source->find_bricks(narrow(box.low), narrow(box.high), wanted);
        // Cubes side by side want the same ones.
        if (wanted.size() > 100000) each_once();
    });
    each_once();
    bool changed = false;
    for (auto have = b.made.begin(); have != b.made.end();) {
        if (std::binary_search(wanted.begin(), wanted.end(), have->first)) {
            ++have;
            continue;
        }
        changed |= !have->second.position.empty();
        have = b.made.erase(have);
    }
    for (const SurfaceSource::Brick& brick : wanted) {
        if (b.made.count(brick)) continue;
        const auto made = b.made.emplace(brick, b.body.source->make(brick)).first;
        changed |= !made->second.position.empty();
    }
    return changed;
}

}  // namespace

void for_each_reach(const KnownBody& b, double reach,
                    const std::function<void(const double[3], const double[3])>& visit) {
    if (b.body.source) {
        // Its particles are made where others are near: it may be anywhere.
        const double low[3] = {-1e300, -1e300, -1e300}, high[3] = {1e300, 1e300, 1e300};
        return visit(low, high);
    }
    for (const BoundaryBrick& brick : b.bricks) {
        const Box box = reach_of(b, brick, reach);
        visit(box.low, box.high);
    }
}

size_t OccupiedSpace::Hash::operator()(const Cube& c) const {
    uint64_t hash = 14695981039346656037ull;
    for (const int32_t part : c) hash = (hash ^ static_cast<uint32_t>(part)) * 1099511628211ull;
    return static_cast<size_t>(hash ^ hash >> 29);
}

OccupiedSpace::Cube OccupiedSpace::cube_at(const double at[3]) const {
    Cube cube;
    for (size_t c = 0; c < 3; ++c) cube[c] = static_cast<int32_t>(std::clamp(std::floor(at[c] / width_), -2e9, 2e9));
    return cube;
}

void OccupiedSpace::add(const Float4* position, size_t count) {
    Cube last{};
    bool any = false;
    for (size_t i = 0; i < count; ++i) {
        const double at[3] = {position[i].x, position[i].y, position[i].z};
        const Cube cube = cube_at(at);
        // Sorted particles come cube by cube.
        if (any && cube == last) continue;
        any = true;
        last = cube;
        const bool first = cubes_.empty();
        if (!cubes_.insert(cube).second) continue;
        for (size_t c = 0; c < 3; ++c) {
            low_[c] = first ? cube[c] : std::min(low_[c], cube[c]);
            high_[c] = first ? cube[c] : std::max(high_[c], cube[c]);
        }
    }
}

bool OccupiedSpace::meets(const double low[3], const double high[3]) const {
    if (cubes_.empty()) return false;
    Cube from = cube_at(low), to = cube_at(high);
    double inside = 1;
    for (size_t c = 0; c < 3; ++c) {
        from[c] = std::max(from[c], low_[c]);
        to[c] = std::min(to[c], high_[c]);
        if (from[c] > to[c]) return false;
        inside *= double(to[c]) - from[c] + 1;
    }
    // Whichever is fewer: the cubes of the box, or those that are there.
    if (inside > static_cast<double>(cubes_.size()))
        return std::any_of(cubes_.begin(), cubes_.end(), [&](const Cube& cube) {
            return cube[0] >= from[0] && cube[0] <= to[0] && cube[1] >= from[1] && cube[1] <= to[1] &&
                   cube[2] >= from[2] && cube[2] <= to[2];
        });
    for (int32_t z = from[2]; z <= to[2]; ++z)
        for (int32_t y = from[1]; y <= to[1]; ++y)
            for (int32_t x = from[0]; x <= to[0]; ++x)
                if (cubes_.count({x, y, z})) return true;
    return false;
}

NearBoundary::Change NearBoundary::update(std::vector<KnownBody>& bodies, const OccupiedSpace& occupied,
                                          const Parameters& p) {
    Change change;
    count_ = 0;
    for (KnownBody& b : bodies) {
        // Neighbours are up to two spacings away, in cells a little wider than that.
        const double reach = 2.1 * double(p.spacing) + margin(p) + travel(b).distance;
        if (b.body.motion == Motion::deforming) cut_in_bricks(b, p.spacing);
        const bool changed = b.body.source ? update_source(b, occupied, reach) : update_bricks(b, occupied, reach);
        (b.body.motion == Motion::still ? change.still : change.moving) |= changed;
        count_ += near_count(b);
    }
    return change;
}

}  // namespace firn
