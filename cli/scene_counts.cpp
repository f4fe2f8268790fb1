#include "scene_counts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "firn/error.h"
#include "firn/memory.h"
#include "progress.h"
#include "snow.h"
#include "snow_filling.h"

namespace firn {

namespace {

constexpr double all_probes = 6e5;              ///< of the scene: half a second
constexpr double least_probes = 1e4;            ///< of a collider
constexpr double most_numbered = 2147483648.0;  ///< particles: they have 32-bit numbers

/// Flakes of a source, if none finds its place taken.
double flakes(const Snow& snow, const Scene& scene, double places) {
    const double s = scene.parameters.spacing;
    const int last = std::min(snow.end.value_or(scene.last_frame), scene.last_frame);
    const double frames = std::max(0, last - first_frame_of(snow, scene) + 1);
    const double each_frame = double(snow.rate) / scene.fps / (double(snow.material.material.rest_density) * s * s * s);
    return std::floor(frames * std::min(each_frame, places));
}

void add(Count& sum, const Count& more) {
    sum.particles += more.particles;
    sum.exact = sum.exact && more.exact;
    sum.warnings.insert(sum.warnings.end(), more.warnings.begin(), more.warnings.end());
    // A file that is used again is read again in the same way.
    for (const std::string& note : more.notes)
        if (std::find(sum.notes.begin(), sum.notes.end(), note) == sum.notes.end()) sum.notes.push_back(note);
}

/// What is used again is not looked at again. What stands elsewhere or is turned has as many particles.
bool same_shape(const Geometry& a, const Geometry& b) {
    const auto same = [](const Float3& p, const Float3& q) { return p.x == q.x && p.y == q.y && p.z == q.z; };
    return a.shape == b.shape && a.file == b.file && a.grid == b.grid && same(a.size, b.size) && a.radius == b.radius &&
           a.height == b.height && a.cell == b.cell && a.relief == b.relief && a.placed.scale == b.placed.scale &&
           // Of heights it is asked whether they are too far away.
           (a.shape != ShapeKind::heightfield || same(a.placed.position, b.placed.position));
}

/// m^2, of shapes that are known by a few numbers; else 0.
double plain_area(const Geometry& g) {
    constexpr double pi = 3.14159265358979323846;
    const double x = g.size.x, y = g.size.y, z = g.size.z, r = g.radius;
    switch (g.shape) {
        case ShapeKind::plane:
            return x * z;
        case ShapeKind::box:
            return 2 * (x * y + y * z + z * x);
        case ShapeKind::sphere:
            return 4 * pi * r * r;
        case ShapeKind::cylinder:
            return 2 * pi * r * (r + g.height);
        default:
            return 0;
    }
}

/// Counts of colliders, in which the work has a limit: where there are hundreds, the later ones of each kind are taken
/// to have as many particles for a square metre as those before.
class ColliderCounting {
public:
    ColliderCounting(const Scene& scene, const std::vector<Bounds>& snow)
        : scene_(scene), snow_(snow), left_(all_probes) {}

    ColliderCount count(size_t index, const ColliderCount* twin) {
        const Collider& collider = scene_.colliders[index];
        const double area = plain_area(collider.geometry);
        Density& density = of_kind_[collider.geometry.shape];
        if (!twin && left_ <= 0 && area > 0 && density.area > 0) {
            ColliderCount guessed;
            guessed.boundary.particles = std::max(1.0, std::round(area * density.particles / density.area));
            guessed.boundary.bytes = guessed.boundary.particles * density.bytes / density.particles;
            if (!collider.keys.empty()) guessed.motion = Motion::rigid;
            return guessed;
        }
        const ColliderCount counted = count_collider(scene_, index, std::clamp(left_, least_probes, 2e5), snow_, twin);
        if (twin) return counted;
        density.area += area;
        density.particles += counted.boundary.particles;
        density.bytes += counted.boundary.bytes;
        left_ -= least_probes + std::min(20 * counted.boundary.particles, 2e5);
        return counted;
    }

private:
    struct Density {
        double area = 0, particles = 0, bytes = 0;
    };
    const Scene& scene_;
    const std::vector<Bounds>& snow_;
    double left_;  ///< probes
    std::map<ShapeKind, Density> of_kind_;
};

bool same_count(const Snow& a, const Snow& b) {
    return a.on.empty() && b.on.empty() && same_shape(a.geometry, b.geometry) && a.thickness == b.thickness &&
           a.relaxed == b.relaxed && a.jitter == b.jitter && a.seed == b.seed;
}

bool same_count(const Collider& a, const Collider& b) {
    return same_shape(a.geometry, b.geometry) && a.inverted == b.inverted && a.two_sided == b.two_sided;
}

const Count& count_of(const Count& count) {
    return count;
}

const Count& count_of(const ColliderCount& collider) {
    return collider.boundary;
}

/// What was counted of a body before this one that is like it. Warnings name the body that they are of: one with
/// warnings has no twins.
template <class Body, class Counted>
const Counted* twin_of(const std::vector<Body>& all, size_t index, const std::vector<Counted>& counted) {
    for (size_t k = 0; k < index; ++k)
        if (same_count(all[k], all[index]) && count_of(counted[k]).particles > 0 &&
            count_of(counted[k]).warnings.empty())
            return &counted[k];
    return nullptr;
}

}  // namespace

uint64_t whole(const Count& count) {
    return static_cast<uint64_t>(std::min(std::round(count.particles), 1e18));
}

SceneCounts count_scene(const Scene& scene) {
    SceneCounts counts;
    counts.snow.exact = counts.boundary.exact = true;
    const auto sampled = [&](const Count& count, const std::string& name) {
        if (count.bytes <= counts.sampling_bytes) return;
        counts.sampling_bytes = count.bytes;
        counts.largest = name;
    };
    std::vector<Count> bodies(scene.snow.size());
    std::vector<Bounds> boxes;
    for (size_t k = 0; k < scene.snow.size(); ++k) {
        const Snow& snow = scene.snow[k];
        if (first_frame_of(snow, scene) > scene.last_frame) continue;
        Bounds box;
        Count count = bodies[k] = count_snow(snow, scene, twin_of(scene.snow, k, bodies), &box);
        sampled(count, "snow '" + snow.name + "'");
        if (snow.rate > 0) {
            count.particles = flakes(snow, scene, count.particles);
            count.exact = false;
        }
        add(counts.snow, count);
        boxes.push_back(box);
    }
    ColliderCounting colliders(scene, boxes);
    for (size_t k = 0; k < scene.colliders.size(); ++k) {
        counts.colliders.push_back(colliders.count(k, twin_of(scene.colliders, k, counts.colliders)));
        const Count& count = counts.colliders.back().boundary;
        sampled(count, "collider '" + scene.colliders[k].name + "'");
        add(counts.colliders.back().on_demand ? counts.near : counts.boundary, count);
    }
    return counts;
}

void require_memory(const SceneCounts& counts, const Scene& scene, Engine& engine) {
    const double limit = allowed_bytes(scene.parameters);
    const double available = limit > 0 ? limit : static_cast<double>(memory_available());
    if (counts.sampling_bytes > available)
        throw Error(counts.largest + " needs about " + bytes_text(counts.sampling_bytes) +
                    " of memory while it is made into particles, but " +
                    (limit > 0 ? "memory_limit allows " + bytes_text(limit) : bytes_text(available) + " are free") +
                    "; raise the spacing, lower scene.resolution" + (limit > 0 ? ", or raise memory_limit" : ""));
    const uint64_t boundary = whole(counts.boundary) + whole(counts.near);
    if (counts.snow.particles > most_numbered || static_cast<double>(boundary) > most_numbered)
        throw Error("the scene would take about " + count_text(whole(counts.snow)) + " snow and " +
                    count_text(boundary) +
                    " boundary particles, more than the 2^31 that can be numbered; raise the spacing, or lower "
                    "scene.resolution");
    engine.require_memory(whole(counts.snow), boundary);
}

}  // namespace firn
